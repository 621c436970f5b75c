import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isAlive } from "../engines/storage/alive.ts";
import { isLeftBehind, isLink, makeDirectory, refuseLink } from "../engines/storage/place.ts";
import { uniqueWord } from "../engines/storage/unique.ts";

/**
 * Where events wait that no process has taken in yet: one file each, whole or not there at all.
 *
 * Whoever takes events in moves them into a folder of its own first and then seals the folder by
 * giving it another name. What is in a sealed folder is committed under the folder's name, so that
 * doing it again, after a crash or by two processes at once, changes nothing; then it is removed.
 */
export interface SpooledEvent {
  /** AGENT EVENT of the command line. */
  readonly agent: string;
  readonly event: string;
  /** When it was written, in milliseconds. */
  readonly at: number;
  /** The agent's JSON. */
  readonly text: string;
}

export interface Unread {
  readonly who: string;
  readonly why: unknown;
}

export interface Batch {
  /** The same whoever takes it in. */
  readonly key: string;
  /** In the order they happened. */
  readonly events: readonly SpooledEvent[];
  /** What is no event, or none that can be read. */
  readonly unread: readonly Unread[];
  /** All of it is kept: it must not come back. */
  remove(): void;
  /** Not all of it could be kept: whoever comes next need not wait for this process. */
  giveBack(): void;
}

const BATCH = 500;
const MAX_BYTES = 32 * 1024 * 1024;
/** What is being written, or removed: nobody looks at it. */
const PART = ".part.";
const OPEN = ".open-";
const SEALED = ".sealed-";
/** A sealed folder that is on its way out. */
const TAKEN_IN = `${PART}sealed-`;
/** Longer than anybody needs; and who needs longer does no harm, for all of it counts once. */
const ABANDONED_AFTER = 2_000;

const MOST_WAITING = { files: 2_000, bytes: 64 * 1024 * 1024 } as const;

function spoolPath(home: string): string {
  return join(home, "spool");
}

let spooled = 0;

/**
 * Sorts by time within this process, and differs from every other process: containers that share a
 * home may each have one of this number at the same millisecond.
 */
function nextWord(): string {
  return `${process.pid}-${Date.now().toString(36)}${(spooled++).toString(36)}-${uniqueWord()}`;
}

/** The name is for those who only count, and the order of the words is known to the shell script. */
export function spoolEvent(
  home: string,
  {
    session,
    agent,
    event,
  }: { readonly session: string; readonly agent: string; readonly event: string },
  text: string,
): void {
  const dir = spoolPath(home);
  const word = nextWord();
  const part = join(dir, `.part.${word}`);
  const write = () => writeFileSync(part, text, { mode: 0o600, flag: "wx" });
  refuseLink(dir);
  try {
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      makeDirectory(dir);
      write();
    }
    renameSync(part, join(dir, `${session}.${event}.${agent}.${word}`));
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Whether anything waits, be it to be removed. */
export function isWaiting(home: string): boolean {
  return namesIn(spoolPath(home)).some(
    (name) => !name.startsWith(PART) || name.startsWith(TAKEN_IN),
  );
}

/** The events that nobody has taken in to the end. */
export function namesWaiting(home: string): readonly string[] {
  const dir = spoolPath(home);
  return namesIn(dir).flatMap((name) => {
    if (isBegun(name)) return namesIn(join(dir, name));
    return name.startsWith(".") ? [] : name;
  });
}

/** The folder of somebody who takes events in. */
function isBegun(name: string): boolean {
  return name.startsWith(OPEN) || name.startsWith(SEALED);
}

/** The keys of what somebody has begun to take in: before that ends, what is kept is out of date. */
export function begunBatches(home: string): readonly string[] {
  return namesIn(spoolPath(home)).filter(isBegun).map(keyOf);
}

/** The same whether the folder is sealed or not yet. */
function keyOf(folder: string): string {
  return `spool:${folder.slice(folder.indexOf("-") + 1)}`;
}

function namesIn(dir: string): readonly string[] {
  try {
    // Most of the time it is not there, and an error costs more than all of a short command.
    return existsSync(dir) && !isLink(dir) ? readdirSync(dir) : [];
  } catch {
    // Nothing was ever put there, or nobody may look.
    return [];
  }
}

/** The next events to take in: those that somebody began to and did not finish come first. */
export function takeBatch(home: string): Batch | undefined {
  const dir = spoolPath(home);
  const names = namesIn(dir);
  sweep(dir, names);
  for (const name of names) {
    const sealed = name.startsWith(SEALED) ? name : sealAbandoned(dir, name);
    if (sealed === undefined || !isAbandoned(dir, sealed)) continue;
    return batchOf(dir, sealed);
  }
  const waiting = names.filter((name) => !name.startsWith("."));
  return waiting.length === 0 ? undefined : claim(dir, waiting);
}

/** Takes away what processes that were killed in the middle have left behind. */
function sweep(dir: string, names: readonly string[]): void {
  for (const name of names) {
    const isOver = name.startsWith(TAKEN_IN) ? isAbandoned(dir, name) : isPartLeft(dir, name);
    if (isOver) discard(join(dir, name));
  }
}

function isPartLeft(dir: string, name: string): boolean {
  return name.startsWith(PART) && isLeftBehind(join(dir, name));
}

function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Somebody else does the same, or it cannot be done: whoever comes next tries again.
  }
}

