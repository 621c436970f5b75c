import type { Moment } from "../../core/model.ts";
import type { Observed } from "../../core/observation.ts";
import { textOf } from "./content.ts";
import { outputOf, type SessionTracker } from "./session.ts";

/** What a hook is called with, as far as it is looked at. */
export interface ClaudeHookInput {
  readonly hook_event_name: string;
  readonly cwd?: string;
  readonly source?: string;
  readonly prompt?: string;
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

export interface ClaudeHookAnswer {
  decision?: "block";
  reason?: string;
  hookSpecificOutput?: { hookEventName: (typeof TELLING)[number]; additionalContext: string };
}

export type ClaudeHooks = Record<
  (typeof EVENTS)[number],
  { hooks: ((input: ClaudeHookInput) => Promise<ClaudeHookAnswer>)[] }[]
>;

interface Heard {
  readonly seen: readonly Observed[];
  /** The model can be told something now. */
  readonly moment?: Moment;
}

/**
 * For `hooks` in the options of `query`: what Claude Code does is recorded, and the model is told
 * what it should know.
 */
export function claudeAgentHooks(
  tracker: SessionTracker,
  { tool = "mcp__waymark__todos" }: { readonly tool?: string } = {},
): ClaudeHooks {
  const hook = async (input: ClaudeHookInput): Promise<ClaudeHookAnswer> => {
    if (input.agent_id !== undefined) return {};
    const { seen, moment } = heardIn(input, tool);
    const options = { via: "claude-agent", tool, ...(moment && { moment }) };
    const { reminder } = await tracker.observe(seen, options);
    if (reminder) return answerOf(input.hook_event_name, reminder.text);
    if (moment === "stop") await tracker.observe([{ type: "turn.completed" }], options);
    return {};
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) as ClaudeHooks;
}

function answerOf(event: string, text: string): ClaudeHookAnswer {
  if (event === "Stop") return { decision: "block", reason: text };
  const hookEventName = TELLING.find((telling) => telling === event);
  return hookEventName ? { hookSpecificOutput: { hookEventName, additionalContext: text } } : {};
}

const STARTS: Readonly<Record<string, Moment>> = {
  resume: "resume",
  fork: "resume",
  compact: "compacted",
};

function heardIn(input: ClaudeHookInput, tool: string): Heard {
  const { hook_event_name: event, tool_name: name = "tool", tool_use_id: callId, cwd } = input;
  const call = { name, ...(callId !== undefined && { callId }) };
  const ours = name === tool;
  switch (event) {
    case "SessionStart": {
      const moment = STARTS[input.source ?? ""] ?? "start";
      const started: Observed = { type: "session.started", ...(cwd !== undefined && { cwd }) };
      const cut: Observed[] = moment === "compacted" ? [{ type: "session.compacted" }] : [];
      return { seen: [started, ...cut], moment };
    }
    case "UserPromptSubmit":
      return { seen: [{ type: "turn.started", prompt: input.prompt ?? "" }], moment: "prompt" };
    case "PreToolUse":
      return { seen: ours ? [] : [{ type: "tool.started", ...call, input: input.tool_input }] };
    case "PostToolUse": {
      const { output } = outputOf(textOf(input.tool_response));
      // A command that failed has an event of its own.
      const done: Observed = {
        type: "tool.completed",
        ...call,
        output,
        ...(name === "Bash" && { exitCode: 0 }),
      };
      return ours ? { seen: [] } : { seen: [done], moment: "step" };
    }
    case "PostToolUseFailure": {
      const output = input.error ?? "";
      return ours
        ? { seen: [{ type: "warning", code: "list_rejected", message: output }] }
        : { seen: [{ type: "tool.failed", ...call, output }], moment: "step" };
    }
    case "Stop": {
      const text = input.last_assistant_message;
      const said: Observed[] =
        text === undefined ? [] : [{ type: "message", role: "assistant", text }];
      return { seen: said, moment: "stop" };
    }
    case "SessionEnd":
      return { seen: [{ type: "session.ended" }] };
    default:
      return { seen: [] };
  }
}
