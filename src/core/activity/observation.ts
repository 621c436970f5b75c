import { editPaths } from "../checks/tamper/edit-inputs.ts";
import { type EditContext, type EditSigns, editSigns, wholeTests } from "../checks/tamper/edits.ts";
import {
  type FileUse,
  isMissing,
  readLines,
  readOf,
  saysOverwritten,
} from "../checks/tamper/live/known-files.ts";
import { refusalReason } from "../guidance/refusal.ts";
import type { StreamBody } from "../stream/events.ts";
import { oneLine } from "../text/escape.ts";
import { MAX_PROMPT } from "../views/title.ts";
import { fingerprint } from "./detect.ts";
import { type EvidenceTable, effectOf } from "./evidence/effect.ts";
import { type CheckResult, checkEndOf } from "./evidence/result.ts";
import type { CheckScope } from "./evidence/scope.ts";
import { outcomeFingerprint } from "./outcome-fingerprint.ts";
import { questionOf } from "./question.ts";
import type { Usage } from "./usage.ts";

/** An event that a host reports about its agent. `at` is when it happened (default: now). */
export type ObservedEvent = StreamBody & { readonly at?: number };

/**
 * An event as it is stored: what counters, surfaces and rules need. Bounded, and never a whole input or
 * output.
 */
export type Observation = { readonly at: number } & (
  | { readonly type: "session.started"; readonly cwd?: string; readonly title?: string }
  | { readonly type: "turn.started"; readonly prompt?: string }
  | { readonly type: PlainType }
  | {
      readonly type: "message";
      readonly role: "user" | "assistant";
      /** The message asks the user something. */
      readonly asks?: true;
    }
  | ({
      readonly type: "tool.started";
      readonly callId?: string;
      readonly name: string;
      /** The question that the call asks the user. */
      readonly question?: string;
    } & CallFacts)
  /** The agent's program waits for the user's answer. */
  | {
      readonly type: "input.requested";
      readonly kind: "permission" | "question" | "plan";
      readonly text?: string;
      readonly tool?: string;
      readonly callId?: string;
      /** Fingerprint of tool and input, if both are known. */
      readonly signature?: string;
    }
  | {
      readonly type: "tool.completed" | "tool.failed";
      readonly callId?: string;
      readonly name?: string;
      /** Fingerprint of the result. */
      readonly outcome: string;
      readonly exitCode?: number;
      /** Set if the host repeats the input with the result: the start may not have been reported. */
      readonly call?: CallFacts;
      readonly unknown?: true;
      /** Set if the call is a check. */
      readonly result?: CheckResult;
      /** Fingerprints of the lines of the test file that the call read. */
      readonly lines?: string;
      /** The result says that the test file to read does not exist. */
      readonly missing?: true;
      /** The result says that the written test file existed before. */
      readonly overwritten?: true;
      /** Written by versions without `result`: the result is unknown. */
      readonly unsure?: true;
    }
  /** A list write, reduced to its pattern of statuses. */
  | {
      readonly type: "list.written";
      readonly pattern: string;
      /** The agent's own list tool, if the host reports it. */
      readonly tool?: string;
    }
  /** A refused list write. */
  | {
      readonly type: "list.refused";
      readonly why?: string;
      /** Some of its operations were applied. */
      readonly partial?: true;
    }
  /** Tokens that were used since the last such observation. */
  | { readonly type: "usage"; readonly model?: string; readonly usage: Usage }
  | { readonly type: "skipped" }
);

