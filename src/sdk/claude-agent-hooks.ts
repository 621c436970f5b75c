import { CLAUDE_EVENTS } from "../agents/claude-code/hook-events.ts";
import type { HookEvent } from "../agents/common/hooks/events.ts";
import type { Observed } from "../core/activity/observation.ts";
import type { SessionTracker } from "./session.ts";

/** What a hook is called with, as far as it is looked at. */
export interface ClaudeHookInput {
  readonly hook_event_name: string;
  readonly cwd?: string;
  readonly source?: string;
  readonly prompt?: string;
  readonly permission_mode?: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_use_id?: string;
  readonly tool_response?: unknown;
  readonly error?: string;
  readonly last_assistant_message?: string;
  readonly reason?: string;
  /** Of a subagent: its work is not this list's. */
  readonly agent_id?: string;
}

/** Events whose answer can tell the model something. */
const TELLING = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"] as const;
const EVENTS = [...TELLING, "PreToolUse", "Stop", "SessionEnd"] as const;

/** What a hook returns. */
export interface ClaudeHookAnswer {
  decision?: "block";
  reason?: string;
  hookSpecificOutput?: { hookEventName: (typeof TELLING)[number]; additionalContext: string };
}

/** Hooks for the options of `query`. */
export type ClaudeHooks = Record<
  (typeof EVENTS)[number],
  { hooks: ((input: ClaudeHookInput) => Promise<ClaudeHookAnswer>)[] }[]
>;

/**
 * Hooks that record what Claude Code does and remind the model of its list.
 *
 * @param tracker what `createTracker` returns
 * @returns `hooks` for the options of `query`
 */
export function claudeAgentHooks(
  tracker: SessionTracker,
  { tool = "mcp__waymark__todos" }: { readonly tool?: string } = {},
): ClaudeHooks {
  const hook = async (input: ClaudeHookInput): Promise<ClaudeHookAnswer> => {
    const event = EVENTS.find((name) => name === input.hook_event_name);
    if (input.agent_id !== undefined || !event) return {};
    const told: HookEvent = CLAUDE_EVENTS[event];
    const options = { via: "claude-agent", tool };
    if (input.tool_name === tool) {
      // The writes of our own tool are recorded where they are made.
      if (event === "PostToolUseFailure") await tracker.observe([refusedCall(input)], options);
      return {};
    }
    const moment = told.moment?.({ ...input });
    const { reminder } = await tracker.observe(told.observe({ ...input }), {
      ...options,
      ...(moment && { moment }),
    });
    return reminder ? ((told.answer?.(reminder.text) ?? {}) as ClaudeHookAnswer) : {};
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) as ClaudeHooks;
}

function refusedCall({ error = "" }: ClaudeHookInput): Observed {
  return { type: "warning", code: "list_rejected", message: error };
}
