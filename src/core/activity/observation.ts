import { refusalWhy } from "../guidance/refusal.ts";
import type { StreamBody } from "../stream/events.ts";
import { oneLine } from "../text/escape.ts";
import { MAX_PROMPT } from "../views/title.ts";
import { fingerprint } from "./detect.ts";
import { type EvidenceTable, effectOf } from "./evidence/effect.ts";
import { type CheckResult, endOfCheck } from "./evidence/result.ts";
import { outcomeFingerprint } from "./outcome.ts";
import { questionOf } from "./question.ts";

/** What a host tells of its agent; without a time, it happens now. */
export type Observed = StreamBody & { readonly at?: number };

/**
 * What is kept of it: enough to count, to show and to judge by. Bounded, and never a whole input
 * or output.
 */
export type Observation = { readonly at: number } & (
  | { readonly type: "session.started"; readonly cwd?: string; readonly title?: string }
  | { readonly type: "turn.started"; readonly prompt?: string }
  | { readonly type: PlainType }
  | {
      readonly type: "message";
      readonly role: "user" | "assistant";
      /** It asks the person something. */
      readonly asks?: true;
    }
  | ({
      readonly type: "tool.started";
      readonly callId?: string;
      readonly name: string;
      /** What the call asks the user. */
      readonly question?: string;
    } & CallFacts)
  /** The agent's program waits for an answer of its user. */
  | {
      readonly type: "input.requested";
      readonly kind: "permission" | "question" | "plan";
      readonly text?: string;
      readonly tool?: string;
      readonly callId?: string;
      /** Of tool and input, where both are known. */
      readonly signature?: string;
    }
  | {
      readonly type: "tool.completed" | "tool.failed";
      readonly callId?: string;
      readonly name?: string;
      /** Of what came back. */
      readonly outcome: string;
      readonly exitCode?: number;
      /** Of a host that tells the input with the result: its start may not have been reported. */
      readonly call?: CallFacts;
      readonly unknown?: true;
      /** Of a check: how it ended. */
      readonly result?: CheckResult;
      /** Written by versions that had no `result`: how it ended is not known. */
      readonly unsure?: true;
    }
  /** A list was written; only the pattern of statuses is kept of it. */
  | {
      readonly type: "list.written";
      readonly pattern: string;
      /** The agent's own list tool, where the host reports it. */
      readonly tool?: string;
    }
  /** A write of the list was refused. */
  | {
      readonly type: "list.refused";
      readonly why?: string;
      /** Some of its operations were applied. */
      readonly partial?: true;
    }
  | { readonly type: "skipped" }
);

/** What is known of a call by its name and input. */
export interface CallFacts {
  readonly label: string;
  /** Of name and input. */
  readonly signature: string;
  readonly edits?: true;
  /** The command, where its success would prove something. */
  readonly check?: string;
}

type PlainType =
  | "session.ended"
  | "session.compacted"
  | "turn.completed"
  | "turn.failed"
  | "turn.cancelled"
  | "turn.idle"
  | "tool.updated"
  | "input.resolved"
  | "heard";

const MAX_LABEL = 120;
// Names and ids are the agent's: they may be of any length.
const MAX_NAME = 200;
const MAX_LOOKED_AT = 2_000;
const MAX_REQUEST = 400;

/** What of a long input says most. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
  // Whoever polls says of what.
  "bash_id",
  "shell_id",
  "task_id",
  "cell_id",
];

export function labelOf(name: string, input: unknown): string {
  const given =
    typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  for (const field of TELLING) {
    const value = given[field];
    const said = Array.isArray(value)
      ? value.filter((part) => typeof part === "string").join(" ")
      : value;
    if (typeof said === "string" && said.trim() !== "")
      return oneLine(
        `${field === "command" || field === "cmd" ? "" : `${name} `}${said.slice(0, 400)}`,
      ).slice(0, MAX_LABEL);
  }
  return oneLine(name).slice(0, MAX_LABEL);
}

function signatureOf(name: string, input: unknown): string {
  return `${name}:${fingerprint(input)}`;
}

/** What a user is asked to allow: the command or file, without the name of the tool. */
function askedText(tool: string | undefined, input: unknown): string | undefined {
  if (tool === undefined || input === undefined) return undefined;
  const label = labelOf(tool, input);
  return label.startsWith(`${tool} `) ? label.slice(tool.length + 1) : label;
}

const UNKNOWN_TOOL =
  /unknown tool|no such tool|tool .{0,80}not (?:found|available)|unsupported call/i;

export interface ObservationContext {
  readonly table?: Partial<EvidenceTable> | undefined;
  /** Whether the call that an event ends is a check: only then its output is read for a result. */
  readonly isCheck?: (call: CallRef) => boolean;
}

/** A call as its end names it. */
export interface CallRef {
  readonly callId?: string;
  readonly name?: string;
}

