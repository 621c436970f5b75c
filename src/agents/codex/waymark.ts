import { type Fields, list } from "../common/values.ts";
import { foldAnswer } from "../common/waymark-tool.ts";
import { sayUnknown, todoIdOf } from "./plan.ts";
import { announce, type Say, type Thread } from "./state.ts";

export function isWaymark(server: unknown, tool: unknown): boolean {
  return server === "waymark" && tool === "todos";
}

/** The answer of Waymark's own tool. */
export function sayTodos(thread: Thread, answer: Fields, key: string, say: Say) {
  const known = foldAnswer(thread.todos, answer, (body) => say(body));
  if (!known) {
    delete thread.todos;
    return sayUnknown(say);
  }
  thread.todos = [...known];
  announce(thread, undefined, say);
  const whole = list(answer.todos) !== undefined;
  say(
    {
      type: "todo_list",
      todoId: todoIdOf(thread),
      items: known,
      ...(!whole && { stepwise: true as const }),
    },
    key,
  );
}
