import type { Emit } from "../agent.ts";
import { hashOf } from "../common/memory.ts";
import { type Fields, fields, items, list, number, text } from "../common/values.ts";
import { emitSnapshot } from "./lists.ts";
import type { ClaudeState, Line } from "./state.ts";
import { foldTask, visible } from "./tasks.ts";
import { TODO } from "./todo-write.ts";

/** Requests of a running process, by `waitingFor` of its file. */
const WAITING_FOR: Readonly<Record<string, "permission" | "question">> = {
  "permission prompt": "permission",
  "input needed": "question",
};

/** Reads a file of `sessions`: whether its process is busy, waits for the user or is idle. */
function readProcess(state: ClaudeState, file: Fields, emit: Emit): void {
  const at = number(file.statusUpdatedAt);
  state.session = text(file.sessionId) ?? "";
  if (at === undefined || state.session === "") return;
  const context = { at, agentId: "main", key: `status-${at}` };
  const kind = WAITING_FOR[text(file.waitingFor) ?? ""];
  if (file.status === "waiting" && kind) emit({ type: "input.requested", kind }, context);
  else if (file.status === "busy") emit({ type: "input.resolved" }, context);
  else if (file.status === "idle") emit({ type: "turn.idle" }, context);
}

/**
 * Reads a document. A file of `todos` has a whole list. A file of `tasks` has one task; the files of a directory, read
 * with the same state, make up the list.
 */
export function readDocument(state: ClaudeState, record: unknown, emit: Emit): void {
  const todos = list(record);
  const task = fields(record);
  if (task?.pid !== undefined && task.sessionId !== undefined) {
    readProcess(state, task, emit);
    return;
  }
  if (!todos && !(task && foldTask(state, task))) {
    emit({
      type: "warning",
      code: "bad_item",
      message: "the file contains neither todos nor a task",
    });
    return;
  }
  const shown = todos ? items(todos, TODO, emit) : visible(state);
  const key = `file-${state.revision + 1}-${hashOf(shown)}`;
  const line: Line = { agent: state.agent, at: undefined, uuid: undefined };
  emitSnapshot(state, line, key, shown, (body, context) => {
    state.revision++;
    emit(body, context);
  });
}
