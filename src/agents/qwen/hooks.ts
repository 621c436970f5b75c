import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  errorOf,
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
import { fullList } from "../common/hooks/lists.ts";
import { NOTIFICATION, PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, fields, list, number, shellExitCode, text } from "../common/values.ts";

/** The result has the exit code. Older versions have no separate event for failed calls. */
function endedOf(input: Fields): CallResult {
  const response = fields(input.tool_response);
  const failed = response?.error !== undefined && response.error !== null;
  const content = text(response?.llmContent) ?? "";
  const exitCode =
    text(input.tool_name) === "run_shell_command" && !failed
      ? (number(fields(response?.returnDisplay)?.exitCode) ?? shellExitCode(content))
      : undefined;
  return { failed, output: responseText(input.tool_response), exitCode };
}

export const hooks: AgentHooks = {
  waymarkTool: () => "mcp__waymark__todos",
  nativeTool: () => "todo_write",
  defersTools: true,
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_GATE,
    PostToolUse: toolEnded("PostToolUse", endedOf),
    PostToolUseFailure: toolEnded("PostToolUseFailure", errorOf),
    PermissionRequest: PERMISSION_REQUESTED,
    Notification: NOTIFICATION,
    Stop: stopped((input) => input.last_assistant_message, "block"),
    SubagentStop: subagentStopped((input) => input.last_assistant_message, "block"),
    PreCompact: IGNORED,
    PostCompact: IGNORED,
    TodoCreated: IGNORED,
    TodoCompleted: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  subagentTools: ["agent", "task"],
  editTools: ["edit", "write_file", "notebook_edit"],
  listTools: {
    todo_write: fullList(
      { text: ["content"], id: ["id"], priority: ["priority"], blockedBy: ["blockedBy"] },
      (input) => {
        const shown = fields(fields(input.tool_response)?.returnDisplay);
        const todos = shown?.type === "todo_list" ? list(shown.todos) : undefined;
        return todos ?? list(fields(input.tool_input)?.todos);
      },
    ),
  },
};
