import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type Ended,
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
import { wholeList } from "../common/hooks/lists.ts";
import { PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, list, text } from "../common/values.ts";
import { planOf } from "./plan.ts";

/** The hook gets what a command printed but no exit code: only a runner's summary tells the result. */
function endedOf(input: Fields): Ended {
  return { output: responseText(input.tool_response) };
}

export const hooks: AgentHooks = {
  tool: () => "mcp__waymark__todos",
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
  lists: {
    update_plan: wholeList({ text: ["step"] }, (input) => {
      const said = text(input.tool_response) ?? "";
      return said === "Plan updated" ? list(planOf(input.tool_input)?.plan) : { refused: said };
    }),
  },
};
