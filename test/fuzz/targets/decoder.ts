import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Decoder, DecoderState } from "../../../src/agents/agent.ts";
import { openReader } from "../../../src/agents/common/reader.ts";
import { DECODERS } from "../../../src/agents/index.ts";
import type { StreamEvent } from "../../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../../src/core/stream/fold.ts";
import { holds, same } from "../check.ts";

const KINDS = ["stream", "file", "document"] as const;

const FIXTURES = "test/fixtures";
const MAX_SEED = 6_000;

/** The beginnings of the recordings that tests read, for the decoder that knows most of their records. */
export function seeds(): Buffer[] {
  return readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => {
      const text = readFileSync(join(FIXTURES, file), "utf8").slice(0, MAX_SEED);
      const records = text.split("\n").flatMap((line) => recordIn(line) ?? []);
      const scores = DECODERS.map(({ id, score }) => ({
        id,
        sum: records.reduce<number>((sum, record) => sum + score(record), 0),
      }));
      const [best] = scores.sort((a, b) => b.sum - a.sum);
      return best ? [Buffer.from(`${best.id} file\n${text}`)] : [];
    });
}

function recordIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The first line names the decoder and the kind of source, the others are records. */
export function fuzz(bytes: Buffer): void {
  const [head = "", ...lines] = bytes.toString().split("\n");
  const [id, kind] = head.split(" ");
  const decoder = DECODERS.find((each) => each.id === id);
  if (!decoder) return;
  const source = { kind: KINDS.find((each) => each === kind) ?? "file", session: "s" } as const;
  const open = (state?: DecoderState) =>
    openReader(decoder, source, { now: () => 0, ...(state && { state }) });

  const reader = open();
  const events = read(decoder, reader, lines);
  events.push(...reader.end());
  const state = plain("state", reader.state);

  const cut = lines.length >> 1;
  const first = open();
  const inPieces = read(decoder, first, lines.slice(0, cut));
  const second = open(plain("state", first.state));
  inPieces.push(...read(decoder, second, lines.slice(cut), cut));
  inPieces.push(...second.end());
  same("events of two pieces", inPieces, events);
  same("state after two pieces", plain("state", second.state), state);

  for (const event of events)
    holds(
      `the decoder does not throw: ${"message" in event && event.message}`,
      !(event.type === "warning" && event.message.startsWith("cannot decode the record")),
    );
  fold(events);
}

function read(
  decoder: Decoder,
  reader: ReturnType<typeof openReader>,
  lines: readonly string[],
  from = 0,
): StreamEvent[] {
  return lines.flatMap((line, index) => {
    const rows = decoder.database && /^\{"rows":/.test(line) ? rowsIn(line) : undefined;
    return rows && decoder.database
      ? decoder.database.records(rows).flatMap((record) => reader.record(record, from + index + 1))
      : reader.line(line, from + index + 1);
  });
}

/** The answers to the queries of a database, by name. */
function rowsIn(line: string): Readonly<Record<string, readonly unknown[]>> | undefined {
  try {
    const { rows } = JSON.parse(line) as { readonly rows: unknown };
    if (typeof rows !== "object" || rows === null) return undefined;
    // Rows are objects: SQLite returns nothing else.
    const isRow = (row: unknown) => typeof row === "object" && row !== null && !Array.isArray(row);
    return Object.fromEntries(
      Object.entries(rows).map(([name, all]) => [
        name,
        Array.isArray(all) ? all.filter(isRow) : [],
      ]),
    );
  } catch {
    return undefined;
  }
}

function fold(events: readonly StreamEvent[]): void {
  const lives = new Map<string, LiveTrack>();
  for (const event of events) {
    const key = JSON.stringify([event.sessionId, event.agentId]);
    const live = lives.get(key) ?? emptyLiveTrack(event);
    lives.set(key, live);
    foldStream(live, event);
  }
  for (const live of lives.values()) {
    plain("track", live);
    const ids = live.track.todos.map(({ id }) => id);
    same("unique ids", new Set(ids).size, ids.length);
  }
}

/** The value as stored, which must be the same value. */
function plain<T>(what: string, value: T): T {
  const stored: T = JSON.parse(JSON.stringify(value));
  same(`stored ${what}`, stored, JSON.parse(JSON.stringify(stored)));
  return stored;
}
