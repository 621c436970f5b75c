import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type Ended,
  IGNORED,
  promptSubmitted,
  responseText,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_STARTED,
  toolEnded,
} from "../common/hooks/events.ts";
import { wholeList } from "../common/hooks/lists.ts";
import { TOOL_PERMISSION } from "../common/hooks/requests.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { shellCodeOf } from "./calls.ts";

function endedOf(input: Fields): Ended {
  const response = fields(input.tool_response);
  const failed = response?.error !== undefined;
  const isCommand = text(input.tool_name) === "run_shell_command";
  const exitCode = isCommand && !failed ? shellCodeOf(text(response?.llmContent) ?? "") : undefined;
  return { failed, output: responseText(input.tool_response), exitCode };
}

export const hooks: AgentHooks = {
  tool: () => "mcp_waymark_todos",
  nativeTool: () => "write_todos",
  events: {
    SessionStart: sessionStart("SessionStart"),
    BeforeAgent: promptSubmitted("BeforeAgent"),
    BeforeTool: { ...TOOL_STARTED, deny: (reason) => ({ decision: "deny", reason }) },
    AfterTool: toolEnded("AfterTool", endedOf),
    Notification: TOOL_PERMISSION,
    AfterAgent: stopped((input) => input.prompt_response, "deny"),
    // Called before every request to the model, shortened or not.
    PreCompress: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  subagentTools: ["invoke_agent"],
  lists: {
    write_todos: wholeList({ text: ["description", "content"] }, (input) => {
      const response = fields(input.tool_response);
      if (response?.error !== undefined) return { refused: responseText(response) ?? "" };
      return list(fields(response?.returnDisplay)?.todos) ?? list(fields(input.tool_input)?.todos);
    }),
  },
};
