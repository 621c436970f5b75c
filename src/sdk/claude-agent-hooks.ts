import { CLAUDE_EVENTS } from "../agents/claude-code/hook-events.ts";
import type { HookEvent } from "../agents/common/hooks/events.ts";
import type { ObservedEvent } from "../core/activity/observation.ts";
import type { SessionTracker } from "./session.ts";

/** The input of a hook, with the fields that are read. */
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
  /** Set for subagents, which do not work on this list. */
  readonly agent_id?: string;
}

/** Events whose answer can contain text for the model. */
const WITH_CONTEXT = [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
] as const;
const EVENTS = [...WITH_CONTEXT, "PreToolUse", "Stop", "SessionEnd"] as const;

/** The answer of a hook. */
export interface ClaudeHookAnswer {
  decision?: "block";
  reason?: string;
  hookSpecificOutput?: { hookEventName: (typeof WITH_CONTEXT)[number]; additionalContext: string };
}

/** Hooks for the options of `query`. */
export type ClaudeHooks = Record<
  (typeof EVENTS)[number],
  { hooks: ((input: ClaudeHookInput) => Promise<ClaudeHookAnswer>)[] }[]
>;

/**
 * Creates hooks that record the activity of Claude Code and remind the model of its list.
 *
 * @param tracker the tracker, from `createTracker`
 * @returns `hooks` for the options of `query`
 */
export function claudeAgentHooks(
  tracker: SessionTracker,
  { tool = "mcp__waymark__todos" }: { readonly tool?: string } = {},
): ClaudeHooks {
  const hook = async (input: ClaudeHookInput): Promise<ClaudeHookAnswer> => {
    const event = EVENTS.find((name) => name === input.hook_event_name);
    if (input.agent_id !== undefined || !event) return {};
    const definition: HookEvent = CLAUDE_EVENTS[event];
    const options = { via: "claude-agent", tool };
    if (input.tool_name === tool) {
      // Waymark's tool records its own writes.
      if (event === "PostToolUseFailure") await tracker.observe([refusedCall(input)], options);
      return {};
    }
    const moment = definition.moment?.({ ...input });
    const { reminder } = await tracker.observe(definition.observe({ ...input }), {
      ...options,
      ...(moment && { moment }),
    });
    return reminder ? ((definition.answer?.(reminder.text) ?? {}) as ClaudeHookAnswer) : {};
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) as ClaudeHooks;
}

function refusedCall({ error = "" }: ClaudeHookInput): ObservedEvent {
  return { type: "warning", code: "list_rejected", message: error };
}
