import { errorMessage } from "../../core/error.ts";
import type { StreamBase, StreamBody, StreamEvent } from "../../core/stream/events.ts";
import { isDeeperThan, valueEnd } from "../../core/text/json-scan.ts";
import type { About, Dialect, DialectState, Source } from "../agent.ts";

/** Reads the records of one source with one dialect and makes whole events of what it says. */
export interface Reader {
  readonly dialect: Dialect;
  readonly state: DialectState;
  /** One line of the source; `number` counts from 1. */
  line(line: string, number: number): readonly StreamEvent[];
  record(record: unknown, number: number): readonly StreamEvent[];
  /** A line that was too long to be kept. */
  tooLong(length: number, number: number): readonly StreamEvent[];
  end(): readonly StreamEvent[];
}

/** Options of `openReader`. */
export interface ReaderOptions {
  /** The time that records without one get. */
  readonly now: () => number;
  /** Carries on where an earlier reading left off. */
  readonly state?: DialectState;
}

const MAX_DEPTH = 64;
/** Formats that `waymark pipe --json` prints. */
const OWN: ReadonlySet<string> = new Set(["waymark", "agent-chatter"]);

/** What `watch --json` prints may be kept where sessions are looked for: it must not come back as one. */
function isOurs(value: unknown): boolean {
  const { eventId, agentType } = (value ?? {}) as Record<string, unknown>;
  return typeof eventId === "string" && typeof agentType === "string";
}

/**
 * Runs a decoder over the records of one source.
 *
 * @param dialect the decoder
 * @param source where the records come from
 * @param options the clock, and the state of an earlier reading
 * @returns the reader: pass it line after line, then call `end`
 * @example
 * ```ts
 * import { type Dialect, fields, items, list, openReader } from "waymark/agents";
 *
 * const decoder: Dialect = {
 *   id: "my-agent",
 *   name: "My Agent",
 *   proof: "My Agent 1.0",
 *   needles: ["todos"],
 *   sniff: (record) => (list(fields(record)?.todos) ? 1 : 0),
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
export function openReader(dialect: Dialect, source: Source, options: ReaderOptions): Reader {
  const state = options.state ?? dialect.start(source);
  let events: StreamEvent[] = [];
  let place = 0;
  let said = 0;
  let wary = false;

  const emit = (body: StreamBody, about: About = {}): void => {
    if (about.whole) {
      events.push({ ...body, ...about.whole });
      return;
    }
    const sessionId = about.sessionId ?? (state.session || source.session || "unknown");
    const agentId = about.agentId ?? source.agent ?? "main";
    const key = about.key ?? `${place}.${said++}`;
    const base: StreamBase = {
      eventId: `${sessionId}:${agentId}:${body.type}:${key}`,
      sessionId,
      agentId,
      agentType: dialect.id,
      timestamp: timeOf(about.at) ?? options.now(),
    };
    if (body.type !== "warning") {
      events.push({ ...body, ...base });
      return;
    }
    const file = source.path !== undefined && { file: source.path };
    events.push({ ...body, ...file, line: place, ...base });
  };
  const collect = (read: () => void): readonly StreamEvent[] => {
    events = [];
    said = 0;
    try {
      read();
    } catch (error) {
      // Decoders are written not to throw; should one do so, the reading goes on all the same.
      const reason = errorMessage(error);
      emit({ type: "warning", code: "unknown_record", message: `not understood: ${reason}` });
    }
    return events;
  };
  const record = (value: unknown, number: number) =>
    collect(() => {
      place = number;
      if (OWN.has(dialect.id) || !isOurs(value)) dialect.read(state, value, emit);
    });

  return {
    dialect,
    state,
    record,
    line: (line, number) => {
      place = number;
      const trimmed = line.startsWith("{") ? line : line.replace(/^[\uFEFF\0\s]+/, "");
      if (trimmed === "") return [];
      const records = recordsOf(trimmed, wary);
      const [only] = records;
      if (only && "value" in only && records.length === 1) return record(only.value, number);
      // Whoever writes one line that is slow to parse may write a thousand of them.
      wary = true;
      return records.flatMap((found) =>
        "value" in found
          ? record(found.value, number)
          : collect(() => emit({ type: "warning", code: found.code, message: found.message })),
      );
    },
    tooLong: (length, number) =>
      collect(() => {
        place = number;
        emit({
          type: "warning",
          code: "too_large",
          message: `a line of ${length} bytes was passed over`,
        });
      }),
    end: () => collect(() => dialect.end?.(state, emit)),
  };
}

type Found =
  | { readonly value: unknown }
  | { readonly code: "bad_line" | "too_large"; readonly message: string };

/** So few levels fit in a text of this length that parsing it takes milliseconds at most. */
const SHORT = 64 * 1024;

/** The records of a line: one, or several that were written without a line break between them. */
function recordsOf(line: string, wary: boolean): readonly Found[] {
  const unchecked = line.length <= SHORT && !wary;
  if (!unchecked && isDeeperThan(line, MAX_DEPTH)) return [DEEP];
  try {
    const value: unknown = JSON.parse(line);
    return unchecked && isDeeper(value, MAX_DEPTH) ? [DEEP] : [{ value }];
  } catch {
    if (unchecked && isDeeperThan(line, MAX_DEPTH)) return [DEEP];
    const glued = split(line);
    return glued.length > 0 ? glued : [{ code: "bad_line", message: "not JSON" }];
  }
}

const DEEP: Found = { code: "too_large", message: `nested more than ${MAX_DEPTH} levels deep` };

/** Of what is parsed already: a line has far fewer values than characters. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let place = 0; place < value.length; place++)
      if (isDeeper(value[place], levels - 1)) return true;
    return false;
  }
  const given = value as Record<string, unknown>;
  for (const name in given) if (isDeeper(given[name], levels - 1)) return true;
  return false;
}

/** Whole objects that stand in a line one after another; what lies between is said. */
function split(line: string): readonly Found[] {
  const found: Found[] = [];
  let rest = false;
  for (let place = 0; place < line.length; ) {
    if (line[place] !== "{") {
      if (line.charCodeAt(place++) > 0x20) rest = true;
      continue;
    }
    const end = valueEnd(line, place);
    try {
      // The line ends inside an object.
      if (end === -1) throw new SyntaxError();
      found.push({ value: JSON.parse(line.slice(place, end)) });
    } catch {
      rest = true;
    }
    place = end === -1 ? line.length : end;
  }
  if (found.length > 0 && rest)
    found.push({ code: "bad_line", message: "part of the line is not JSON" });
  return found;
}

function timeOf(at: string | number | undefined): number | undefined {
  if (typeof at === "number") return at > 0 && at < 8.64e15 ? Math.round(at) : undefined;
  if (at === undefined) return undefined;
  const time = Date.parse(at);
  return Number.isNaN(time) ? undefined : time;
}
