import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { DecoderState } from "../../agents/agent.ts";
import type { Activity } from "../../core/activity/activity.ts";
import { type PackedUsage, packUsage, unpackUsage } from "../../core/activity/packed-usage.ts";
import { FOLD_VERSION } from "../../core/evolve.ts";
import type { Track } from "../../core/model.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { replaceWithoutSync } from "../../engines/storage/files.ts";
import type { Indexed } from "./fold.ts";
import type { Mark } from "./scan/tail.ts";

/** The state of every file, stored between runs. */
export type Index = Map<string, Indexed>;

/** Must change whenever the stored data would be read differently. */
const FORMAT = `waymark index 11.${FOLD_VERSION}`;

/** The part of a file's state that every run needs: whether it changed, and which agents it has. */
type Outline = Pick<Indexed, "key" | "dialect" | "size" | "mtime" | "mentions" | "problem">;

/** An outline as stored, with the byte lengths of its two lines. */
interface Row extends Outline {
  readonly bytes: readonly [lives: number, rest: number];
}

/** The part that is needed only if a file is shown or has grown; most are not. */
interface Rest {
  readonly state: DecoderState;
  readonly mark: Mark;
  /** By track key. */
  readonly lives: Readonly<Record<string, LazyFields>>;
}

/** Fields of a track that are rarely needed. */
interface LazyFields extends Pick<Activity, "calls" | "recent">, Pick<Track, "todos"> {
  readonly plan?: string;
}

/** A stored entry that is parsed on demand. */
interface Unparsed {
  readonly lives: () => string;
  readonly rest: () => string;
  /** Whether `lives` was read, and may have been changed. */
  isOpened: boolean;
}

const unparsed = new WeakMap<Indexed, Unparsed>();

/** An entry as its outline and two lines of JSON. */
export interface Packed {
  readonly outline: Outline;
  readonly lives: string;
  readonly rest: string;
}

const NEWLINE = 0x0a;

/**
 * The file has a line with the format, a line with all outlines, two lines per entry, the second with
 * what is rarely needed, and the checksum of these. Most of it is never parsed.
 */
export function loadIndex(path: string): Index {
  try {
    const bytes = readFileSync(path);
    const begin = bytes.indexOf(NEWLINE) + 1;
    if (bytes.toString("latin1", 0, begin) !== `${FORMAT}\n`) return new Map();
    // A loss of power can leave any part empty, because the file is written without sync.
    const length = bytes.lastIndexOf(NEWLINE) + 1;
    if (bytes.toString("latin1", length) !== sumOf(bytes.subarray(0, length))) return new Map();
    const end = bytes.indexOf(NEWLINE, begin);
    const rows = JSON.parse(bytes.toString("utf8", begin, end)) as readonly Row[];
    const index: Index = new Map();
    let offset = end + 1;
    for (const row of rows) {
      const middle = offset + row.bytes[0];
      const from = offset;
      const to = middle + 1 + row.bytes[1];
      const entry = entryOf(row, {
        lives: () => bytes.toString("utf8", from, middle),
        rest: () => bytes.toString("utf8", middle + 1, to),
        isOpened: false,
      });
      index.set(entry.key, entry);
      offset = to + 1;
    }
    return index;
  } catch {
    // Missing or damaged: everything is read again.
    return new Map();
  }
}

export function pack(entry: Indexed): Packed {
  const { key, dialect, size, mtime, mentions, problem } = entry;
  const known = unparsed.get(entry);
  return {
    outline: { key, dialect, size, mtime, mentions, ...(problem !== undefined && { problem }) },
    lives: known && !known.isOpened ? known.lives() : livesLine(entry),
    rest: known?.rest() ?? restLine(entry),
  };
}

export function unpack({ outline, lives, rest }: Packed): Indexed {
  return entryOf(outline, { lives: () => lives, rest: () => rest, isOpened: false });
}

