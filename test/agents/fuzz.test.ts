import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Decoder, Source } from "../../src/agents/agent.ts";
import { openReader, type Reader } from "../../src/agents/common/reader.ts";
import { DECODERS, findDecoder } from "../../src/agents/index.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { cpuTime } from "../cpu-time.ts";
import { FULL, sized } from "../full.ts";

const LINES = sized(5_000, 1_000_000);
const SEED = 20_261_115;
/** The number of damaged lines per reader before its state is checked. */
const PER_READER = 40;
/** The limit for one damaged line in milliseconds. A line takes a small fraction of it. */
const MAX_TIME = 1_000;

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));
/** Directories of recordings by topic instead of by agent. */
const TOPICS = new Set(["hooks", "lies", "needs-you", "truth", "usage"]);
const now = () => 0;

/** The recorded lines of one agent in one kind of source. */
interface Corpus {
  readonly decoder: Decoder;
  readonly source: Source;
  readonly lines: readonly string[];
  readonly marker: Marker | undefined;
}

/** Lines that write a list with a number in its first text. */
type Marker = (number: number) => { readonly lines: readonly string[]; readonly text: string };

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/** Entries of a document that is an array of records are read like lines. */
function recordsIn(path: string): readonly string[] {
  const content = readFileSync(path, "utf8");
  if (path.endsWith(".jsonl")) return content.split("\n").filter(Boolean);
  const document: unknown = JSON.parse(content);
  return path.includes(`${sep}rows${sep}`) && Array.isArray(document)
    ? document.map((entry) => JSON.stringify(entry))
    : [JSON.stringify(document)];
}

function corpora(): readonly Corpus[] {
  const groups = new Map<string, { decoder: Decoder; source: Source; files: string[][] }>();
  const add = (id: string, kind: Source["kind"], lines: readonly string[]) => {
    const decoder = findDecoder(id);
    if (!decoder) throw new Error(`no decoder ${id}`);
    const group = groups.get(`${id} ${kind}`) ?? {
      decoder,
      source: { kind, ...(kind === "document" && { session: "s1" }) },
      files: [],
    };
    group.files.push([...lines]);
    groups.set(`${id} ${kind}`, group);
  };
  for (const path of filesBelow(FIXTURES)) {
    const [first = "", second = ""] = path.slice(FIXTURES.length).split(sep);
    if (TOPICS.has(first)) continue;
    const id = first === "rows" ? second : first;
    add(id, path.endsWith(".jsonl") ? "file" : "document", recordsIn(path));
  }
  const claude = groups.get("claude-code file");
  if (!claude) throw new Error("no recordings of Claude Code");
  add("waymark", "stream", eventsOf(claude.decoder, claude.source, claude.files.flat()));
  return [...groups.values()].map(({ decoder, source, files }) => ({
    decoder,
    source,
    lines: files.flat(),
    marker: markerOf(decoder, source, files),
  }));
}

function eventsOf(decoder: Decoder, source: Source, lines: readonly string[]): readonly string[] {
  const reader = openReader(decoder, source, { now });
  return lines.flatMap((line, at) => reader.line(line, at)).map((event) => JSON.stringify(event));
}

const MAX_WINDOW = 4;

/**
 * The fewest lines of the recordings that write a list on their own. A growing document has none: entries at known
 * positions were read before.
 */
function markerOf(
  decoder: Decoder,
  source: Source,
  files: readonly (readonly string[])[],
): Marker | undefined {
  for (let size = 1; size <= MAX_WINDOW; size++)
    for (const lines of files)
      for (let start = 0; start + size <= lines.length; start++) {
        const marker = numbered(decoder, source, lines.slice(start, start + size));
        if (marker) return marker;
      }
  if (source.kind === "document") return undefined;
  throw new Error(`nothing in the recordings of ${decoder.id} writes a list`);
}

