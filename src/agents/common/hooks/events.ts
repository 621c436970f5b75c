import { withoutBlocks } from "../../../core/guidance/block.ts";
import type { ReminderMoment } from "../../../core/model.ts";
import type { StreamBody } from "../../../core/stream/events.ts";
import type { ModelText } from "../../../core/text/model-text.ts";
import { type Fields, fields, outputText, text } from "../values.ts";

/** How to read and answer one hook event of an agent. */
export interface HookEvent {
  readonly timing: HookTiming;
  /** The agent asks the user for something. Recorded as a request, even if it is about a list tool. */
  readonly request?: true;
  /** A subagent ends. `due/SESSION` does not cover subagents, so Node has to start. */
  readonly endsSubagent?: true;
  /** The content of the event. */
  observe(input: Fields): readonly StreamBody[];
  /** The moment of the conversation that an answer would be for. */
  moment?(input: Fields): ReminderMoment | undefined;
  /** Formats a text for the model as the agent's answer. */
  answer?(text: ModelText): unknown;
  /** Formats an answer that denies the announced call. */
  deny?(reason: ModelText): unknown;
}

/** When an event may be answered: `step`, `prompt` and `stop` only if a reminder for that moment may be due. */
export type HookTiming = "never" | "step" | "prompt" | "stop" | "always";

/** The result of a finished call. */
export interface CallResult {
  readonly failed?: boolean;
  readonly output?: string | undefined;
  readonly exitCode?: number | undefined;
  /** The command was still running when the agent reported the result. */
  readonly unsure?: boolean;
}

const NOTHING = () => [];

/** A known event that reports nothing. */
export const IGNORED: HookEvent = { timing: "never", observe: NOTHING };

/** An event whose answer the agent does not read. */
export function unanswered({ moment: _, answer: __, ...event }: HookEvent): HookEvent {
  return event;
}

/** The answer format of most agents: text for the model, with the name of the event. */
function contextFor(hookEventName: string) {
  return (additionalContext: ModelText) => ({
    hookSpecificOutput: { hookEventName, additionalContext },
  });
}

/** The answer format of agents that take the text without the name of the event. */
export function plainContext(additionalContext: ModelText) {
  return { additionalContext };
}

const STARTS: Readonly<Record<string, ReminderMoment>> = {
  resume: "resume",
  fork: "resume",
  compact: "compacted",
};

export function sessionStart(name: string): HookEvent {
  const momentOf = (input: Fields) => STARTS[text(input.source) ?? ""] ?? "start";
  return {
    timing: "always",
    observe: (input) => {
      const cwd = text(input.cwd);
      const model = text(input.model);
      const trigger = text(input.trigger);
      return [
        {
          type: "session.started",
          ...(cwd !== undefined && { cwd }),
          ...(model !== undefined && { model }),
        },
        ...(momentOf(input) === "compacted"
          ? [{ type: "session.compacted" as const, ...(trigger !== undefined && { trigger }) }]
          : []),
      ];
    },
    moment: momentOf,
    answer: contextFor(name),
  };
}

/**
 * The prompt of the user, as a text or in parts. Some agents send this event before every model request, without a prompt. Some pass our
 * answer to a Stop event on as a prompt, which is not a new one.
 */
function promptOf(input: Fields): string | undefined {
  const prompt = outputText(input.prompt);
  return prompt === undefined ? undefined : text(withoutBlocks(prompt));
}

export function promptSubmitted(name: string): HookEvent {
  return {
    timing: "prompt",
    observe: (input) => {
      const prompt = promptOf(input);
      return prompt === undefined ? [] : [...modeOf(input), { type: "turn.started", prompt }];
    },
    moment: (input) => (promptOf(input) === undefined ? undefined : "prompt"),
    answer: contextFor(name),
  };
}

function modeOf(input: Fields): readonly StreamBody[] {
  const mode = text(input.permission_mode);
  return mode === undefined
    ? []
    : [{ type: "mode.changed", mode: mode === "plan" ? "plan" : "work" }];
}

/** The id of a call, in the two spellings of agents. */
export function callIdOf({ tool_use_id: id, tool_call_id: other }: Fields): string | undefined {
  return text(id) ?? text(other);
}

function callOf(input: Fields): { readonly name: string; readonly callId?: string } {
  const callId = callIdOf(input);
  return { name: text(input.tool_name) ?? "tool", ...(callId !== undefined && { callId }) };
}

export const TOOL_STARTED: HookEvent = {
  timing: "never",
  observe: (input) => [{ type: "tool.started", ...callOf(input), input: input.tool_input }],
};

/** The event before a call, for agents in which it can deny the call. */
export const TOOL_GATE: HookEvent = {
  ...TOOL_STARTED,
  deny: (permissionDecisionReason) => ({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason,
    },
  }),
};

export function toolEnded(name: string, ended: (input: Fields) => CallResult): HookEvent {
  return {
    timing: "step",
    observe: (input) => {
      const { failed, output, exitCode, unsure } = ended(input);
      return [
        {
          type: failed || (exitCode ?? 0) !== 0 ? "tool.failed" : "tool.completed",
          ...callOf(input),
          ...(input.tool_input !== undefined && { input: input.tool_input }),
          ...(output !== undefined && { output }),
          ...(exitCode !== undefined && { exitCode }),
          ...(unsure && { unsure }),
        },
      ];
    },
    moment: () => "step",
    answer: contextFor(name),
  };
}

const EXIT_CODE = /^Exit code (-?\d{1,9})\b/;

/** Reads the separate event that Claude Code and Qwen Code send for failed calls. */
export function errorOf(input: Fields): CallResult {
  const output = outputText(input.error);
  const code = EXIT_CODE.exec(output ?? "")?.[1];
  return { failed: true, output, ...(code !== undefined && { exitCode: Number(code) }) };
}

export function stopped(
  lastMessage: (input: Fields) => unknown,
  decision: "block" | "deny",
): HookEvent {
  return {
    timing: "stop",
    observe: (input) => {
      const message = text(lastMessage(input));
      return [
        ...(message === undefined
          ? []
          : [{ type: "message" as const, role: "assistant" as const, text: message }]),
        { type: "turn.completed" },
      ];
    },
    moment: () => "stop",
    answer: (reason) => ({ decision, reason }),
  };
}

export function subagentStopped(
  lastMessage: (input: Fields) => unknown,
  decision: "block" | "deny",
): HookEvent {
  return { ...stopped(lastMessage, decision), endsSubagent: true };
}

export const SESSION_ENDED: HookEvent = {
  timing: "always",
  observe: (input) => {
    const reason = text(input.reason);
    return [{ type: "session.ended", ...(reason !== undefined && { reason }) }];
  },
};

/** The text of the answer of an MCP tool or a built-in tool. */
export function responseText(response: unknown): string | undefined {
  const given = fields(response);
  if (!given) return outputText(response);
  const output = given.output ?? given.stdout ?? given.llmContent ?? given.content;
  return outputText(output) ?? JSON.stringify(given).slice(0, 2_000);
}
