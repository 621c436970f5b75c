import type { Dialect, Emit } from "../agent.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { readDocument } from "./documents.ts";
import { places } from "./files.ts";
import { identity } from "./identity.ts";
import { type ClaudeState, startState, wanted } from "./state.ts";
import { readStream } from "./stream.ts";
import { inheritTasks } from "./tasks.ts";
import { readTranscript } from "./transcript.ts";

export const claudeCode: Dialect<ClaudeState> = {
  ...identity,
  needles: [
    '"TodoWrite"',
    '"TaskCreate"',
    '"TaskUpdate"',
    '"TaskList"',
    '"TaskGet"',
    'PlanMode"',
    "waymark__",
    'todo_reminder"',
    'task_reminder"',
    // Every prompt repeats the mode, few say this; that planning is over is waited for.
    ['"plan"', '"permissionMode"'],
    '"plan_mode',
    // A plan that is written to its file before it is proposed.
    ['"Write"', "plans"],
  ],
  wanted,
  sniff,
  start: startState,
  read,
  inherit: inheritTasks,
  places,
  listSetting: {
    since: "2.1.325",
    why: "its default model is given neither TodoWrite nor the Task tools",
    setting:
      "CLAUDE_CODE_ENABLE_TODO_TOOLS=1 in its environment; with CLAUDE_CODE_ENABLE_TASKS=0 as well, TodoWrite",
  },
};

function read(state: ClaudeState, record: unknown, emit: Emit): void {
  if (state.kind === "document") {
    readDocument(state, record, emit);
    return;
  }
  const given = fields(record);
  if (!given) return;
  if (given.sessionId !== undefined) readTranscript(state, given, emit);
  else if (given.session_id !== undefined) readStream(state, given, emit);
}

/** Lines that only this program writes into its session files. */
const OWN_LINES = new Set([
  "queue-operation",
  "file-history-snapshot",
  "permission-mode",
  "last-prompt",
]);

function sniff(record: unknown): 0 | 1 | 2 {
  const first = fields(list(record)?.[0]);
  if (first) return text(first.content) && text(first.activeForm) && text(first.status) ? 1 : 0;
  const given = fields(record);
  if (!given || given.hook_event_name !== undefined) return 0;
  const type = text(given.type) ?? "";
  if (OWN_LINES.has(type)) return 2;
  if (given.sessionId !== undefined) return sniffTranscript(given);
  if (given.session_id !== undefined) return sniffStream(given, type);
  if (type === "summary") return text(given.leafUuid) ? 1 : 0;
  return list(given.blockedBy) && list(given.blocks) && text(given.subject) ? 1 : 0;
}

function sniffTranscript(given: Fields): 0 | 1 | 2 {
  if (typeof given.isSidechain !== "boolean") return 0;
  return given.userType === undefined ? 1 : 2;
}

/** Qwen and Cursor write the same envelopes, without the version and without data of results. */
function sniffStream(given: Fields, type: string): 0 | 1 | 2 {
  if (given.claude_code_version !== undefined) return 2;
  if (given.qwen_code_version !== undefined) return 0;
  if (!["assistant", "user", "result", "system", "stream_event"].includes(type)) return 0;
  return given.tool_use_result === undefined ? 1 : 2;
}
