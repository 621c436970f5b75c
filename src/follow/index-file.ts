import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Activity } from "../core/activity.ts";
import { FOLD_VERSION } from "../core/evolve.ts";
import type { Live } from "../core/live.ts";
import type { Track } from "../core/model.ts";
import type { DialectState } from "../dialects/dialect.ts";
import type { Indexed } from "./fold.ts";
import type { Mark } from "./tail.ts";

/** What is known of every file, kept between two starts. A cache: it can be thrown away. */
export type Index = Map<string, Indexed>;

/** Changes whenever what is kept would be read differently. */
const FORMAT = `waymark index 4.${FOLD_VERSION}`;

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

/** As it was read: until somebody asks, it stays as it was written. */
const unread = new WeakMap<Indexed, Buffer | string>();

/** What is known of a file, as two lines: what is often needed, and the rest. */
export type Packed = readonly [head: string, rest: string];

const NEWLINE = 0x0a;

/** One line says what it is; then two for each file, the second with what is seldom needed. */
export function loadIndex(path: string): Index {
  try {
    const lines = linesOf(readFileSync(path));
    const index: Index = new Map();
    // Half of a file is worth nothing: it says at its end that it is whole.
    if (lines[0]?.toString() !== FORMAT || lines.at(-1)?.toString() !== FORMAT) return index;
    for (let place = 1; place + 1 < lines.length; place += 2) {
      const [head, rest] = [lines[place], lines[place + 1]];
      if (!head || !rest) continue;
      const entry = entryOf(head.toString(), rest);
      index.set(entry.path, entry);
    }
    return index;
  } catch {
    // Not there yet, or damaged: everything is read again.
    return new Map();
  }
}

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  lines.push(bytes.subarray(from));
  return lines;
}

export function pack(entry: Indexed): Packed {
  return [headLine(entry), unread.get(entry)?.toString() ?? restLine(entry)];
}

export function unpack([head, rest]: Packed): Indexed {
  return entryOf(head, rest);
}

function entryOf(headLine: string, restLine: Buffer | string): Indexed {
  let known: Rest | undefined;
  const rest = (): Rest => {
    known ??= JSON.parse(restLine.toString()) as Rest;
    return known;
  };
  const head = JSON.parse(headLine) as Omit<Indexed, "state" | "mark">;
  for (const key in head.lives) {
    const live = head.lives[key];
    if (live) putOff(live, () => rest().lives[key] ?? NOTHING);
  }
  const entry: Indexed = {
    ...head,
    get state() {
      return rest().state;
    },
    get mark() {
      return rest().mark;
    },
  };
  unread.set(entry, restLine);
  return entry;
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
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lines = [...index.values()].flatMap(pack);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, [FORMAT, ...lines, FORMAT].join("\n"), { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function headLine({ path, dialect, size, mtime, lives, problem }: Indexed): string {
  return JSON.stringify({
    path,
    dialect,
    size,
    mtime,
    lives: Object.fromEntries(Object.entries(lives).map(([key, live]) => [key, headOf(live)])),
    problem,
  });
}

function headOf(live: Live) {
  const { track, activity, plan } = live;
  return {
    ...live,
    track: without(track, ["todos"]),
    activity: without(activity, ["calls", "recent"]),
    ...(plan && { plan: without(plan, ["text"]) }),
  };
}

/** Whoever took them out by name would have them parsed. */
function without<T extends object>(whole: T, names: readonly (keyof T)[]): object {
  const others = Object.keys(whole).filter((name) => !names.includes(name as keyof T));
  return Object.fromEntries(others.map((name) => [name, whole[name as keyof T]]));
}

function restLine({ state, mark, lives }: Indexed): string {
  const seldom = Object.entries(lives).map(([key, { track, activity, plan }]): [string, Seldom] => {
    const { calls, recent } = activity;
    return [key, { calls, recent, todos: track.todos, ...(plan && { plan: plan.text }) }];
  });
  return JSON.stringify({ state, mark, lives: Object.fromEntries(seldom) } satisfies Rest);
}
