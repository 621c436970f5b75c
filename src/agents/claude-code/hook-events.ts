import {
  type Ended,
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
import { NOTIFIED, PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, fields, text } from "../common/values.ts";

/** Calls that failed have an event of their own, so a command that comes here ended with 0. */
function endedOf(input: Fields): Ended {
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

/** What the events of Claude Code tell, whether a command hears of them or a function of its SDK. */
export const CLAUDE_EVENTS = {
  SessionStart: sessionStart("SessionStart"),
  UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
  PreToolUse: TOOL_GATE,
  PostToolUse: toolEnded("PostToolUse", endedOf),
  PostToolUseFailure: toolEnded("PostToolUseFailure", errorOf),
  PermissionRequest: PERMISSION_REQUESTED,
  Notification: NOTIFIED,
  Stop: stopped((input) => input.last_assistant_message, "block"),
  SubagentStop: subagentStopped((input) => input.last_assistant_message, "block"),
  // What was shortened is told by SessionStart, which may answer; these may not.
  PreCompact: IGNORED,
  PostCompact: IGNORED,
  TaskCreated: IGNORED,
  TaskCompleted: IGNORED,
  SessionEnd: SESSION_ENDED,
} as const satisfies Readonly<Record<string, HookEvent>>;
