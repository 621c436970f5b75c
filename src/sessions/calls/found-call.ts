import { wholeOutput } from "../../agents/common/whole-output.ts";
import {
  type CallDetail,
  MAX_INPUT,
  MAX_OUTPUT,
  MAX_WHOLE_OUTPUT,
  type NoOutput,
} from "../../core/activity/calls/call-detail.ts";
import {
  type HeadAndTail,
  headAndTail,
  headOf,
  tailOf,
} from "../../core/activity/calls/head-and-tail.ts";
import { checkEndOf } from "../../core/activity/evidence/result.ts";
import type { TrackId } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { redactSecrets } from "../../engines/storage/redact-secrets.ts";

/** The call to find. Some models reuse ids: then the start selects one of them (default: the last). */
export interface WantedCall {
  readonly callId: string;
  readonly at?: number | undefined;
}

type Started = Extract<StreamEvent, { type: "tool.started" }>;
type Ended = Extract<StreamEvent, { type: "tool.completed" | "tool.failed" }>;

interface Found {
  start?: Started;
  end?: Ended;
  /** The whole output, or its parts if its middle was skipped. */
  output?: HeadAndTail;
}

/** Collects the start and the end of one call from the events of a file. */
export interface CallCollector {
  /** `record` is the record that the events were decoded from. `mark` stands for skipped bytes in it. */
  add(events: readonly StreamEvent[], record: () => unknown, mark?: string): void;
  found(): Found | undefined;
}

export function newCollector({ session, agent }: TrackId, wanted: WantedCall): CallCollector {
  let chosen: Found | undefined;
  const isChosen = () => wanted.at !== undefined && chosen?.start?.timestamp === wanted.at;
  const addEvent = (event: StreamEvent, record: () => unknown, mark: string | undefined) => {
    if (event.type === "tool.started") {
      if (!isChosen()) chosen = { start: event };
    } else if (event.type === "tool.completed" || event.type === "tool.failed") {
      if (chosen?.end) {
        if (isChosen()) return;
        chosen = {};
      }
      chosen ??= {};
      chosen.end = event;
      if (event.output !== undefined)
        chosen.output = inParts(wholeOutput(record(), event.output), mark);
    }
  };
  return {
    add(events, record, mark) {
      for (const event of events) {
        if (event.sessionId !== session || event.agentId !== agent) continue;
        if ("callId" in event && event.callId === wanted.callId) addEvent(event, record, mark);
      }
    },
    found: () => chosen,
  };
}

/** The text around the mark. */
function inParts(text: string, mark: string | undefined): HeadAndTail {
  const at = mark === undefined ? -1 : text.indexOf(mark);
  if (mark === undefined || at === -1) return { head: text };
  const rest = text.slice(at + mark.length);
  const [count = ""] = rest.split(";", 1);
  return { head: text.slice(0, at), tail: rest.slice(count.length + 1), omitted: Number(count) };
}

/** The call as surfaces show it: bounded, without secrets. */
export function detailOf(
  { callId }: WantedCall,
  { start, end, output }: Found,
  isWhole: boolean,
): CallDetail {
  const given = end?.input ?? start?.input;
  const { text: input, isCommand } = inputOf(given);
  const ended =
    end &&
    checkEndOf({
      failed: end.type === "tool.failed",
      exitCode: end.exitCode,
      output: end.output,
      unsure: end.unsure,
    });
  const exitCode = end?.exitCode ?? ended?.exitCode;
  const ok = end && endedWell(end, exitCode, ended?.result);
  const text = output && bounded(output, isWhole ? MAX_WHOLE_OUTPUT : MAX_OUTPUT);
  const isEmpty = text !== undefined && text.head.trim() === "" && text.tail === undefined;
  const noOutput: NoOutput | undefined = !end
    ? "running"
    : !text
      ? "not_recorded"
      : isEmpty
        ? "empty"
        : undefined;
  return {
    callId,
    name: start?.name ?? end?.name ?? "",
    input,
    isCommand,
    ...(start && { startedAt: start.timestamp }),
    ...(end && { endedAt: end.timestamp }),
    ...(ok !== undefined && { ok }),
    ...(exitCode !== undefined && { exitCode }),
    ...(noOutput ? { noOutput } : text && { output: text }),
  };
}

/** Undefined if neither the host nor the output says how a command ended. */
function endedWell(
  { type, unsure }: Ended,
  exitCode: number | undefined,
  result: "passed" | "failed" | "unknown" | undefined,
): boolean | undefined {
  if (type === "tool.failed" || (exitCode ?? 0) !== 0 || result === "failed") return false;
  return unsure ? undefined : true;
}

function inputOf(input: unknown): { readonly text: string; readonly isCommand: boolean } {
  const { command, cmd } = (typeof input === "object" && input !== null ? input : {}) as {
    readonly command?: unknown;
    readonly cmd?: unknown;
  };
  const given = command ?? cmd;
  const line = Array.isArray(given)
    ? given.filter((part) => typeof part === "string").join(" ")
    : given;
  if (typeof line === "string" && line.trim() !== "")
    return { text: redactSecrets(cutInput(line)), isCommand: true };
  if (input === undefined) return { text: "", isCommand: false };
  const text = typeof input === "string" ? input : JSON.stringify(input, null, 2);
  return { text: redactSecrets(cutInput(text ?? "")), isCommand: false };
}

function cutInput(text: string): string {
  const { head, tail } = headAndTail(text, MAX_INPUT);
  return tail === undefined ? head : `${head}\n…\n${tail}`;
}

function bounded({ head, tail, omitted = 0 }: HeadAndTail, max: number): HeadAndTail {
  const whole =
    tail === undefined
      ? headAndTail(head, max)
      : { head: headOf(head, max), tail: tailOf(tail, max) };
  const given = head.length + (tail?.length ?? 0);
  const left = omitted + given - whole.head.length - (whole.tail?.length ?? 0);
  return {
    head: redactSecrets(whole.head),
    ...(whole.tail !== undefined && { tail: redactSecrets(whole.tail) }),
    ...(left > 0 && { omitted: left }),
  };
}
