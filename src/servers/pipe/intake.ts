import type { Decoder, DecoderState } from "../../agents/agent.ts";
import { openReader, type Reader } from "../../agents/common/reader.ts";
import { bestMatch, type Scores, scoresOf } from "../../agents/index.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { type Line, splitLines } from "../../sessions/transcripts/scan/lines.ts";
import { type NumberedLine, unframe } from "./event-stream.ts";

/** Turns an agent's output into events. */
export interface Intake {
  /** Undefined until the agent was detected. */
  readonly decoder: Decoder | undefined;
  /** Lines that were discarded before the agent was detected. */
  readonly unknown: number;
  feed(chunk: Buffer): void;
  end(): void;
}

export interface IntakeOptions {
  /** The decoder to use (default: detected). */
  readonly decoder?: Decoder | undefined;
  readonly now: () => number;
  readonly each: (event: StreamEvent) => void;
  /** Reads the state of a session from its files, for a stream that resumes it. */
  readonly earlier?: Earlier | undefined;
}

export type Earlier = (decoder: Decoder, session: string) => DecoderState | undefined;

type InputLine = NumberedLine | { readonly number: number; readonly skipped: number };

/** Bounds of the lines that are held until the agent is detected: records, characters and lines. */
const MAX_RECORDS = 20;
const MAX_HELD = 64 * 1024;
const MAX_HELD_LINES = 1_000;
/** Longer lines are not parsed to detect the agent. */
const MAX_SNIFFED = 256 * 1024;

export function openIntake({ decoder: given, now, each, earlier }: IntakeOptions): Intake {
  const splitter = splitLines();
  const frames = unframe();
  let reader: Reader | undefined;
  /** Lines that arrived before the agent was detected. */
  let held: { readonly line: InputLine; readonly size: number; readonly scores?: Scores }[] = [];
  let size = 0;
  let unknown = 0;

  const open = (decoder: Decoder): Reader => openReader(decoder, { kind: "stream" }, { now });
  if (given) reader = open(given);

  const read = (by: Reader, line: InputLine): void => {
    const events = "text" in line ? by.line(line.text, line.number) : [tooLong(by, line, now())];
    for (const event of events) each(event);
    inherit(by);
  };

  let session = "";
  const inherit = ({ decoder, state }: Reader): void => {
    if (!decoder.inherit || state.session === session) return;
    session = state.session;
    const known = earlier?.(decoder, session);
    if (known) decoder.inherit(state, known);
  };

  const choose = (decoder: Decoder): void => {
    reader = open(decoder);
    for (const { line } of held) read(reader, line);
    held = [];
  };

  const records = () => held.flatMap(({ scores }) => (scores ? [scores] : []));
  const full = () =>
    size >= MAX_HELD || held.length >= MAX_HELD_LINES || records().length >= MAX_RECORDS;

  const hold = (line: InputLine): void => {
    const length = "text" in line ? line.text.length : 0;
    const record = "text" in line ? recordOf(line.text) : undefined;
    held.push({ line, size: length, ...(record && { scores: scoresOf(record) }) });
    size += length;
    const found = record && bestMatch(records());
    if (found?.certain) {
      choose(found.decoder);
      return;
    }
    if (!full()) return;
    const likely = found ?? bestMatch(records());
    if (likely) {
      choose(likely.decoder);
      return;
    }
    // No decoder matches so far: keep the newest lines only.
    while (full()) {
      unknown++;
      size -= held.shift()?.size ?? 0;
    }
  };

  const take = (line: InputLine): void => {
    if (reader) read(reader, line);
    else hold(line);
  };

  const split = (line: Line): void => {
    if ("skipped" in line) {
      take({ number: line.number, skipped: line.skipped });
      return;
    }
    const text = line.bytes.toString("utf8");
    for (const whole of frames.take({ number: line.number, text })) take(whole);
  };

  return {
    get decoder() {
      return reader?.decoder;
    },
    get unknown() {
      return unknown;
    },
    feed: (chunk) => splitter.push(chunk, split),
    end() {
      const rest = splitter.rest();
      if (rest) split(rest);
      for (const whole of frames.rest()) take(whole);
      const found = reader ? undefined : bestMatch(records());
      if (found) choose(found.decoder);
      unknown += held.filter(({ line }) => "skipped" in line || line.text.trim() !== "").length;
      held = [];
      for (const event of reader?.end() ?? []) each(event);
    },
  };
}

/** Parses a line to detect the agent. The reader parses it again and reports errors. */
function recordOf(text: string): object | undefined {
  if (text.length > MAX_SNIFFED) return undefined;
  try {
    const record: unknown = JSON.parse(text.replace(/^[\uFEFF\0\s]+/, ""));
    return typeof record === "object" && record !== null ? record : undefined;
  } catch {
    return undefined;
  }
}

function tooLong(
  { decoder, state }: Reader,
  { number, skipped }: { readonly number: number; readonly skipped: number },
  timestamp: number,
): StreamEvent {
  const sessionId = state.session || "unknown";
  return {
    type: "warning",
    code: "too_large",
    message: `the line is too long (${skipped} bytes)`,
    line: number,
    eventId: `${sessionId}:main:warning:${number}`,
    sessionId,
    agentId: MAIN_AGENT,
    agentType: decoder.id,
    timestamp,
  };
}
