import type { Decoder, Emit } from "../agent.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { readDocument } from "./documents.ts";
import { locations } from "./files.ts";
import { identity } from "./identity.ts";
import { type ClaudeState, pendingNeedles, startState } from "./state.ts";
import { readStream } from "./stream.ts";
import { inheritTasks } from "./tasks.ts";
import { readTranscript, readTranscriptUsage } from "./transcript.ts";
import { USAGE_FIELDS } from "./usage.ts";

export const claudeCode: Decoder<ClaudeState> = {
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
    // Every prompt repeats the mode, but few are in plan mode. `pendingNeedles` finds the end of plan mode.
    ['"plan"', '"permissionMode"'],
    '"plan_mode',
    // A plan that is written to its file before it is proposed.
    ['"Write"', "plans"],
  ],
  pendingNeedles,
  usage: {
    needle: '"output_tokens"',
    fields: USAGE_FIELDS,
    read: readTranscriptUsage,
  },
  score,
  start: startState,
  read,
  inherit: inheritTasks,
  locations: locations,
  listSetting: {
    since: "2.1.325",
    why: "its default model gets neither TodoWrite nor the Task tools",
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

/** Line types that only Claude Code writes. */
const OWN_LINES = new Set([
  "queue-operation",
  "file-history-snapshot",
  "permission-mode",
  "last-prompt",
]);

function score(record: unknown): 0 | 1 | 2 {
  const first = fields(list(record)?.[0]);
  if (first) return text(first.content) && text(first.activeForm) && text(first.status) ? 1 : 0;
  const given = fields(record);
  if (!given || given.hook_event_name !== undefined) return 0;
  const type = text(given.type) ?? "";
  if (OWN_LINES.has(type)) return 2;
  if (given.sessionId !== undefined) return scoreTranscript(given);
  if (given.session_id !== undefined) return scoreStream(given, type);
  if (type === "summary") return text(given.leafUuid) ? 1 : 0;
  return list(given.blockedBy) && list(given.blocks) && text(given.subject) ? 1 : 0;
}

function scoreTranscript(given: Fields): 0 | 1 | 2 {
  if (typeof given.isSidechain !== "boolean") return 0;
  return given.userType === undefined ? 1 : 2;
}

/** Qwen Code and Cursor write the same envelopes, but without the version and structured results. */
function scoreStream(given: Fields, type: string): 0 | 1 | 2 {
  if (given.claude_code_version !== undefined) return 2;
  if (given.qwen_code_version !== undefined) return 0;
  if (!["assistant", "user", "result", "system", "stream_event"].includes(type)) return 0;
  return given.tool_use_result === undefined ? 1 : 2;
}
