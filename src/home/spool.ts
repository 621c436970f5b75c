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
import {
  ensureDirectory,
  isAbandonedFile,
  isSymlink,
  refuseSymlink,
} from "../engines/storage/files.ts";
import { isAlive } from "../engines/storage/is-alive.ts";
import { uniqueToken } from "../engines/storage/unique-token.ts";

/**
 * The spool: hook events that no process has ingested yet, one file each, complete or absent.
 *
 * A process ingests events by moving them into a folder of its own, then sealing the folder by a
 * rename. The content of a sealed folder is committed with the folder's name as its key, so ingesting
 * it again, after a crash or by two processes at once, has no effect. Then the folder is removed.
 */
export interface SpooledEvent {
  /** AGENT EVENT of the command line. */
  readonly agent: string;
  readonly event: string;
  /** Modification time of the file, in milliseconds. */
  readonly at: number;
  /** The agent's JSON. */
  readonly text: string;
}

export interface UnreadableEvent {
  readonly who: string;
  readonly why: unknown;
}

export interface Batch {
  /** Idempotency key: the same for every process that ingests the batch. */
  readonly key: string;
  /** In the order in which they happened. */
  readonly events: readonly SpooledEvent[];
  /** Files that are not events or cannot be read. */
  readonly unread: readonly UnreadableEvent[];
  /** Whether another batch with older events of one of its sessions is being ingested. */
  isEarly(): boolean;
  /** Call it when all events are committed. */
  remove(): void;
  /** Call it if ingesting failed: the next process need not wait for this one. */
  release(): void;
}

const BATCH = 500;
const MAX_BYTES = 32 * 1024 * 1024;
/** Prefix of files that are being written or removed. */
const PART = ".part.";
const OPEN = ".open-";
const SEALED = ".sealed-";
/** A sealed folder that was ingested and is being removed. */
const INGESTED = `${PART}sealed-`;
/** Longer than ingesting takes. A slower process does no harm: a batch counts once. */
const ABANDONED_AFTER = 2_000;

const MAX_PENDING = { files: 2_000, bytes: 64 * 1024 * 1024 } as const;

function spoolPath(home: string): string {
  return join(home, "spool");
}

let spooled = 0;

/**
 * Sorts by time within this process and is unique across processes: containers that share a home may
 * have the same pid at the same millisecond.
 */
function nextToken(): string {
  return `${process.pid}-${Date.now().toString(36)}${(spooled++).toString(36)}-${uniqueToken()}`;
}

/** Writes an event. `bin/waymark-hook` writes and counts files with the same name format. */
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
  const token = nextToken();
  const part = join(dir, `.part.${token}`);
  const write = () => writeFileSync(part, text, { mode: 0o600, flag: "wx" });
  refuseSymlink(dir);
  try {
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      ensureDirectory(dir);
      write();
    }
    renameSync(part, join(dir, `${session}.${event}.${agent}.${token}`));
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Whether there is anything to ingest or to remove. */
export function hasPending(home: string): boolean {
  return namesIn(spoolPath(home)).some(
    (name) => !name.startsWith(PART) || name.startsWith(INGESTED),
  );
}

/** File names of the events that are not ingested yet. */
export function pendingNames(home: string): readonly string[] {
  const dir = spoolPath(home);
  return namesIn(dir).flatMap((name) => {
    if (isInProgress(name)) return namesIn(join(dir, name));
    return name.startsWith(".") ? [] : name;
  });
}

/** Whether it is the folder of a process that ingests events. */
function isInProgress(name: string): boolean {
  return name.startsWith(OPEN) || name.startsWith(SEALED);
}

/** Keys of the batches that are being ingested: until then, the store is out of date. */
export function batchesInProgress(home: string): readonly string[] {
  return namesIn(spoolPath(home)).filter(isInProgress).map(keyOf);
}

/** The key of a folder, sealed or not. */
function keyOf(folder: string): string {
  return `spool:${folder.slice(folder.indexOf("-") + 1)}`;
}

function namesIn(dir: string): readonly string[] {
  try {
    // Mostly the directory does not exist, and an exception costs more than a short command.
    return existsSync(dir) && !isSymlink(dir) ? readdirSync(dir) : [];
  } catch {
    // Missing or unreadable.
    return [];
  }
}

/** The next batch to ingest: first those that another process abandoned. */
export function takeBatch(home: string): Batch | undefined {
  const dir = spoolPath(home);
  const names = namesIn(dir);
  removeLeftovers(dir, names);
  const abandoned = takeAbandoned(home);
  if (abandoned) return abandoned;
  const pending = names.filter((name) => !name.startsWith("."));
  return pending.length === 0 ? undefined : claim(dir, pending);
}

