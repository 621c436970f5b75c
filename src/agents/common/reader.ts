import { errorMessage } from "../../core/error.ts";
import type { StreamBase, StreamBody, StreamEvent } from "../../core/stream/events.ts";
import { isDeeperThan, valueEnd } from "../../core/text/json-scan.ts";
import type { Decoder, DecoderState, EventContext, Source } from "../agent.ts";
import { asStored } from "./values.ts";

/** Runs a decoder over one source and completes its events with id, session, agent and time. */
export interface Reader {
  readonly decoder: Decoder;
  readonly state: DecoderState;
  /** Reads one line; `number` counts from 1. */
  line(line: string, number: number): readonly StreamEvent[];
  /** Reads one parsed record. */
  record(record: unknown, number: number): readonly StreamEvent[];
  /** Reads the usage of a record, of which only the fields that the decoder asks for are needed. */
  usage(record: unknown, number: number): readonly StreamEvent[];
  /** Reports a line that exceeds the limit of the caller. */
  tooLong(length: number, number: number): readonly StreamEvent[];
  /** Ends the input. */
  end(): readonly StreamEvent[];
}

/** Options of `openReader`. */
export interface ReaderOptions {
  /** The time of records that have none. */
  readonly now: () => number;
  /** The state of an earlier reader, to resume from. */
  readonly state?: DecoderState;
}

const MAX_DEPTH = 64;
/** Formats that `waymark pipe --json` prints. */
const OWN: ReadonlySet<string> = new Set(["waymark", "agent-chatter"]);

/** The output of `watch --json` may be saved where sessions are searched for. It is not a session. */
function isWaymarkEvent(value: unknown): boolean {
  const { eventId, agentType } = (value ?? {}) as Record<string, unknown>;
  return typeof eventId === "string" && typeof agentType === "string";
}

/**
 * Runs a decoder over the records of one source.
 *
 * @param decoder the decoder
 * @param source the origin of the records
 * @param options the clock, and the state of an earlier reader
 * @returns the reader: pass it every line, then call `end`
 * @example
 * ```ts
 * import { type Decoder, fields, items, list, openReader } from "waymark/agents";
 *
 * const decoder: Decoder = {
 *   id: "my-agent",
 *   name: "My Agent",
 *   basis: "My Agent 1.0",
 *   needles: ["todos"],
 *   score: (record) => (list(fields(record)?.todos) ? 1 : 0),
 *   start: ({ session = "" }) => ({ session }),
 *   read: (_, record, emit) => {
 *     const entries = list(fields(record)?.todos);
 *     if (!entries) return;
 *     const found = items(entries, { text: ["title"], status: ["state"] }, emit);
 *     emit({ type: "todo_list", todoId: "main", items: found });
 *   },
 * };
 * const reader = openReader(decoder, { kind: "stream", session: "s1" }, { now: Date.now });
 * const events = reader.line('{"todos":[{"title":"Run the tests","state":"done"}]}', 1);
 * ```
 */
