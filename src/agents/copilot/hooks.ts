import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  errorOf,
  type HookEvent,
  plainContext,
  promptSubmitted,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_GATE,
  toolEnded,
} from "../common/hooks/events.ts";
import { type Fields, fields, outputText, text } from "../common/values.ts";
import { listAfterQuery } from "./hook-list.ts";

const EXIT = /<shellId: \S+ completed with exit code (\d{1,9})>\s*$/;

function endedOf(input: Fields): CallResult {
  const result = fields(input.tool_result);
  const output = text(result?.text_result_for_llm);
  const isCommand = input.tool_name === "Bash" || input.tool_name === "bash";
  const code = isCommand ? EXIT.exec(output ?? "")?.[1] : undefined;
  return {
    failed: text(result?.result_type) === "failure",
    output: outputText(output),
    ...(code !== undefined && { exitCode: Number(code) }),
  };
}

/** Only dialogs are announced this way. The event for permissions also fires for calls that need none. */
const NOTIFICATION: HookEvent = {
  timing: "always",
  request: true,
  observe: (input) => {
    const type = text(input.notification_type);
    const shown = text(input.message);
    if (type === "elicitation_dialog") return [{ type: "input.requested", kind: "question" }];
    if (type !== "permission_prompt") return [];
    return [
      {
        type: "input.requested",
        kind: "permission",
        ...(shown !== undefined && { text: shown.replace(/^Run command: /, "") }),
      },
    ];
  },
};

const STOP = stopped(() => undefined, "block");

/**
 * Event names in this spelling have the input format of Claude Code. A subagent has a session id of its own; an answer to
 * its last event does not reach it.
 */
export const hooks: AgentHooks = {
  waymarkTool: () => "waymark-todos",
  nativeTool: () => "sql",
  events: {
    SessionStart: { ...sessionStart("SessionStart"), answer: plainContext },
    UserPromptSubmit: { ...promptSubmitted("UserPromptSubmit"), answer: plainContext },
    PreToolUse: TOOL_GATE,
    PostToolUse: { ...toolEnded("PostToolUse", endedOf), answer: plainContext },
    PostToolUseFailure: { ...toolEnded("PostToolUseFailure", errorOf), answer: plainContext },
    Notification: NOTIFICATION,
    Stop: {
      ...STOP,
      moment: (input) => (text(input.agent_id) === undefined ? "stop" : undefined),
    },
    SessionEnd: SESSION_ENDED,
  },
  editTools: ["Edit", "Write", "edit", "create"],
  listTools: {
    sql: {
      partial: (input, { todos }) => {
        const query = text(fields(input.tool_input)?.query) ?? "";
        const error = text(input.error);
        const result = text(fields(input.tool_result)?.text_result_for_llm) ?? "";
        return listAfterQuery(todos, query, {
          failed: error !== undefined,
          output: error ?? result,
        });
      },
    },
  },
};
