import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Activity } from "../core/activity.ts";
import { FOLD_VERSION } from "../core/evolve.ts";
import type { Live } from "../core/live.ts";
import type { DialectState } from "../dialects/dialect.ts";
import type { Indexed } from "./fold.ts";

/** What is known of every file, kept between two starts. A cache: it can be thrown away. */
export type Index = Map<string, Indexed>;

/** Changes whenever what is kept would be read differently. */
const FORMAT = `waymark index 3.${FOLD_VERSION}`;

/** What of an agent's activity only few ask for. */
const SELDOM = ["calls", "recent"] as const;
type Seldom = Pick<Activity, (typeof SELDOM)[number]>;

/** What is only needed of a file that is looked at closely, or has grown; most never are. */
interface Rest {
  readonly state: DialectState;
  /** By the key of the agent. */
  readonly activity: Readonly<Record<string, Seldom>>;
}

/** As it was read: until somebody asks, it stays bytes. */
const unread = new WeakMap<Indexed, Buffer>();

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
      const entry = head && rest && entryOf(head, rest);
      if (entry) index.set(entry.path, entry);
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
  return [...lines, bytes.subarray(from)];
}

function entryOf(headLine: Buffer, restLine: Buffer): Indexed {
  let known: Rest | undefined;
  const rest = (): Rest => {
    known ??= JSON.parse(restLine.toString()) as Rest;
    return known;
  };
  const head = JSON.parse(headLine.toString()) as Omit<Indexed, "state">;
  for (const [key, { activity }] of Object.entries(head.lives))
    for (const name of SELDOM)
      Object.defineProperty(activity, name, {
        get: () => rest().activity[key]?.[name],
        enumerable: true,
        configurable: true,
      });
  const entry: Indexed = {
    ...head,
    get state() {
      return rest().state;
    },
  };
  unread.set(entry, restLine);
  return entry;
}

export function saveIndex(path: string, index: Index): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lines = [...index.values()].flatMap((entry) => [
    headLine(entry),
    unread.get(entry)?.toString() ?? restLine(entry),
  ]);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, [FORMAT, ...lines, FORMAT].join("\n"), { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function headLine({ path, dialect, size, mtime, mark, lives, problem }: Indexed): string {
  return JSON.stringify({
    path,
    dialect,
    size,
    mtime,
    mark,
    lives: Object.fromEntries(Object.entries(lives).map(([key, live]) => [key, headOf(live)])),
    problem,
  });
}

function headOf(live: Live) {
  const { activity } = live;
  // Whoever took these out by name would have them parsed.
  const names = Object.keys(activity).filter((name) => !SELDOM.some((seldom) => seldom === name));
  const often = Object.fromEntries(names.map((name) => [name, activity[name as keyof Activity]]));
  return { ...live, activity: often };
}

function restLine({ state, lives }: Indexed): string {
  const activity = Object.fromEntries(
    Object.entries(lives).map(([key, live]): [string, Seldom] => {
      const { calls, recent } = live.activity;
      return [key, { calls, recent }];
    }),
  );
  return JSON.stringify({ state, activity } satisfies Rest);
}
