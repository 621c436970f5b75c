import type { Fields } from "../../dialects/values.ts";
import { fields, text } from "../../dialects/values.ts";
import type { HookAgent } from "./agent.ts";
import { claudeTasks, claudeTodos } from "./claude-lists.ts";
import {
  type Ended,
  errorOf,
  IGNORED,
  promptSubmitted,
  responseText,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_STARTED,
  toolEnded,
} from "./events.ts";

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

export const claude: HookAgent = {
  name: "claude",
  agentType: "claude-code",
  tool: ({ CLAUDE_PLUGIN_ROOT }) =>
    CLAUDE_PLUGIN_ROOT ? "mcp__plugin_waymark_waymark__todos" : "mcp__waymark__todos",
  nativeTool: "TaskCreate and TaskUpdate",
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_STARTED,
    PostToolUse: toolEnded("PostToolUse", endedOf),
    PostToolUseFailure: toolEnded("PostToolUseFailure", errorOf),
    Stop: stopped((input) => input.last_assistant_message, "block"),
    SubagentStop: stopped((input) => input.last_assistant_message, "block"),
    // What was shortened is told by SessionStart, which may answer; these may not.
    PreCompact: IGNORED,
    PostCompact: IGNORED,
    TaskCreated: IGNORED,
    TaskCompleted: IGNORED,
    SessionEnd: SESSION_ENDED,
  },
  lists: {
    TodoWrite: claudeTodos,
    TaskCreate: claudeTasks,
    TaskUpdate: claudeTasks,
    TaskList: claudeTasks,
    TaskGet: claudeTasks,
  },
};
