import type { Dialect, Emit } from "../agent.ts";
import { printOf } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { NATIVE_NEEDLES } from "../common/waymark-tool.ts";
import { wanted } from "./calls.ts";
import { places } from "./files.ts";
import { identity } from "./identity.ts";
import { enterSession, type QwenState, startState } from "./state.ts";
import { readStream } from "./stream.ts";
import { emitEntries } from "./todo-write.ts";
import { readTranscript } from "./transcript.ts";

export const qwen: Dialect<QwenState> = {
  ...identity,
  needles: ['"todo_write"', '"agent"', '_plan_mode"', ...NATIVE_NEEDLES],
  wanted,
  sniff,
  start: startState,
  read,
  places,
  listSetting: {
    since: "0.24",
    why: "todo_write is off by default",
    setting: '"tools": { "todoWrite": { "enabled": true } } in its settings.json',
  },
};

function read(state: QwenState, record: unknown, emit: Emit): void {
  const given = fields(record);
  if (!given) return;
  if (text(given.session_id) !== undefined) readStream(state, given, emit);
  else if (text(given.type) !== undefined) readTranscript(state, given, emit);
  else if (list(given.todos)) readTodoFile(state, given, emit);
}

/** The session's list as it was last saved, by whichever of its agents. */
function readTodoFile(state: QwenState, file: Fields, emit: Emit): void {
  enterSession(state, text(file.sessionId));
  const todos = list(file.todos) ?? [];
  const print = printOf(todos);
  if (print === state.print) return;
  state.print = print;
  state.prints++;
  emitEntries(state, todos, { key: `file-${state.prints}-${print}` }, emit);
}

/** Claude's stream looks the same, but its messages have ids of their own. */
function sniff(record: unknown): 0 | 1 | 2 {
  const given = fields(record);
  if (!given) return 0;
  const uuid = text(given.uuid);
  const message = fields(given.message);
  if (given.claude_code_version !== undefined || given.tool_use_result !== undefined) return 0;
  if (text(given.qwen_code_version) !== undefined) return 2;
  if (text(given.session_id) !== undefined && uuid !== undefined) {
    if (fields(given.event)?.type === "goal_state") return 2;
    if (given.type === "assistant") return message?.id === uuid ? 2 : 0;
    return ["user", "system", "result", "stream_event"].includes(text(given.type) ?? "") ? 1 : 0;
  }
  if (text(given.sessionId) === undefined) return 0;
  if (uuid !== undefined && list(message?.parts)) return 2;
  if (uuid !== undefined && given.type === "system" && fields(given.systemPayload)) return 2;
  return uuid === undefined && list(given.todos) ? 1 : 0;
}
