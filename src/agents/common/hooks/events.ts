import { withoutBlocks } from "../../../core/guidance/block.ts";
import type { Moment } from "../../../core/model.ts";
import type { StreamBody } from "../../../core/stream/events.ts";
import type { ModelText } from "../../../core/text/model-text.ts";
import { type Fields, fields, outputText, text } from "../values.ts";

/** How one hook event of an agent is read and answered. */
export interface HookEvent {
  readonly pace: Pace;
  /** Reports a request to the user: recorded as such, also where it is about a list tool. */
  readonly request?: true;
  /** A subagent ends. The line that says what is due in a session does not cover its subagents. */
  readonly endsSubagent?: true;
  /** What happened. */
  observe(input: Fields): readonly StreamBody[];
  /** For which moment of the conversation an answer is asked. */
  moment?(input: Fields): Moment | undefined;
  /** The answer in the agent's own form. */
  answer?(text: ModelText): unknown;
  /** Refuses the call that the event announces. */
  deny?(reason: ModelText): unknown;
}

/**
 * How often an answer is thought about: `record` never, `step`, `prompt` and `stop` when one may be
 * due, `ask` every time.
 */
export type Pace = "record" | "step" | "prompt" | "stop" | "ask";

/** What a finished call came to. */
export interface Ended {
  readonly failed?: boolean;
  readonly output?: string | undefined;
  readonly exitCode?: number | undefined;
  /** The command had not ended when the agent reported it. */
  readonly unsure?: boolean;
}

const NOTHING = () => [];

/** Known, and of no interest. */
export const IGNORED: HookEvent = { pace: "record", observe: NOTHING };

/** The answer that most agents take: text for the model, under the name of the event. */
function contextFor(hookEventName: string) {
  return (additionalContext: ModelText) => ({
    hookSpecificOutput: { hookEventName, additionalContext },
  });
}

const STARTS: Readonly<Record<string, Moment>> = {
  resume: "resume",
  fork: "resume",
  compact: "compacted",
};

export function sessionStart(name: string): HookEvent {
  const momentOf = (input: Fields) => STARTS[text(input.source) ?? ""] ?? "start";
  return {
    pace: "ask",
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
 * What a person said. Some agents call the event before every request to the model, then without a
 * prompt; some hand our own answer to a stop on as a prompt, which must not count as a new one.
 */
function promptOf(input: Fields): string | undefined {
  const prompt = text(input.prompt);
  return prompt === undefined ? undefined : text(withoutBlocks(prompt));
}

export function promptSubmitted(name: string): HookEvent {
  return {
    pace: "prompt",
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

function callOf(input: Fields): { readonly name: string; readonly callId?: string } {
  const callId = text(input.tool_use_id);
  return { name: text(input.tool_name) ?? "tool", ...(callId !== undefined && { callId }) };
}

export const TOOL_STARTED: HookEvent = {
  pace: "record",
  observe: (input) => [{ type: "tool.started", ...callOf(input), input: input.tool_input }],
};

/** The event before a call, in agents that let it refuse the call. */
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

export function toolEnded(name: string, ended: (input: Fields) => Ended): HookEvent {
  return {
    pace: "step",
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

/** The event of its own that Claude Code and Qwen Code have for calls that failed. */
export function errorOf(input: Fields): Ended {
  const output = outputText(input.error);
  const code = EXIT_CODE.exec(output ?? "")?.[1];
  return { failed: true, output, ...(code !== undefined && { exitCode: Number(code) }) };
}

export function stopped(said: (input: Fields) => unknown, decision: "block" | "deny"): HookEvent {
  return {
    pace: "stop",
    observe: (input) => {
      const words = text(said(input));
      return [
        ...(words === undefined
          ? []
          : [{ type: "message" as const, role: "assistant" as const, text: words }]),
        { type: "turn.completed" },
      ];
    },
    moment: () => "stop",
    answer: (reason) => ({ decision, reason }),
  };
}

export function subagentStopped(
  said: (input: Fields) => unknown,
  decision: "block" | "deny",
): HookEvent {
  return { ...stopped(said, decision), endsSubagent: true };
}

export const SESSION_ENDED: HookEvent = {
  pace: "ask",
  observe: (input) => {
    const reason = text(input.reason);
    return [{ type: "session.ended", ...(reason !== undefined && { reason }) }];
  },
};

/** What a tool of an MCP server or a built-in one answered, as far as it is text. */
export function responseText(response: unknown): string | undefined {
  const given = fields(response);
  if (!given) return outputText(response);
  const said = given.output ?? given.stdout ?? given.llmContent ?? given.content;
  return outputText(said) ?? JSON.stringify(given).slice(0, 2_000);
}
