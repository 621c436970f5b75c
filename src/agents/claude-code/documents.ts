import type { Emit } from "../agent.ts";
import { printOf } from "../common/memory.ts";
import { type Fields, fields, items, list, number, text } from "../common/values.ts";
import { emitSnapshot } from "./lists.ts";
import type { ClaudeState, Line } from "./state.ts";
import { foldTask, visible } from "./tasks.ts";
import { TODO } from "./todo-write.ts";

/** What a running process waits for, by the words of its file. */
const WAITING_FOR: Readonly<Record<string, "permission" | "question">> = {
  "permission prompt": "permission",
  "input needed": "question",
};

/** A file of `sessions` says whether its process works, waits for the user or is idle. */
function readProcess(state: ClaudeState, file: Fields, emit: Emit): void {
  const at = number(file.statusUpdatedAt);
  state.session = text(file.sessionId) ?? "";
  if (at === undefined || state.session === "") return;
  const about = { at, agentId: "main", key: `status-${at}` };
  const kind = WAITING_FOR[text(file.waitingFor) ?? ""];
  if (file.status === "waiting" && kind) emit({ type: "input.requested", kind }, about);
  else if (file.status === "busy") emit({ type: "input.resolved" }, about);
  else if (file.status === "idle") emit({ type: "turn.idle" }, about);
}

/**
 * A file of `todos` is a whole list; a file of `tasks` is one task, and all files of a folder that
 * are read with the same state are its list.
 */
export function readDocument(state: ClaudeState, record: unknown, emit: Emit): void {
  const todos = list(record);
  const task = fields(record);
  if (task?.pid !== undefined && task.sessionId !== undefined) {
    readProcess(state, task, emit);
    return;
  }
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
