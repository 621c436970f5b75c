import type { Emit } from "../dialect.ts";
import { printOf } from "../memory.ts";
import { fields, items, list } from "../values.ts";
import { emitSnapshot } from "./lists.ts";
import type { ClaudeState, Line } from "./state.ts";
import { foldTask, visible } from "./tasks.ts";
import { TODO } from "./todo-write.ts";

/**
 * A file of `todos` is a whole list; a file of `tasks` is one task, and all files of a folder that
 * are read with the same state are its list.
 */
export function readDocument(state: ClaudeState, record: unknown, emit: Emit): void {
  const todos = list(record);
  const task = fields(record);
  if (!todos && !(task && foldTask(state, task))) {
    emit({ type: "warning", code: "bad_item", message: "the file holds neither todos nor a task" });
    return;
  }
  const shown = todos ? items(todos, TODO, emit) : visible(state);
  const key = `file-${state.revision + 1}-${printOf(shown)}`;
  const line: Line = { agent: state.agent, at: undefined, uuid: undefined };
  emitSnapshot(state, line, key, shown, (body, about) => {
    state.revision++;
    emit(body, about);
  });
}