export function openReader(decoder: Decoder, source: Source, options: ReaderOptions): Reader {
  const state = options.state ?? decoder.start(source);
  let events: StreamEvent[] = [];
  let lineNumber = 0;
  let emitted = 0;
  let isSuspect = false;

  const emit = (body: StreamBody, context: EventContext = {}): void => {
    if (context.base) {
      events.push({ ...body, ...context.base });
      return;
    }
    const sessionId = context.sessionId ?? (state.session || source.session || "unknown");
    const agentId = context.agentId ?? source.agent ?? "main";
    const key = context.key ?? `${lineNumber}.${emitted++}`;
    const base: StreamBase = {
      eventId: `${sessionId}:${agentId}:${body.type}:${key}`,
      sessionId,
      agentId,
      agentType: decoder.id,
      timestamp: timeOf(context.at) ?? options.now(),
    };
    if (body.type !== "warning") {
      events.push({ ...body, ...base });
      return;
    }
    const file = source.path !== undefined && { file: source.path };
    events.push({ ...body, ...file, line: lineNumber, ...base });
  };
  const collect = (read: () => void): readonly StreamEvent[] => {
    events = [];
    emitted = 0;
    try {
      read();
    } catch (error) {
      // Decoders should not throw. If one does, the reader skips the record and continues.
      const reason = errorMessage(error);
      emit({
        type: "warning",
        code: "unknown_record",
        message: `cannot decode the record: ${reason}`,
      });
    }
    return events;
  };
  const record = (value: unknown, number: number) =>
    collect(() => {
      lineNumber = number;
      if (OWN.has(decoder.id) || !isWaymarkEvent(value)) decoder.read(state, value, emit);
    });

  return {
    decoder,
    state,
    record,
    line: (line, number) => {
      lineNumber = number;
      const trimmed = line.startsWith("{") ? line : line.replace(/^[\uFEFF\0\s]+/, "");
      if (trimmed === "") return [];
      const records = recordsOf(trimmed, isSuspect);
      const [only] = records;
      if (only && "value" in only && records.length === 1) return record(only.value, number);
      // A source with one such line may have thousands: check the depth before parsing from now on.
      isSuspect = true;
      return records.flatMap((found) =>
        "value" in found
          ? record(found.value, number)
          : collect(() => emit({ type: "warning", code: found.code, message: found.message })),
      );
    },
    usage: (value, number) =>
      collect(() => {
        lineNumber = number;
        decoder.usage?.read(state, value, emit);
      }),
    tooLong: (length, number) =>
      collect(() => {
        lineNumber = number;
        emit({
          type: "warning",
          code: "too_large",
          message: `skipped a line of ${length} bytes`,
        });
      }),
    end: () => collect(() => decoder.end?.(state, emit)),
  };
}

type Found =
  | { readonly value: unknown }
  | { readonly code: "bad_line" | "too_large"; readonly message: string };

/** Texts of this length cannot nest deep enough to take more than milliseconds to parse. */
const SHORT = 64 * 1024;

/** Parses the records of a line: usually one, or several that were written without a line break in between. */
function recordsOf(line: string, isSuspect: boolean): readonly Found[] {
  const unchecked = line.length <= SHORT && !isSuspect;
  if (!unchecked && isDeeperThan(line, MAX_DEPTH)) return [DEEP];
  try {
    const value: unknown = JSON.parse(line);
    return unchecked && isDeeper(value, MAX_DEPTH) ? [DEEP] : [{ value: asStored(value) }];
  } catch {
    if (unchecked && isDeeperThan(line, MAX_DEPTH)) return [DEEP];
    const glued = split(line);
    return glued.length > 0 ? glued : [{ code: "bad_line", message: "not JSON" }];
  }
}

const DEEP: Found = { code: "too_large", message: `nested more than ${MAX_DEPTH} levels deep` };

/** Checks a parsed value, which is faster than scanning its text: a line has far fewer values than characters. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      if (isDeeper(value[index], levels - 1)) return true;
    return false;
  }
  const given = value as Record<string, unknown>;
  for (const name in given) if (isDeeper(given[name], levels - 1)) return true;
  return false;
}

/** Splits a line into consecutive JSON objects. Reports anything in between. */
function split(line: string): readonly Found[] {
  const found: Found[] = [];
  let hasRest = false;
  for (let at = 0; at < line.length; ) {
    if (line[at] !== "{") {
      if (line.charCodeAt(at++) > 0x20) hasRest = true;
      continue;
    }
    const end = valueEnd(line, at);
    try {
      // The line ends inside an object.
      if (end === -1) throw new SyntaxError();
      found.push({ value: asStored(JSON.parse(line.slice(at, end))) });
    } catch {
      hasRest = true;
    }
    at = end === -1 ? line.length : end;
  }
  if (found.length > 0 && hasRest)
    found.push({ code: "bad_line", message: "part of the line is not JSON" });
  return found;
}

function timeOf(at: string | number | undefined): number | undefined {
  if (typeof at === "number") return at > 0 && at < 8.64e15 ? Math.round(at) : undefined;
  if (at === undefined) return undefined;
  const time = Date.parse(at);
  return Number.isNaN(time) ? undefined : time;
}
