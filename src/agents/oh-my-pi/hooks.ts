import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  promptSubmitted,
  SESSION_ENDED,
  sessionStart,
  stopped,
  subagentStopped,
  TOOL_GATE,
  toolEnded,
  unanswered,
} from "../common/hooks/events.ts";
import type { ListReading } from "../common/hooks/lists.ts";
import { PERMISSION_ANSWERED, PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, fields, list, number, outputText } from "../common/values.ts";
import { phaseItems } from "./todo.ts";

function endedOf(input: Fields): CallResult {
  const response = fields(input.tool_response);
  return {
    failed: response?.isError === true,
    output: outputText(response?.content),
    exitCode: number(fields(response?.details)?.exitCode),
  };
}

/** A refused call carries the unchanged list. */
function listOf(input: Fields): ListReading {
  const { failed, output = "the write failed" } = endedOf(input);
  if (failed) return { refused: output };
  const phases = list(fields(fields(input.tool_response)?.details)?.phases);
  return phases && { items: phaseItems(phases, () => {}) };
}

/** The extension that setup writes sends events in Claude Code's format. */
export const hooks: AgentHooks = {
  waymarkTool: () => "mcp__waymark_todos",
  nativeTool: () => "todo",
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_GATE,
    PostToolUse: toolEnded("PostToolUse", endedOf),
    PermissionRequest: PERMISSION_REQUESTED,
    PermissionResult: PERMISSION_ANSWERED,
    Stop: stopped((input) => input.last_assistant_message, "block"),
    SubagentStop: unanswered(subagentStopped(() => undefined, "block")),
    SessionEnd: SESSION_ENDED,
  },
  editTools: ["edit", "write", "ast_edit"],
  listTools: { todo: { full: listOf } },
};
