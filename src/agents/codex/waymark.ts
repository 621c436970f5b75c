import { type Fields, list } from "../common/values.ts";
import { foldWaymarkAnswer } from "../common/waymark-tool.ts";
import { emitUnknown, todoIdOf } from "./plan.ts";
import { announce, type Thread, type ThreadEmit } from "./state.ts";

export function isWaymarkTool(server: unknown, tool: unknown): boolean {
  return server === "waymark" && tool === "todos";
}

/** Emits the list after an answer of Waymark's tool. */
export function emitTodos(thread: Thread, answer: Fields, key: string, send: ThreadEmit) {
  const known = foldWaymarkAnswer(thread.todos, answer, (body) => send(body));
  if (!known) {
    delete thread.todos;
    return emitUnknown(send);
  }
  thread.todos = [...known];
  announce(thread, undefined, send);
  const isFull = list(answer.todos) !== undefined;
  send(
    {
      type: "todo_list",
      todoId: todoIdOf(thread),
      items: known,
      ...(!isFull && { stepwise: true as const }),
    },
    key,
  );
}
