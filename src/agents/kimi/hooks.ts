import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  IGNORED,
  promptSubmitted,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_GATE,
  toolEnded,
  unanswered,
} from "../common/hooks/events.ts";
import { fullList } from "../common/hooks/lists.ts";
import { PERMISSION_ANSWERED, PERMISSION_REQUESTED } from "../common/hooks/requests.ts";
import { type Fields, fields, list, shellExitCode, text } from "../common/values.ts";

function failureOf(input: Fields): CallResult {
  const output = text(fields(input.error)?.message);
  const exitCode = input.tool_name === "Bash" ? shellExitCode(output ?? "") : undefined;
  return { failed: true, output, exitCode };
}

export const hooks: AgentHooks = {
  waymarkTool: () => "mcp__waymark__todos",
  nativeTool: () => "TodoList",
  events: {
    SessionStart: unanswered(sessionStart("SessionStart")),
    UserPromptSubmit: {
      ...promptSubmitted("UserPromptSubmit"),
      answer: (message) => ({ message }),
    },
    PreToolUse: TOOL_GATE,
    PostToolUse: unanswered(
      toolEnded("PostToolUse", ({ tool_output }) => ({ output: text(tool_output) })),
    ),
    PostToolUseFailure: unanswered(toolEnded("PostToolUseFailure", failureOf)),
    PermissionRequest: PERMISSION_REQUESTED,
    PermissionResult: PERMISSION_ANSWERED,
    // A denied stop becomes a message of the user; once in a turn.
    Stop: {
      ...stopped(() => undefined, "deny"),
      answer: (permissionDecisionReason) => ({
        hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason },
      }),
    },
    PreCompact: IGNORED,
    PostCompact: { timing: "always", observe: () => [{ type: "session.compacted" }] },
    SessionEnd: SESSION_ENDED,
  },
  subagentTools: ["Agent"],
  subagentsStop: true,
  editTools: ["Edit", "Write"],
  listTools: {
    TodoList: fullList({ text: ["title"] }, (input) => {
      const refused = text(fields(input.error)?.message);
      if (refused !== undefined) return { refused };
      // Without todos, the call reads the list.
      return list(fields(input.tool_input)?.todos);
    }),
  },
};