/** The oldest batch that a process abandoned. */
export function takeAbandoned(home: string): Batch | undefined {
  const dir = spoolPath(home);
  const oldestFirst = namesIn(dir)
    .filter(isInProgress)
    .map((name) => ({ name, at: eventsIn(join(dir, name))[0]?.at ?? 0n }))
    .sort(byTime);
  for (const { name } of oldestFirst) {
    const sealed = name.startsWith(SEALED) ? name : sealAbandoned(dir, name);
    if (sealed !== undefined && isAbandoned(dir, sealed)) return batchOf(dir, sealed);
  }
  return undefined;
}

/** The files of a folder, oldest first. */
function eventsIn(folder: string): readonly Timed[] {
  return namesIn(folder)
    .map((name) => ({ name, at: modifiedAt(join(folder, name)) ?? 0n }))
    .sort(byTime);
}

/** Whether the first events happened before the others and share a session with them. */
function precede(events: readonly Timed[], others: readonly Timed[]): boolean {
  const [first] = events;
  const [other] = others;
  if (!first || !other || byTime(first, other) >= 0) return false;
  const sessions = new Set(others.map(({ name }) => name.replace(NAME, "")));
  return events.some(({ name }) => sessions.has(name.replace(NAME, "")));
}

/** Removes what killed processes left behind. */
function removeLeftovers(dir: string, names: readonly string[]): void {
  for (const name of names) {
    const isLeft = name.startsWith(INGESTED) ? isAbandoned(dir, name) : isAbandonedPart(dir, name);
    if (isLeft) discard(join(dir, name));
  }
}

function isAbandonedPart(dir: string, name: string): boolean {
  return name.startsWith(PART) && isAbandonedFile(join(dir, name));
}

function discard(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Another process removes it too, or it cannot be removed: the next process tries again.
  }
}

function claim(dir: string, names: readonly string[]): Batch | undefined {
  const token = nextToken();
  const open = join(dir, `${OPEN}${token}`);
  mkdirSync(open, { mode: 0o700 });
  const oldest = names
    .map((name) => ({ name, at: modifiedAt(join(dir, name)) ?? 0n }))
    .sort(byTime)
    .slice(0, BATCH);
  let taken = 0;
  for (const { name } of oldest) if (move(join(dir, name), join(open, name))) taken++;
  const sealed = `${SEALED}${token}`;
  if (taken === 0 || !move(open, join(dir, sealed))) {
    rmSync(open, { recursive: true, force: true });
    return undefined;
  }
  return batchOf(dir, sealed);
}

/** Returns false if another process was faster. */
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

/** File times have steps of some milliseconds: within one step, events that begin something come first. */
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
 * Whether the process of a folder has ended or exceeded its time. A process in another pid namespace
 * looks ended; ingesting its batch as well is safe, because a key counts once.
 */
function isAbandoned(dir: string, name: string): boolean {
  const owner = Number(/-(\d+)-/.exec(name)?.[1]);
  if (owner !== process.pid && !isAlive(owner)) return true;
  const stats = statSync(join(dir, name), { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_AFTER;
}

function batchOf(dir: string, sealed: string): Batch {
  const folder = join(dir, sealed);
  const read = eventsIn(folder).flatMap((file) => readSpooled(folder, file) ?? []);
  // If another process finished meanwhile, part of the batch may have been read: discard it.
  const complete = existsSync(folder) ? read : [];
  return {
    key: keyOf(sealed),
    events: complete.filter((each) => "text" in each),
    unread: complete.filter((each) => "why" in each),
    isEarly() {
      const own = eventsIn(folder);
      return namesIn(dir).some(
        (name) => isInProgress(name) && name !== sealed && precede(eventsIn(join(dir, name)), own),
      );
    },
    remove() {
      // Renamed first: a partly removed batch must not be ingested again.
      const removed = join(dir, `${INGESTED}${sealed.slice(SEALED.length)}`);
      if (move(folder, removed)) discard(removed);
    },
    release() {
      try {
        utimesSync(folder, 0, 0);
      } catch {
        // Another process ingested it, or it becomes free when its time is over.
      }
    },
  };
}

const NAME = /\.([A-Za-z]+)\.([a-z]+)\.[\da-z-]+$/;

function readSpooled(
  folder: string,
  { name, at }: Timed,
): SpooledEvent | UnreadableEvent | undefined {
  const [, event, agent] = NAME.exec(name) ?? [];
  if (event === undefined || agent === undefined)
    return { who: "spool", why: "skipped a file whose name is not that of an event" };
  const who = `${agent} ${event}`;
  const path = join(folder, name);
  try {
    const stats = lstatSync(path);
    if (!stats.isFile()) return { who, why: "skipped an event that is not a regular file" };
    if (stats.size > MAX_BYTES)
      return { who, why: `skipped an event of more than ${MAX_BYTES} bytes` };
    return { agent, event, at: Number(at / 1_000_000n), text: readFileSync(path, "utf8") };
  } catch (error) {
    // The folder was removed.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : { who, why: error };
  }
}

/** Drops the oldest events of a spool that is never emptied; returns how many. */
export function trimSpool(
  home: string,
  most: { readonly files: number; readonly bytes: number } = MAX_PENDING,
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