function claim(dir: string, names: readonly string[]): Batch | undefined {
  const word = nextWord();
  const open = join(dir, `${OPEN}${word}`);
  mkdirSync(open, { mode: 0o700 });
  const oldest = names
    .map((name) => ({ name, at: modifiedAt(join(dir, name)) ?? 0n }))
    .sort(byTime)
    .slice(0, BATCH);
  let taken = 0;
  for (const { name } of oldest) if (move(join(dir, name), join(open, name))) taken++;
  const sealed = `${SEALED}${word}`;
  if (taken === 0 || !move(open, join(dir, sealed))) {
    rmSync(open, { recursive: true, force: true });
    return undefined;
  }
  return batchOf(dir, sealed);
}

/** False where somebody else was faster. */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

interface Timed {
  readonly name: string;
  readonly at: bigint;
}

const BEGINS = /\.(?:SessionStart|UserPromptSubmit|Pre|Before)[A-Za-z]*\.[a-z]+\.[\da-z-]+$/;

/** File systems know time in steps of some milliseconds: within one, what begins comes first. */
function byTime(a: Timed, b: Timed): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  const [first, second] = [BEGINS.test(a.name), BEGINS.test(b.name)];
  if (first !== second) return first ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

function modifiedAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
}

function sealAbandoned(dir: string, name: string): string | undefined {
  if (!name.startsWith(OPEN) || !isAbandoned(dir, name)) return undefined;
  const sealed = `${SEALED}${name.slice(OPEN.length)}`;
  return move(join(dir, name), join(dir, sealed)) ? sealed : undefined;
}

/**
 * Its owner has ended, or had more than enough time. An owner in another pid namespace looks ended;
 * ingesting its batch as well is safe, because the key counts once.
 */
function isAbandoned(dir: string, name: string): boolean {
  const owner = Number(/-(\d+)-/.exec(name)?.[1]);
  if (owner !== process.pid && !isAlive(owner)) return true;
  const stats = statSync(join(dir, name), { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_AFTER;
}

function batchOf(dir: string, sealed: string): Batch {
  const folder = join(dir, sealed);
  const read = namesIn(folder)
    .map((name) => ({ name, at: modifiedAt(join(folder, name)) ?? 0n }))
    .sort(byTime)
    .flatMap((file) => readSpooled(folder, file) ?? []);
  // Somebody else was done with all of it meanwhile; half of it must not count as something else.
  const whole = existsSync(folder) ? read : [];
  return {
    key: keyOf(sealed),
    events: whole.filter((each) => "text" in each),
    unread: whole.filter((each) => "why" in each),
    remove() {
      // As a whole: half of it would be committed as something else.
      const gone = join(dir, `${TAKEN_IN}${sealed.slice(SEALED.length)}`);
      if (move(folder, gone)) discard(gone);
    },
    giveBack() {
      try {
        utimesSync(folder, 0, 0);
      } catch {
        // Somebody else has taken it in, or it is free when its time is over.
      }
    },
  };
}

const NAME = /\.([A-Za-z]+)\.([a-z]+)\.[\da-z-]+$/;

function readSpooled(folder: string, { name, at }: Timed): SpooledEvent | Unread | undefined {
  const [, event, agent] = NAME.exec(name) ?? [];
  if (event === undefined || agent === undefined)
    return { who: "spool", why: "a file whose name is no event's was left out" };
  const who = `${agent} ${event}`;
  const path = join(folder, name);
  try {
    const stats = lstatSync(path);
    if (!stats.isFile()) return { who, why: "the event is no file and was left out" };
    if (stats.size > MAX_BYTES)
      return { who, why: `the event has more than ${MAX_BYTES} bytes and was left out` };
    return { agent, event, at: Number(at / 1_000_000n), text: readFileSync(path, "utf8") };
  } catch (error) {
    // The folder is gone.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : { who, why: error };
  }
}

/** Gives up the oldest events of a spool that nobody empties; answers how many. */
export function trimSpool(
  home: string,
  most: { readonly files: number; readonly bytes: number } = MOST_WAITING,
): number {
  const dir = spoolPath(home);
  let { files, bytes } = most;
  let dropped = 0;
  const newestFirst = namesIn(dir)
    .filter((name) => !name.startsWith(PART))
    .map((name) => ({ name, at: modifiedAt(join(dir, name)) ?? 0n }))
    .sort(byTime)
    .reverse();
  for (const { name } of newestFirst) {
    const stats = statSync(join(dir, name), { throwIfNoEntry: false });
    const count = stats?.isDirectory() ? namesIn(join(dir, name)).length : 1;
    files -= count;
    bytes -= stats?.isDirectory() ? 0 : (stats?.size ?? 0);
    if (files >= 0 && bytes >= 0) continue;
    rmSync(join(dir, name), { recursive: true, force: true });
    dropped += count;
  }
  return dropped;
}
