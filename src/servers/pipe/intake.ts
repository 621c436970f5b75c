import type { Dialect, DialectState } from "../../agents/agent.ts";
import { openReader, type Reader } from "../../agents/common/reader.ts";
import { type Scores, scoresOf, whose } from "../../agents/index.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { type Line, splitLines } from "../../sessions/transcripts/scan/lines.ts";
import { type NumberedLine, unframe } from "./event-stream.ts";

/** Bytes of an agent's output to events. */
export interface Intake {
  /** Undefined until the first records have told whose they are. */
  readonly dialect: Dialect | undefined;
  /** Lines that nothing could be made of before the dialect was known. */
  readonly unknown: number;
  feed(chunk: Buffer): void;
  end(): void;
}

export interface IntakeOptions {
  /** Taken without sniffing. */
  readonly dialect?: Dialect | undefined;
  readonly now: () => number;
  readonly each: (event: StreamEvent) => void;
  /** What the files of a session say, for a stream that goes on with it. */
  readonly earlier?: Earlier | undefined;
}

export type Earlier = (dialect: Dialect, session: string) => DialectState | undefined;

type Taken = NumberedLine | { readonly number: number; readonly skipped: number };

const MAX_RECORDS = 20;
const MAX_WAITING = 64 * 1024;
const MAX_WAITING_LINES = 1_000;
const MAX_SNIFFED = 256 * 1024;

export function openIntake({ dialect: given, now, each, earlier }: IntakeOptions): Intake {
  const splitter = splitLines();
  const frames = unframe();
  let reader: Reader | undefined;
  /** Lines that came before the dialect was known. */
  let waiting: { readonly line: Taken; readonly size: number; readonly scores?: Scores }[] = [];
  let size = 0;
  let unknown = 0;

  const open = (dialect: Dialect): Reader => openReader(dialect, { kind: "stream" }, { now });
  if (given) reader = open(given);

  const read = (by: Reader, line: Taken): void => {
    const events = "text" in line ? by.line(line.text, line.number) : [tooLong(by, line, now())];
    for (const event of events) each(event);
    inherit(by);
  };

  let session = "";
  const inherit = ({ dialect, state }: Reader): void => {
    if (!dialect.inherit || state.session === session) return;
    session = state.session;
    const known = earlier?.(dialect, session);
    if (known) dialect.inherit(state, known);
  };

  const decide = (dialect: Dialect): void => {
    reader = open(dialect);
    for (const { line } of waiting) read(reader, line);
    waiting = [];
  };

  const records = () => waiting.flatMap(({ scores }) => (scores ? [scores] : []));
  const full = () =>
    size >= MAX_WAITING || waiting.length >= MAX_WAITING_LINES || records().length >= MAX_RECORDS;

  const wait = (line: Taken): void => {
    const length = "text" in line ? line.text.length : 0;
    const record = "text" in line ? recordOf(line.text) : undefined;
    waiting.push({ line, size: length, ...(record && { scores: scoresOf(record) }) });
    size += length;
    const found = record && whose(records());
    if (found?.sure) {
      decide(found.dialect);
      return;
    }
    if (!full()) return;
    const likely = found ?? whose(records());
    if (likely) {
      decide(likely.dialect);
      return;
    }
    // Nobody's so far. What is kept stays short, and the newest is the most telling.
    while (full()) {
      unknown++;
      size -= waiting.shift()?.size ?? 0;
    }
  };

  const take = (line: Taken): void => {
    if (reader) read(reader, line);
    else wait(line);
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
    get dialect() {
      return reader?.dialect;
    },
    get unknown() {
      return unknown;
    },
    feed: (chunk) => splitter.push(chunk, split),
    end() {
      const rest = splitter.rest();
      if (rest) split(rest);
      for (const whole of frames.rest()) take(whole);
      const found = reader ? undefined : whose(records());
      if (found) decide(found.dialect);
      unknown += waiting.filter(({ line }) => "skipped" in line || line.text.trim() !== "").length;
      waiting = [];
      for (const event of reader?.end() ?? []) each(event);
    },
  };
}

/** Only to see whose it is: the reader parses it again, and says what is wrong with it. */
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
  { dialect, state }: Reader,
  { number, skipped }: { readonly number: number; readonly skipped: number },
  timestamp: number,
): StreamEvent {
  const sessionId = state.session || "unknown";
  return {
    type: "warning",
    code: "too_large",
    message: `${skipped} bytes in one line are more than is read`,
    line: number,
    eventId: `${sessionId}:main:warning:${number}`,
    sessionId,
    agentId: MAIN_AGENT,
    agentType: dialect.id,
    timestamp,
  };
}
