import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  IGNORED,
  promptSubmitted,
  responseText,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_STARTED,
  toolEnded,
} from "../common/hooks/events.ts";
import { fullList } from "../common/hooks/lists.ts";
import { TOOL_PERMISSION } from "../common/hooks/requests.ts";
import { type Fields, fields, list, text } from "../common/values.ts";
import { shellCodeOf } from "./exit-code.ts";

function endedOf(input: Fields): CallResult {
  const response = fields(input.tool_response);
  const failed = response?.error !== undefined;
  const isCommand = text(input.tool_name) === "run_shell_command";
  const exitCode = isCommand && !failed ? shellCodeOf(text(response?.llmContent) ?? "") : undefined;
  return { failed, output: responseText(input.tool_response), exitCode };
}

export const hooks: AgentHooks = {
  waymarkTool: () => "mcp_waymark_todos",
  nativeTool: () => "write_todos",
  events: {
    SessionStart: sessionStart("SessionStart"),
    BeforeAgent: promptSubmitted("BeforeAgent"),
    BeforeTool: { ...TOOL_STARTED, deny: (reason) => ({ decision: "deny", reason }) },
    AfterTool: toolEnded("AfterTool", endedOf),
    Notification: TOOL_PERMISSION,
    AfterAgent: stopped((input) => input.prompt_response, "deny"),
    // Fires before every model request, whether or not it compresses.
    PreCompress: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  subagentTools: ["invoke_agent"],
  editTools: ["replace", "write_file"],
  listTools: {
    write_todos: fullList({ text: ["description", "content"] }, (input) => {
      const response = fields(input.tool_response);
      if (response?.error !== undefined) return { refused: responseText(response) ?? "" };
      return list(fields(response?.returnDisplay)?.todos) ?? list(fields(input.tool_input)?.todos);
    }),
  },
};
