import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Decoder, Source } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import type { StreamBody, StreamEvent, StreamItem } from "../../src/core/stream/events.ts";
import { sized } from "../full.ts";

/** The number of damaged copies of the recordings to read. */
const RUNS = sized(500, 5_000);

export interface Recording {
  readonly name: string;
  readonly source: Source;
  readonly lines: readonly string[];
}

/** The text of a fixture. */
export function fixture(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url)), "utf8");
}

export function recording(path: string, source: Source): Recording {
  const lines = fixture(path)
    .split("\n")
    .filter((line) => line !== "");
  return { name: path, source, lines };
}

const now = () => 0;

export function decode(decoder: Decoder, { source, lines }: Recording): readonly StreamEvent[] {
  const reader = openReader(decoder, source, { now });
  const events = lines.flatMap((line, index) => reader.line(line, index + 1));
  return [...events, ...reader.end()];
}

export type EventOf<T extends StreamBody["type"]> = Extract<StreamEvent, { type: T }>;

export function only<T extends StreamBody["type"]>(
  events: readonly StreamEvent[],
  ...types: readonly T[]
): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => types.some((type) => type === event.type));
}

/** The number of accepted lists, the refusals, other warnings, and the last list of each agent. */
export function summary(events: readonly StreamEvent[]) {
  const lists = only(events, "todo_list");
  const last: Record<string, readonly StreamItem[]> = {};
  for (const { agentId, items } of lists) last[agentId] = items;
  const warnings = only(events, "warning");
  return {
    lists: lists.length,
    rejected: warnings.filter(({ code }) => code === "list_rejected").map(({ message }) => message),
    other: warnings.filter(({ code }) => code !== "list_rejected").map(({ code }) => code),
    last,
  };
}

/** The tool events: type, name and exit code. */
export function tools(events: readonly StreamEvent[]): readonly string[] {
  return only(events, "tool.started", "tool.completed", "tool.failed").map(
    (event) =>
      `${event.type} ${event.name}${"exitCode" in event && event.exitCode !== undefined ? ` ${event.exitCode}` : ""}`,
  );
}

const LISTED = /^(?:todo_list|plan\.|mode\.changed|session\.started)/;

/**
 * Decodes only the lines with needles, as for a long file. The start of a long file is always read; here that is one
 * record.
 */
function decodeScanned(decoder: Decoder, { source, lines }: Recording): readonly StreamEvent[] {
  const reader = openReader(decoder, source, { now });
  const events = lines.flatMap((line, index) => {
    const needles = [...decoder.needles, ...(decoder.pendingNeedles?.(reader.state) ?? [])];
    const read =
      index === 0 || needles.some((needle) => [needle].flat().every((text) => line.includes(text)));
    return read ? reader.line(line, index + 1) : [];
  });
  return [...events, ...reader.end()];
}

/** Only session files are scanned. Streams and documents are read in full. */
export function needleProperty(decoder: Decoder, recordings: readonly Recording[]): void {
  const files = recordings.filter(({ source }) => source.kind === "file");
  test.each(files)("$name: lines without a needle change no list", (given) => {
    const scanned = decodeScanned(decoder, given);
    const full = decode(decoder, given);
    const listed = (all: readonly StreamEvent[]) => all.filter(({ type }) => LISTED.test(type));
    expect(listed(scanned)).toEqual(listed(full));
    expect(summary(scanned).rejected).toEqual(summary(full).rejected);
  });
}

/** The properties of every decoder. */
export function decoderProperties(decoder: Decoder, recordings: readonly Recording[]): void {
  test.each(recordings)(
    "$name: reading can stop after any line and resume from the saved state",
    (given) => {
      const full = decode(decoder, given);
      for (let cut = 0; cut <= given.lines.length; cut++) {
        const first = openReader(decoder, given.source, { now });
        const before = given.lines.slice(0, cut).flatMap((line, at) => first.line(line, at + 1));
        const state = JSON.parse(JSON.stringify(first.state));
        const second = openReader(decoder, given.source, { now, state });
        const after = given.lines.slice(cut).flatMap((line, at) => second.line(line, cut + at + 1));
        expect([...before, ...after, ...second.end()]).toEqual(full);
      }
    },
  );

  needleProperty(decoder, recordings);

  test.each(recordings)("$name: every event has a unique id", (given) => {
    const ids = decode(decoder, given).map(({ eventId }) => eventId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("no record makes it throw, and its state stays plain data", () => {
    const parsed = recordings.map(({ source, lines }) => ({
      source,
      records: lines.map((line): unknown => JSON.parse(line)),
    }));
    let damaged = 0;
    fc.assert(
      fc.property(
        fc.nat(parsed.length - 1),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }),
        (which, wounds) => {
          const { source, records } = parsed[which] ?? { source: undefined, records: [] };
          if (!source) return;
          const hurt = [...records];
          for (const [where, path, kind] of wounds) {
            const index = where % hurt.length;
            hurt[index] = damage(hurt[index], path, kind);
            damaged++;
          }
          const state = decoder.start(source);
          for (const record of hurt) decoder.read(state, record, () => {});
          decoder.end?.(state, () => {});
          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        },
      ),
      { numRuns: RUNS },
    );
    expect(damaged).toBeGreaterThan(2 * RUNS);
  });

  test("skips values that are not records", () => {
    const reader = openReader(decoder, { kind: "stream" }, { now });
    for (const junk of [null, 1, "text", [], [1], {}, { type: 1 }, { message: [] }])
      expect([junk, decoder.score(junk), reader.record(junk, 1)]).toEqual([junk, 0, []]);
  });
}

const JUNK: readonly unknown[] = [
  null,
  0,
  -1,
  "",
  "x",
  true,
  [],
  {},
  [[]],
  [null],
  { a: [1] },
  1e308,
];

/** Drops, replaces, doubles or shortens one value of a record. */
function damage(record: unknown, path: number, kind: number): unknown {
  const copy: unknown = structuredClone(record);
  const values: { parent: Record<string, unknown>; key: string }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const parent = value as Record<string, unknown>;
    for (const key of Object.keys(parent)) {
      values.push({ parent, key });
      walk(parent[key]);
    }
  };
  walk(copy);
  const target = values[path % Math.max(values.length, 1)];
  if (!target) return JUNK[kind % JUNK.length];
  const { parent, key } = target;
  const value = parent[key];
  switch (kind % 4) {
    case 0:
      delete parent[key];
      break;
    case 1:
      parent[key] = JUNK[(kind >> 2) % JUNK.length];
      break;
    case 2:
      if (Array.isArray(value)) value.push(...structuredClone(value));
      else parent[`${key}2`] = value;
      break;
    default:
      parent[key] = typeof value === "string" ? value.slice(0, (kind >> 2) % 9) : [value];
  }
  return JSON.parse(JSON.stringify(copy));
}
