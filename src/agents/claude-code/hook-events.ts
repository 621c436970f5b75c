import {
  type CallResult,
  errorOf,
  type HookEvent,
  IGNORED,
  promptSubmitted,
  responseText,
  SESSION_ENDED,
  sessionStart,
  stopped,
  subagentStopped,
  TOOL_GATE,
  toolEnded,
} from "../common/hooks/events.ts";
import { NOTIFICATION, PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, fields, text } from "../common/values.ts";

/** Failed calls have a separate event, so a command in this event exited with 0. */
function endedOf(input: Fields): CallResult {
  const { interrupted } = fields(input.tool_response) ?? {};
  const isCommand = text(input.tool_name) === "Bash";
  return {
    output: responseText(input.tool_response),
    ...(interrupted === true && { failed: true }),
    ...(isCommand &&
      interrupted !== true &&
      (isBackground(input) ? { unsure: true } : { exitCode: 0 })),
  };
}

function isBackground(input: Fields): boolean {
  return (
    fields(input.tool_input)?.run_in_background === true ||
    text(fields(input.tool_response)?.backgroundTaskId) !== undefined
  );
}

/** The hook events of Claude Code, for hook commands and for hooks of the Claude Agent SDK. */
export const CLAUDE_EVENTS = {
  SessionStart: sessionStart("SessionStart"),
  UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
  PreToolUse: TOOL_GATE,
  PostToolUse: toolEnded("PostToolUse", endedOf),
  PostToolUseFailure: toolEnded("PostToolUseFailure", errorOf),
  PermissionRequest: PERMISSION_REQUESTED,
  Notification: NOTIFICATION,
  Stop: stopped((input) => input.last_assistant_message, "block"),
  SubagentStop: subagentStopped((input) => input.last_assistant_message, "block"),
  // SessionStart reports the compaction and can be answered; these cannot.
  PreCompact: IGNORED,
  PostCompact: IGNORED,
  TaskCreated: IGNORED,
  TaskCompleted: IGNORED,
  SessionEnd: SESSION_ENDED,
} as const satisfies Readonly<Record<string, HookEvent>>;
