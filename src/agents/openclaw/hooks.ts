import type { AgentHooks } from "../common/hooks/agent.ts";
import {
  type CallResult,
  promptSubmitted,
  SESSION_ENDED,
  sessionStart,
  stopped,
  TOOL_GATE,
  toolEnded,
  unanswered,
} from "../common/hooks/events.ts";
import type { ListReading } from "../common/hooks/lists.ts";
import { type Fields, fields, items, list, number, outputText, text } from "../common/values.ts";
import { STEP } from "./lists.ts";

function endedOf(input: Fields): CallResult {
  const response = fields(input.tool_response);
  const details = fields(response?.details);
  const error =
    text(input.error) ?? (details?.status === "error" ? text(details.error) : undefined);
  return {
    failed: error !== undefined,
    output: outputText(response?.content) ?? error,
    exitCode: number(details?.exitCode),
  };
}

/** The result has the number of steps only; the call has the whole list. */
function cardOf(input: Fields): ListReading {
  const { failed, output = "the write failed" } = endedOf(input);
  if (failed) return { refused: output };
  const plan = list(fields(input.tool_input)?.plan) ?? [];
  return { items: items(plan, STEP, () => {}) };
}

/**
 * The plugin that setup writes sends events in Claude Code's format. Only answers to prompts reach the model: results are
 * final when they are reported, and OpenClaw does not continue a turn that had side effects.
 */
export const hooks: AgentHooks = {
  waymarkTool: () => "waymark__todos",
  nativeTool: () => "progress_card",
  defersTools: true,
  events: {
    SessionStart: sessionStart("SessionStart"),
    UserPromptSubmit: promptSubmitted("UserPromptSubmit"),
    PreToolUse: TOOL_GATE,
    PostToolUse: unanswered(toolEnded("PostToolUse", endedOf)),
    Stop: unanswered(stopped((input) => input.last_assistant_message, "block")),
    SessionEnd: SESSION_ENDED,
  },
  editTools: ["edit", "write", "apply_patch"],
  listTools: { progress_card: { full: cardOf } },
};
