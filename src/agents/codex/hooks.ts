import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
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
import { PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, list, text } from "../common/values.ts";
import { planOf } from "./plan.ts";

/** The hook gets the output of a command but no exit code. Only the summary of a test runner shows the result. */
function endedOf(input: Fields): CallResult {
  return { output: responseText(input.tool_response) };
}

export const hooks: AgentHooks = {
  waymarkTool: () => "mcp__waymark__todos",
  nativeTool: () => "update_plan",
  defersTools: true,
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_GATE,
    PostToolUse: toolEnded("PostToolUse", endedOf),
    PermissionRequest: PERMISSION_REQUESTED,
    Stop: stopped((input) => input.last_assistant_message, "block"),
    SubagentStart: IGNORED,
    SubagentStop: subagentStopped((input) => input.last_assistant_message, "block"),
    PreCompact: IGNORED,
    PostCompact: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  editTools: ["apply_patch"],
  listTools: {
    update_plan: fullList({ text: ["step"] }, (input) => {
      const response = text(input.tool_response) ?? "";
      return response === "Plan updated"
        ? list(planOf(input.tool_input)?.plan)
        : { refused: response };
    }),
  },
};
