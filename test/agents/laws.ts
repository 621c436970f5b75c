import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Dialect, Source } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import type { StreamBody, StreamEvent, StreamItem } from "../../src/core/stream/events.ts";
import { sized } from "../full.ts";

/** How many damaged copies of the recordings are read. */
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

export function decode(dialect: Dialect, { source, lines }: Recording): readonly StreamEvent[] {
  const reader = openReader(dialect, source, { now });
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

/** Accepted lists, refusals and last list of each agent. */
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

/** What happened, in short: type, and what it is about. */
export function tools(events: readonly StreamEvent[]): readonly string[] {
  return only(events, "tool.started", "tool.completed", "tool.failed").map(
    (event) =>
      `${event.type} ${event.name}${"exitCode" in event && event.exitCode !== undefined ? ` ${event.exitCode}` : ""}`,
  );
}

const LISTED = /^(?:todo_list|plan\.|mode\.changed|session\.started)/;

/**
 * What is told when only the lines are read that somebody looks for. Of a long file the beginning
 * is read whole; here that is one record, as if it were large.
 */
function decodeScanned(dialect: Dialect, { source, lines }: Recording): readonly StreamEvent[] {
  const reader = openReader(dialect, source, { now });
  const events = lines.flatMap((line, index) => {
    const looked = [...dialect.needles, ...(dialect.wanted?.(reader.state) ?? [])];
    const read =
      index === 0 || looked.some((needle) => [needle].flat().every((text) => line.includes(text)));
    return read ? reader.line(line, index + 1) : [];
  });
  return [...events, ...reader.end()];
}

/** Only session files are scanned: streams and documents are read whole. */
export function needleLaw(dialect: Dialect, recordings: readonly Recording[]): void {
  const files = recordings.filter(({ source }) => source.kind === "file");
  test.each(files)("$name: lines that nobody looks for change no list", (given) => {
    const scanned = decodeScanned(dialect, given);
    const whole = decode(dialect, given);
    const listed = (all: readonly StreamEvent[]) => all.filter(({ type }) => LISTED.test(type));
    expect(listed(scanned)).toEqual(listed(whole));
    expect(summary(scanned).rejected).toEqual(summary(whole).rejected);
  });
}

/** What every dialect must keep, whatever its records look like. */
export function dialectLaws(dialect: Dialect, recordings: readonly Recording[]): void {
  test.each(recordings)("$name: reading can stop anywhere and go on later", (given) => {
    const whole = decode(dialect, given);
    for (let cut = 0; cut <= given.lines.length; cut++) {
      const first = openReader(dialect, given.source, { now });
      const before = given.lines.slice(0, cut).flatMap((line, at) => first.line(line, at + 1));
      const state = JSON.parse(JSON.stringify(first.state));
      const second = openReader(dialect, given.source, { now, state });
      const after = given.lines.slice(cut).flatMap((line, at) => second.line(line, cut + at + 1));
      expect([...before, ...after, ...second.end()]).toEqual(whole);
    }
  });

  needleLaw(dialect, recordings);

  test.each(recordings)("$name: every event has an id of its own", (given) => {
    const ids = decode(dialect, given).map(({ eventId }) => eventId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("no record makes it throw, and its memory stays plain data", () => {
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
            hurt[index] = wound(hurt[index], path, kind);
            damaged++;
          }
          const state = dialect.start(source);
          for (const record of hurt) dialect.read(state, record, () => {});
          dialect.end?.(state, () => {});
          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        },
      ),
      { numRuns: RUNS },
    );
    expect(damaged).toBeGreaterThan(2 * RUNS);
  });

  test("what is no record at all is passed over", () => {
    const reader = openReader(dialect, { kind: "stream" }, { now });
    for (const junk of [null, 1, "text", [], [1], {}, { type: 1 }, { message: [] }])
      expect([junk, dialect.sniff(junk), reader.record(junk, 1)]).toEqual([junk, 0, []]);
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

/** The record with one place of it dropped, replaced, doubled or cut short. */
function wound(record: unknown, path: number, kind: number): unknown {
  const copy: unknown = structuredClone(record);
  const places: { holder: Record<string, unknown>; key: string }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const holder = value as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      walk(holder[key]);
    }
  };
  walk(copy);
  const place = places[path % Math.max(places.length, 1)];
  if (!place) return JUNK[kind % JUNK.length];
  const { holder, key } = place;
  const value = holder[key];
  switch (kind % 4) {
    case 0:
      delete holder[key];
      break;
    case 1:
      holder[key] = JUNK[(kind >> 2) % JUNK.length];
      break;
    case 2:
      if (Array.isArray(value)) value.push(...structuredClone(value));
      else holder[`${key}2`] = value;
      break;
    default:
      holder[key] = typeof value === "string" ? value.slice(0, (kind >> 2) % 9) : [value];
  }
  return JSON.parse(JSON.stringify(copy));
}
