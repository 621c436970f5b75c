import { planSummary } from "../../../core/plan/steps.ts";
import type { StreamBody } from "../../../core/stream/events.ts";
import { type Fields, fields, text } from "../values.ts";
import { callIdOf, type HookEvent } from "./events.ts";

/** Calls of these tools ask the user to approve a plan. */
const PLAN_TOOLS: ReadonlySet<string> = new Set(["ExitPlanMode", "exit_plan_mode"]);

/*
 * Requests are rare and urgent, so they are recorded immediately and bypass the spool.
 */

/** The agent shows a permission dialog, a question or a plan for a call. */
export const PERMISSION_REQUESTED: HookEvent = {
  timing: "always",
  request: true,
  observe: (input) => [requestOf(input)],
};

function requestOf(input: Fields): StreamBody {
  const tool = text(input.tool_name);
  const callId = callIdOf(input);
  const plan = tool !== undefined && PLAN_TOOLS.has(tool);
  const given = fields(input.tool_input);
  return {
    type: "input.requested",
    kind: plan ? "plan" : "permission",
    ...(plan && { text: planSummary(text(given?.plan) ?? "") }),
    ...(tool !== undefined && { tool }),
    ...(callId !== undefined && { callId }),
    ...(given && { input: given }),
  };
}

/** The user answered the dialog. */
export const PERMISSION_ANSWERED: HookEvent = {
  timing: "always",
  request: true,
  observe: () => [{ type: "input.resolved" }],
};

/** Messages of Claude Code and Qwen Code versions that send no notification type. */
const IS_IDLE = /waiting for your input/i;
const IS_PERMISSION = /needs? your (?:permission|approval)/i;
const TOOL_IN_MESSAGE = /permission to use (\S+)/i;

/**
 * A notification of Claude Code or Qwen Code: a dialog has been open for a while, or the agent waits for the next
 * prompt.
 */
export const NOTIFICATION: HookEvent = {
  timing: "always",
  request: true,
  observe: (input) => {
    const message = text(input.message) ?? "";
    switch (text(input.notification_type) ?? typeOf(message)) {
      case "idle_prompt":
        return [{ type: "turn.idle" }];
      case "permission_prompt": {
        const tool = TOOL_IN_MESSAGE.exec(message)?.[1];
        return [
          { type: "input.requested", kind: "permission", ...(tool !== undefined && { tool }) },
        ];
      }
      case "elicitation_dialog":
        return [{ type: "input.requested", kind: "question", text: message }];
      default:
        return [];
    }
  },
};

function typeOf(message: string): string | undefined {
  if (IS_IDLE.test(message)) return "idle_prompt";
  return IS_PERMISSION.test(message) ? "permission_prompt" : undefined;
}

/** A notification of Gemini CLI: a dialog opened for the call that was announced before. */
export const TOOL_PERMISSION: HookEvent = {
  timing: "always",
  request: true,
  observe: (input) => {
    if (text(input.notification_type) !== "ToolPermission") return [];
    const details = fields(input.details) ?? {};
    // The text of a question is in the call, not in the notification.
    if (details.type === "ask_user") return [{ type: "input.requested", kind: "question" }];
    const request =
      text(details.command) ??
      text(details.filePath) ??
      text(details.fileName) ??
      text(details.toolName) ??
      text(details.title) ??
      text(input.message);
    const kind = details.type === "exit_plan_mode" ? "plan" : "permission";
    return [{ type: "input.requested", kind, ...(request !== undefined && { text: request }) }];
  },
};
