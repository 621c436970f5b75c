import { readFileSync } from "node:fs";
import type { DialectState } from "../../agents/agent.ts";
import type { Activity } from "../../core/activity/activity.ts";
import { FOLD_VERSION } from "../../core/evolve.ts";
import type { Track } from "../../core/model.ts";
import type { Live } from "../../core/stream/fold.ts";
import { replaceLoosely } from "../../engines/storage/place.ts";
import type { Indexed } from "./fold.ts";
import type { Mark } from "./scan/tail.ts";

/** What is known of every file, kept between two starts. A cache: it can be thrown away. */
export type Index = Map<string, Indexed>;

/** Changes whenever what is kept would be read differently. */
const FORMAT = `waymark index 7.${FOLD_VERSION}`;

/** What is needed of every file each time: whether it changed, and whom it tells of. */
type Outline = Pick<Indexed, "key" | "dialect" | "size" | "mtime" | "mentions" | "problem">;

/** As it is kept: with how many bytes of the file the two lines take that belong to it. */
interface Row extends Outline {
  readonly bytes: readonly [lives: number, rest: number];
}

/** What is only needed of a file that is looked at closely, or has grown; most never are. */
interface Rest {
  readonly state: DialectState;
  readonly mark: Mark;
  /** By the key of the agent. */
  readonly lives: Readonly<Record<string, Seldom>>;
}

/** What of an agent only few ask for. */
interface Seldom extends Pick<Activity, "calls" | "recent">, Pick<Track, "todos"> {
  readonly plan?: string;
}

/** What was kept, as it was written, until somebody asks. */
interface Unread {
  readonly lives: () => string;
  readonly rest: () => string;
  /** Somebody asked, and may have changed it. */
  isOpened: boolean;
}

const unread = new WeakMap<Indexed, Unread>();

/** What is known of a file: what is always needed, and two lines of JSON for the rest. */
export interface Packed {
  readonly outline: Outline;
  readonly lives: string;
  readonly rest: string;
}

const NEWLINE = 0x0a;

/**
 * One line says what it is, one has what is needed of every file; then two for each of them, the
 * second with what is seldom needed. Most of it is never looked at.
 */
export function loadIndex(path: string): Index {
  try {
    const bytes = readFileSync(path);
    const begin = bytes.indexOf(NEWLINE) + 1;
    if (bytes.toString("latin1", 0, begin) !== `${FORMAT}\n`) return new Map();
    const end = bytes.indexOf(NEWLINE, begin);
    const rows = JSON.parse(bytes.toString("utf8", begin, end)) as readonly Row[];
    const index: Index = new Map();
    let place = end + 1;
    for (const row of rows) {
      const middle = place + row.bytes[0];
      const from = place;
      const to = middle + 1 + row.bytes[1];
      const entry = entryOf(row, {
        lives: () => bytes.toString("utf8", from, middle),
        rest: () => bytes.toString("utf8", middle + 1, to),
        isOpened: false,
      });
      index.set(entry.key, entry);
      place = to + 1;
    }
    // Half of a file is worth nothing: it says at its end that it is whole.
    return bytes.toString("latin1", place) === FORMAT ? index : new Map();
  } catch {
    // Not there yet, or damaged: everything is read again.
    return new Map();
  }
}

export function pack(entry: Indexed): Packed {
  const { key, dialect, size, mtime, mentions, problem } = entry;
  const known = unread.get(entry);
  return {
    outline: { key, dialect, size, mtime, mentions, ...(problem !== undefined && { problem }) },
    lives: known && !known.isOpened ? known.lives() : livesLine(entry),
    rest: known?.rest() ?? restLine(entry),
  };
}

export function unpack({ outline, lives, rest }: Packed): Indexed {
  return entryOf(outline, { lives: () => lives, rest: () => rest, isOpened: false });
}

function entryOf({ key, dialect, size, mtime, mentions, problem }: Outline, kept: Unread) {
  let lives: Indexed["lives"] | undefined;
  let known: Rest | undefined;
  const rest = (): Rest => {
    known ??= JSON.parse(kept.rest()) as Rest;
    return known;
  };
  const entry: Indexed = {
    key,
    dialect,
    size,
    mtime,
    mentions,
    get lives() {
      kept.isOpened = true;
      lives ??= livesOf(kept.lives(), rest);
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
  unread.set(entry, kept);
  return entry;
}

function livesOf(line: string, rest: () => Rest): Indexed["lives"] {
  const lives = JSON.parse(line) as Indexed["lives"];
  for (const key in lives) {
    const live = lives[key];
    if (live) putOff(live, () => rest().lives[key] ?? NOTHING);
  }
  return lives;
}

const NOTHING: Seldom = { calls: [], recent: [], todos: [] };

function putOff(live: Live, rest: () => Seldom): void {
  later(live.track, "todos", () => rest().todos);
  later(live.activity, "calls", () => rest().calls);
  later(live.activity, "recent", () => rest().recent);
  if (live.plan) later(live.plan, "text", () => rest().plan ?? "");
}

function later<T, K extends keyof T>(whole: T, name: K, get: () => T[K]): void {
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
  replaceLoosely(path, [FORMAT, JSON.stringify(rows), ...lines, FORMAT].join("\n"));
}

function livesLine({ lives }: Indexed): string {
  const heads: Record<string, object> = {};
  for (const [key, live] of Object.entries(lives)) heads[key] = headOf(live);
  return JSON.stringify(heads);
}

function headOf(live: Live) {
  const { track, activity, plan } = live;
  const head = {
    ...live,
    track: without(track, ["todos"]),
    activity: without(activity, ["calls", "recent"]),
  };
  return plan ? { ...head, plan: without(plan, ["text"]) } : head;
}

/** Whoever took them out by name would have them parsed. */
function without<T extends object>(whole: T, names: readonly (keyof T)[]): object {
  const rest: Partial<T> = {};
  for (const name of Object.keys(whole) as (keyof T)[])
    if (!names.includes(name)) rest[name] = whole[name];
  return rest;
}

function restLine({ state, mark, lives }: Indexed): string {
  const seldom: Record<string, Seldom> = {};
  for (const [key, { track, activity, plan }] of Object.entries(lives)) {
    const { calls, recent } = activity;
    const kept = { calls, recent, todos: track.todos };
    seldom[key] = plan ? { ...kept, plan: plan.text } : kept;
  }
  return JSON.stringify({ state, mark, lives: seldom } satisfies Rest);
}
