import { type Fields, fields, lastExitCode, list, text } from "../../dialects/values.ts";
import type { HookAgent } from "./agent.ts";
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
} from "./events.ts";
import { wholeList } from "./lists.ts";

/** Only a code that is not zero is written down, after what the command itself printed. */
function endedOf(input: Fields): Ended {
  const output = responseText(input.tool_response);
  const failed = fields(input.tool_response)?.error !== undefined;
  const isCommand = text(input.tool_name) === "run_shell_command";
  const said = text(fields(input.tool_response)?.llmContent) ?? "";
  const code =
    lastExitCode(said) ??
    (/^Output: /m.test(said) && !/^(?:Error|Signal): /m.test(said) ? 0 : undefined);
  return { failed, output, ...(isCommand && !failed && code !== undefined && { exitCode: code }) };
}

export const gemini: HookAgent = {
  name: "gemini",
  agentType: "gemini",
  tool: () => "mcp_waymark_todos",
  nativeTool: "write_todos",
  events: {
    SessionStart: sessionStart("SessionStart"),
    BeforeAgent: promptSubmitted("BeforeAgent"),
    BeforeTool: TOOL_STARTED,
    AfterTool: toolEnded("AfterTool", endedOf),
    AfterAgent: stopped((input) => input.prompt_response, "deny"),
    // Called before every request to the model, shortened or not.
    PreCompress: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  lists: {
    write_todos: wholeList({ text: ["description", "content"] }, (input) => {
      const response = fields(input.tool_response);
      if (response?.error !== undefined) return { refused: responseText(response) ?? "" };
      return list(fields(response?.returnDisplay)?.todos) ?? list(fields(input.tool_input)?.todos);
    }),
  },
};