/** Facts derived from the name and the input of a call. */
export interface CallFacts {
  readonly label: string;
  /** Fingerprint of name and input. */
  readonly signature: string;
  readonly edits?: true;
  /** The command, if it is a check: its success can verify completions. */
  readonly check?: string;
  /** The part of the project that the check covers, if the command limits it. */
  readonly scope?: CheckScope;
  /** The edited files, if the input names them. */
  readonly paths?: readonly string[];
  /** Signs in an edit that checks were made weaker. */
  readonly tampering?: EditSigns;
  /** The test files that the call reads, or writes as a whole. */
  readonly tests?: FileUse;
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
// Agents choose names and ids of any length.
const MAX_NAME = 200;
const MAX_SCANNED = 2_000;
const MAX_REQUEST = 400;

/** Input fields that make a good label, the best first. */
const LABEL_FIELDS = [
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
  // Ids of the polled processes.
  "bash_id",
  "shell_id",
  "task_id",
  "cell_id",
];

export function labelOf(name: string, input: unknown): string {
  const given =
    typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  for (const field of LABEL_FIELDS) {
    const value = given[field];
    const text = Array.isArray(value)
      ? value.filter((part) => typeof part === "string").join(" ")
      : value;
    if (typeof text === "string" && text.trim() !== "")
      return oneLine(
        `${field === "command" || field === "cmd" ? "" : `${name} `}${text.slice(0, 400)}`,
      ).slice(0, MAX_LABEL);
  }
  return oneLine(name).slice(0, MAX_LABEL);
}

function signatureOf(name: string, input: unknown): string {
  return `${name}:${fingerprint(input)}`;
}

/** The command or file that the user is asked to allow, without the name of the tool. */
function askedText(tool: string | undefined, input: unknown): string | undefined {
  if (tool === undefined || input === undefined) return undefined;
  const label = labelOf(tool, input);
  return label.startsWith(`${tool} `) ? label.slice(tool.length + 1) : label;
}

const UNKNOWN_TOOL =
  /unknown tool|no such tool|tool .{0,80}not (?:found|available)|unsupported call/i;

export interface ObservationContext {
  readonly table?: Partial<EvidenceTable> | undefined;
  /** Whether the call that ended is a check. The output of other calls is not parsed. */
  readonly isCheck?: (call: CallRef) => boolean;
  /** The use of test files by the call that ended. */
  readonly testsOf?: (call: CallRef) => FileUse | undefined;
  /** The state of the session before an edit. */
  readonly before?: EditContext;
}

/** Identifies the call that ended. */
export interface CallRef {
  readonly callId?: string;
  readonly name?: string;
}

/** Reduces an event of a host or a transcript to an observation. */
export function observationOf(
  event: StreamBody,
  at: number,
  { table, isCheck, testsOf, before }: ObservationContext = {},
): Observation {
  switch (event.type) {
    case "session.started": {
      const { type, cwd, title } = event;
      return {
        type,
        at,
        ...(cwd !== undefined && { cwd: cwd.slice(0, MAX_SCANNED) }),
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
        ...factsOf(name, input, table, before),
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
      const looked = (output ?? "").slice(0, MAX_SCANNED);
      const call =
        event.input === undefined || event.name === undefined
          ? undefined
          : factsOf(event.name, event.input, table, before);
      // If the start was not reported, only the input shows whether the call is a check.
      const ended =
        isCheck?.(event) || call?.check !== undefined
          ? checkEndOf({ failed: type === "tool.failed", exitCode: event.exitCode, output, unsure })
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
        ...(ok && testFacts(testsOf?.(event) ?? call?.tests, output ?? "")),
      };
    }
    case "todo_list":
      // Only the pattern of statuses counts: rewording the same list is not progress.
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
          why: refusalReason(event.message),
          ...(event.partial && { partial: true }),
        };
      return event.code === "list_unknown" ? { type: "heard", at } : { type: "skipped", at };
    case "usage": {
      const { type, model, usage } = event;
      return { type, at, ...(model !== undefined && { model: model.slice(0, MAX_NAME) }), usage };
    }
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

function factsOf(
  name: string,
  input: unknown,
  table?: Partial<EvidenceTable>,
  before?: EditContext,
): CallFacts {
  const effect = effectOf(name, input, table);
  const tampering = effect.edits && editSigns(name, input, before);
  const paths = effect.edits ? editPaths(name, input) : [];
  const writes = effect.edits ? wholeTests(name, input) : [];
  const reads = effect.edits ? undefined : readOf(name, input);
  return {
    label: labelOf(name, input),
    signature: signatureOf(name.slice(0, MAX_NAME), input),
    ...effect,
    ...(paths.length > 0 && { paths }),
    ...(tampering && { tampering }),
    ...(writes.length > 0 && { tests: { writes } }),
    ...(reads && { tests: { reads } }),
  };
}

/** Facts in the result of a call that read or wrote a test file. */
function testFacts({ reads, writes }: FileUse = {}, output: string) {
  const missing = reads !== undefined && isMissing(output);
  const lines = reads?.isWhole && !missing ? readLines(output) : undefined;
  return {
    ...(missing && { missing }),
    ...(lines !== undefined && { lines }),
    ...(writes && saysOverwritten(output) && { overwritten: true as const }),
  };
}

const MAX_ENDING = 400;

const ASKS =
  /[?\uff1f](?:["'\u201d\u2019)\]*_`\s]|$)|\b(?:let me know|please (?:confirm|choose|decide|advise|tell me)|waiting for your|wait for your)\b/i;

/** Whether the last paragraph of a message asks the user something. */
function asks(text: string): boolean {
  const end = text.slice(-MAX_ENDING).trimEnd();
  const paragraph = end.slice(end.lastIndexOf("\n\n") + 1);
  return ASKS.test(paragraph.replace(/`[^`]*`|https?:\S+/g, ""));
}
