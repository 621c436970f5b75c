import type { Decoder, Emit } from "../agent.ts";
import { hashOf } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { WAYMARK_NEEDLES } from "../common/waymark-tool.ts";
import { pendingNeedles } from "./calls.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { enterSession, type QwenState, startState } from "./state.ts";
import { readStream } from "./stream.ts";
import { emitEntries } from "./todo-write.ts";
import { readTranscript } from "./transcript.ts";
import { readUsage, USAGE_FIELDS } from "./usage.ts";

export const qwen: Decoder<QwenState> = {
  ...identity,
  needles: ['"todo_write"', '"agent"', '_plan_mode"', ...WAYMARK_NEEDLES],
  pendingNeedles,
  usage: { needle: '"usageMetadata"', fields: USAGE_FIELDS, read: readUsage },
  score,
  start: startState,
  read,
  locations: locations,
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

/** Reads the last saved list of the session, written by any of its agents. */
function readTodoFile(state: QwenState, file: Fields, emit: Emit): void {
  enterSession(state, text(file.sessionId));
  const todos = list(file.todos) ?? [];
  const hash = hashOf(todos);
  if (hash === state.listHash) return;
  state.listHash = hash;
  state.listCount++;
  emitEntries(state, todos, { key: `file-${state.listCount}-${hash}` }, emit);
}

/** The stream of Claude Code has the same format, but there the ids of messages differ from the uuids of lines. */
function score(record: unknown): 0 | 1 | 2 {
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