function numbered(decoder: Decoder, source: Source, lines: readonly string[]): Marker | undefined {
  const reader = openReader(decoder, source, { now });
  const events = lines.flatMap((line, at) => reader.line(line, at));
  const list = events.findLast((event) => event.type === "todo_list");
  const text = list?.items[0]?.text;
  if (!list || text === undefined || !lines.some((line) => line.includes(text))) return undefined;
  const id = idIn(list.eventId, lines);
  const marker: Marker = (number) => {
    const renamed = `${text} ${number}`;
    return {
      text: renamed,
      lines: lines.map((line) => {
        // Hermes numbers its lists. A known number is not a new list.
        const counted = line.replace(/(revision\\"\s*:\s*)\d+/, `$1${1_000 + number}`);
        // The id may be a digit, which the new text must keep.
        const identified =
          id === undefined ? counted : counted.replaceAll(id, (found) => withNumber(found, number));
        return identified.replaceAll(text, renamed);
      }),
    };
  };
  const again = openReader(decoder, source, { now });
  return [1, 2, 3].every((number) => isRead(again, marker, number)) ? marker : undefined;
}

/** The part of an event id that comes from the lines, quoted if it is a string. */
function idIn(eventId: string, lines: readonly string[]): string | undefined {
  const parts = eventId.split(":").slice(3).join(":").split(".");
  const ids = parts.map((_, index) => parts.slice(index).join("."));
  return ids
    .flatMap((id) => (/^\d+$/.test(id) ? [`"${id}"`, id] : [`"${id}"`]))
    .find((id) => lines.some((line) => line.includes(id)));
}

function withNumber(id: string, number: number): string {
  return id.endsWith('"') ? `${id.slice(0, -1)}-${number}"` : `${id}${number}`;
}

function isRead(reader: Reader, marker: Marker, number: number): boolean {
  const { lines, text } = marker(number);
  const events = lines.flatMap((line) => reader.line(line, number));
  return events.some((event: StreamEvent) =>
    event.type === "todo_list" ? event.items.some((item) => item.text === text) : false,
  );
}

/** Whether a decoder threw. The reader continues with a warning. */
function isThrown(event: StreamEvent): boolean {
  return event.type === "warning" && event.message.startsWith("cannot decode the record: ");
}

type Random = () => number;

/** Pseudorandom numbers from a seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const INSERTED = ["\0", '"', "{", "}", "[", "]", "\\", ",", ":", "\r", "\ufeff", "null", "1e999"];

function damage(line: string, other: string, random: Random): readonly string[] {
  const below = (end: number) => Math.floor(random() * end);
  const bytes = Buffer.from(line);
  const at = below(bytes.length);
  const length = 1 + below(Math.min(40, bytes.length));
  switch (below(8)) {
    case 0:
      return [bytes.toString("utf8", 0, at)];
    case 1:
      return [bytes.toString("utf8", at)];
    case 2:
      for (let count = 1 + below(4); count > 0; count--) bytes[below(bytes.length)] = below(256);
      return [bytes.toString("utf8")];
    case 3: {
      const inserted = INSERTED[below(INSERTED.length)] ?? "";
      return [`${bytes.toString("utf8", 0, at)}${inserted}${bytes.toString("utf8", at)}`];
    }
    case 4:
      return [`${line}${other}`];
    case 5:
      return [line, line];
    case 6:
      return [`${bytes.toString("utf8", 0, at)}${bytes.toString("utf8", at + length)}`];
    default:
      return [`${bytes.toString("utf8", 0, at)}${other}`];
  }
}

test(`reads every valid line among ${LINES} damaged ones without throwing`, {
  tags: ["damaged-record"],
  timeout: FULL ? 1_800_000 : 60_000,
}, () => {
  const random = randomOf(SEED);
  const all = corpora();
  expect(new Set(all.map(({ decoder }) => decoder.id))).toEqual(
    new Set(DECODERS.map(({ id }) => id)),
  );
  const unmarked = all.flatMap(({ decoder, source, marker }) =>
    marker ? [] : [`${decoder.id} ${source.kind}`],
  );
  // Hermes: a growing document. Kilo Code, OpenClaw: tables, from which the reader of the database makes the
  // records. Kimi Code: a file without a list.
  expect(unmarked.toSorted()).toEqual([
    "hermes document",
    "kilo document",
    "kimi document",
    "openclaw document",
  ]);
  let linesRead = 0;
  let markers = 0;
  let slowest = 0;
  const lost: string[] = [];
  const thrown: string[] = [];
  while (linesRead < LINES) {
    for (const { decoder, source, lines, marker } of all) {
      const some = () => lines[Math.floor(random() * lines.length)] ?? "";
      const reader = openReader(decoder, source, { now });
      for (let count = 0; count < PER_READER; count++) {
        for (const line of damage(some(), some(), random)) {
          const start = cpuTime();
          const events = reader.line(line, linesRead);
          slowest = Math.max(slowest, cpuTime() - start);
          linesRead++;
          if (events.some(isThrown)) thrown.push(`${decoder.id} ${source.kind}: ${line}`);
          if (marker && !isRead(reader, marker, ++markers) && lost.length < 5)
            lost.push(`${decoder.id} ${source.kind}: ${line}`);
        }
      }
      reader.end();
      expect(JSON.parse(JSON.stringify(reader.state))).toEqual(reader.state);
    }
  }
  expect({ lost, thrown }).toEqual({ lost: [], thrown: [] });
  expect(markers).toBeGreaterThan(LINES / 2);
  expect(slowest).toBeLessThan(MAX_TIME);
});

/** Numbers that JSON can express, but that a stored state does not keep as they are. */
const LOSSY = ["1e999", "-1e999", "-0"];

/** Adds a field with a number to every object in a line, also to objects in embedded JSON and JavaScript. */
function withNumbers(line: string, added: string): string {
  return line
    .replace(/\{(?=(\\*")[^:{}]*:)/g, `{$1added$1:${added},`)
    .replace(/\{(?=\s*[a-z]\w*\s*:)/gi, `{added:${added},`);
}

test.each(LOSSY)(
  "keeps a state that can be stored, with %s in every object of a record",
  (added) => {
    let changed = 0;
    for (const { decoder, source, lines } of corpora()) {
      const reader = openReader(decoder, source, { now });
      for (const [index, line] of lines.entries()) {
        const given = withNumbers(line, added);
        if (given !== line) changed++;
        reader.line(given, index + 1);
        expect(JSON.parse(JSON.stringify(reader.state)), decoder.id).toEqual(reader.state);
      }
    }
    expect(changed).toBeGreaterThan(1_000);
  },
);