function entryOf({ key, dialect, size, mtime, mentions, problem }: Outline, stored: Unparsed) {
  let lives: Indexed["lives"] | undefined;
  let known: Rest | undefined;
  const rest = (): Rest => {
    known ??= JSON.parse(stored.rest()) as Rest;
    return known;
  };
  const entry: Indexed = {
    key,
    dialect,
    size,
    mtime,
    mentions,
    get lives() {
      stored.isOpened = true;
      lives ??= livesOf(stored.lives(), rest);
      return lives;
    },
    get state() {
      return rest().state;
    },
    get mark() {
      return rest().mark;
    },
  };
  if (problem !== undefined) return { ...entry, problem };
  unparsed.set(entry, stored);
  return entry;
}

function livesOf(line: string, rest: () => Rest): Indexed["lives"] {
  const lives = JSON.parse(line) as Indexed["lives"];
  for (const key in lives) {
    const live = lives[key];
    if (!live) continue;
    deferUsage(live);
    defer(live, () => rest().lives[key] ?? EMPTY_FIELDS);
  }
  return lives;
}

const EMPTY_FIELDS: LazyFields = { calls: [], recent: [], todos: [] };

function defer(live: LiveTrack, rest: () => LazyFields): void {
  lazy(live.track, "todos", () => rest().todos);
  lazy(live.activity, "calls", () => rest().calls);
  lazy(live.activity, "recent", () => rest().recent);
  if (live.plan) lazy(live.plan, "text", () => rest().plan ?? "");
}

/** Unpacks the usage on demand. It is replaced when the file has grown. */
function deferUsage(live: LiveTrack): void {
  if (!live.usage) return;
  const stored = live.usage as unknown as PackedUsage;
  const keep = (value: LiveTrack["usage"]) => {
    Object.defineProperty(live, "usage", { value, enumerable: true, writable: true });
    return value;
  };
  const get = () => keep(unpackUsage(stored));
  Object.defineProperty(live, "usage", { get, set: keep, enumerable: true, configurable: true });
}

function lazy<T, K extends keyof T>(whole: T, name: K, get: () => T[K]): void {
  Object.defineProperty(whole, name, { get, enumerable: true, configurable: true });
}

export function saveIndex(path: string, index: Index): void {
  const packed = [...index.values()].map(pack);
  const rows = packed.map(
    ({ outline, lives, rest }): Row => ({
      ...outline,
      bytes: [Buffer.byteLength(lives), Buffer.byteLength(rest)],
    }),
  );
  const lines = packed.flatMap(({ lives, rest }) => [lives, rest]);
  const content = `${[FORMAT, JSON.stringify(rows), ...lines].join("\n")}\n`;
  replaceWithoutSync(path, content + sumOf(content));
}

const sumOf = (content: string | Buffer) => crc32(content).toString(16);

function livesLine({ lives }: Indexed): string {
  const heads: Record<string, object> = {};
  for (const [key, live] of Object.entries(lives)) heads[key] = headOf(live);
  return JSON.stringify(heads);
}

function headOf(live: LiveTrack) {
  const { track, activity, plan, usage } = live;
  const head = {
    ...live,
    ...(usage && { usage: packUsage(usage) }),
    track: without(track, ["todos"]),
    activity: without(activity, ["calls", "recent"]),
  };
  return plan ? { ...head, plan: without(plan, ["text"]) } : head;
}

/** Copies the other fields without reading these: reading would parse them. */
function without<T extends object>(whole: T, names: readonly (keyof T)[]): object {
  const rest: Partial<T> = {};
  for (const name of Object.keys(whole) as (keyof T)[])
    if (!names.includes(name)) rest[name] = whole[name];
  return rest;
}

function restLine({ state, mark, lives }: Indexed): string {
  const lazyFields: Record<string, LazyFields> = {};
  for (const [key, { track, activity, plan }] of Object.entries(lives)) {
    const { calls, recent } = activity;
    const fields = { calls, recent, todos: track.todos };
    lazyFields[key] = plan ? { ...fields, plan: plan.text } : fields;
  }
  return JSON.stringify({ state, mark, lives: lazyFields } satisfies Rest);
}
