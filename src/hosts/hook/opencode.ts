import { type Fields, fields, list, number } from "../../dialects/values.ts";
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

function endedOf(input: Fields): Ended {
  const exitCode = number(fields(fields(input.tool_response)?.metadata)?.exit);
  return { output: responseText(input.tool_response), exitCode };
}

/** Its events come from the plugin that set-up writes, in the form that Claude Code has. */
export const opencode: HookAgent = {
  name: "opencode",
  agentType: "opencode",
  tool: () => "waymark_todos",
  nativeTool: "todowrite",
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_STARTED,
    PostToolUse: toolEnded("PostToolUse", endedOf),
    Stop: stopped(() => undefined, "block"),
    PreCompact: IGNORED,
    PostCompact: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  lists: {
    todowrite: wholeList(
      { text: ["content"], priority: ["priority"], id: ["id"] },
      (input) =>
        list(fields(fields(input.tool_response)?.metadata)?.todos) ??
        list(fields(input.tool_input)?.todos),
    ),
  },
};