/** Reduces what a host or a transcript reports to what is kept of it. */
export function observationOf(
  event: StreamBody,
  at: number,
  { table, isCheck }: ObservationContext = {},
): Observation {
  switch (event.type) {
    case "session.started": {
      const { type, cwd, title } = event;
      return {
        type,
        at,
        ...(cwd !== undefined && { cwd: cwd.slice(0, MAX_LOOKED_AT) }),
        ...(title !== undefined && { title: oneLine(title).slice(0, MAX_NAME) }),
      };
    }
    case "turn.started": {
      const { type, prompt } = event;
      return {
        type,
        at,
        ...(prompt !== undefined && { prompt: oneLine(prompt.slice(0, MAX_PROMPT)) }),
      };
    }
    case "message": {
      const { type, role, text } = event;
      return { type, at, role, ...(role === "assistant" && asks(text) && { asks: true }) };
    }
    case "tool.started": {
      const { type, input } = event;
      const name = event.name.slice(0, MAX_NAME);
      const question = questionOf(name, input);
      return {
        type,
        at,
        ...(event.callId !== undefined && { callId: event.callId.slice(0, MAX_NAME) }),
        name,
        ...factsOf(name, input, table),
        ...(question !== undefined && { question }),
      };
    }
    case "input.requested": {
      const { type, kind, input } = event;
      const tool = event.tool?.slice(0, MAX_NAME);
      const question = tool === undefined ? undefined : questionOf(tool, input);
      const text = question ?? event.text ?? askedText(tool, input);
      return {
        type,
        at,
        kind: question === undefined ? kind : "question",
        ...(text !== undefined && { text: oneLine(text.slice(0, MAX_REQUEST)).slice(0, MAX_NAME) }),
        ...(tool !== undefined && { tool }),
        ...(event.callId !== undefined && { callId: event.callId.slice(0, MAX_NAME) }),
        ...(tool !== undefined && input !== undefined && { signature: signatureOf(tool, input) }),
      };
    }
    case "tool.completed":
    case "tool.failed": {
      const { type, output, unsure } = event;
      const looked = (output ?? "").slice(0, MAX_LOOKED_AT);
      const call =
        event.input === undefined || event.name === undefined
          ? undefined
          : factsOf(event.name, event.input, table);
      // Where the start was not reported, only the input tells whether it is a check.
      const ended =
        isCheck?.(event) || call?.check !== undefined
          ? endOfCheck({ failed: type === "tool.failed", exitCode: event.exitCode, output, unsure })
          : undefined;
      const exitCode = event.exitCode ?? ended?.exitCode;
      const ok = type === "tool.completed" && (exitCode ?? 0) === 0 && ended?.result !== "failed";
      return {
        type,
        at,
        ...(event.callId !== undefined && { callId: event.callId.slice(0, MAX_NAME) }),
        ...(event.name !== undefined && { name: event.name.slice(0, MAX_NAME) }),
        outcome: outcomeFingerprint(ok, exitCode, output),
        ...(exitCode !== undefined && { exitCode }),
        ...(call && { call }),
        ...(!ok && UNKNOWN_TOOL.test(looked) && { unknown: true }),
        ...(ended && { result: ended.result }),
      };
    }
    case "todo_list":
      // Only the pattern of statuses counts: to word the same list anew is no progress.
      return {
        type: "list.written",
        at,
        pattern: fingerprint(event.items.map((item) => item.status)),
        ...(event.tool !== undefined && { tool: event.tool.slice(0, MAX_NAME) }),
      };
    case "warning":
      if (event.code === "list_rejected")
        return {
          type: "list.refused",
          at,
          why: refusalWhy(event.message),
          ...(event.partial && { partial: true }),
        };
      return event.code === "list_unknown" ? { type: "heard", at } : { type: "skipped", at };
    case "session.ended":
    case "session.compacted":
    case "turn.completed":
    case "turn.failed":
    case "turn.cancelled":
    case "turn.idle":
    case "tool.updated":
    case "input.resolved":
      return { type: event.type, at };
    default:
      return { type: "heard", at };
  }
}

function factsOf(name: string, input: unknown, table?: Partial<EvidenceTable>): CallFacts {
  return {
    label: labelOf(name, input),
    signature: signatureOf(name.slice(0, MAX_NAME), input),
    ...effectOf(name, input, table),
  };
}

const LAST_WORDS = 400;

const ASKS =
  /[?\uff1f](?:["'\u201d\u2019)\]*_`\s]|$)|\b(?:let me know|please (?:confirm|choose|decide|advise|tell me)|waiting for your|wait for your)\b/i;

/** Whether the last paragraph of a message asks the person something. */
function asks(text: string): boolean {
  const end = text.slice(-LAST_WORDS).trimEnd();
  const paragraph = end.slice(end.lastIndexOf("\n\n") + 1);
  return ASKS.test(paragraph.replace(/`[^`]*`|https?:\S+/g, ""));
}
