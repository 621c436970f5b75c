import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ProofRecord } from "../core/checks/proof.ts";
import type { TrackId } from "../core/model.ts";
import { checkId, trackKey } from "../core/text/ids.ts";
import { fileFailure } from "../engines/storage/failure.ts";
import {
  APPEND_FLAGS,
  ensureDirectory,
  refuseSymlink,
  replaceFile,
  replaceWithoutSync,
  syncDirectory,
} from "../engines/storage/files.ts";
import { watchVersion } from "../engines/storage/poller.ts";
import { takeLock } from "./file-lock.ts";

const DIRECTORY = "proofs";
/** Rewritten after each change: one `stat` shows whether anything changed. */
const STAMP = "changed";
const ENDING = ".jsonl";
/** The file of runs for tasks that no session asked for. */
const TASKS = "tasks";
/** A longer file is rewritten with its newest records. */
const MAX_BYTES = 1024 * 1024;
const KEPT_BYTES = MAX_BYTES / 2;
const MAX_FILES = 2_000;
const LOCK_LIMIT = 10_000;

/** The session of records that belong to no session, only to a task. */
export const NO_SESSION = { session: "-", agent: "-" } as const;

/** Session ids of other programs may have any characters. */
function fileOf(session: string): string {
  if (session === NO_SESSION.session) return `${TASKS}${ENDING}`;
  if (checkId("session", session) === undefined) return `s-${session}${ENDING}`;
  return `x-${Buffer.from(session).toString("hex").slice(0, 200)}${ENDING}`;
}

/** Appends records durably: they are on disk when this returns. */
export async function appendProofs(home: string, records: readonly ProofRecord[]): Promise<void> {
  const dir = join(home, DIRECTORY);
  try {
    refuseSymlink(dir);
    ensureDirectory(dir);
    for (const session of new Set(records.map(({ id }) => id.session)))
      await append(
        dir,
        fileOf(session),
        records.filter(({ id }) => id.session === session),
      );
    prune(dir);
    replaceWithoutSync(join(dir, STAMP), `${Date.now()} ${process.pid}\n`);
  } catch (error) {
    throw fileFailure("Recording the proof", dir, error);
  }
}

async function append(dir: string, name: string, records: readonly ProofRecord[]): Promise<void> {
  const file = join(dir, name);
  // Without the lock, a record that another process appends while the file is shortened would be lost.
  const release = await takeLock(join(dir, `.${name}.lock`), { limitMs: LOCK_LIMIT });
  try {
    const known = statSync(file, { throwIfNoEntry: false });
    const handle = openSync(file, APPEND_FLAGS, 0o600);
    try {
      // A process that was killed may have left half a line.
      const start = known && known.size > 0 && !endsInNewline(file) ? "\n" : "";
      writeSync(handle, start + records.map((each) => `${JSON.stringify(each)}\n`).join(""));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (!known) syncDirectory(dir);
    if ((known?.size ?? 0) > MAX_BYTES) shorten(dir, file);
  } finally {
    release?.();
  }
}

function endsInNewline(file: string): boolean {
  return readFileSync(file).at(-1) === 0x0a;
}

function shorten(dir: string, file: string): void {
  const lines = readFileSync(file, "utf8").split("\n");
  let size = 0;
  const kept = lines.findLastIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > KEPT_BYTES;
  });
  replaceFile(file, lines.slice(kept + 1).join("\n"));
  syncDirectory(dir);
}

/** Removes the files of the sessions that were proven longest ago. */
function prune(dir: string): void {
  const names = readdirSync(dir).filter((name) => name.endsWith(ENDING));
  if (names.length <= MAX_FILES) return;
  const byAge = names
    .map((name) => ({ name, at: statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs }))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  for (const { name } of byAge.slice(0, names.length - MAX_FILES))
    rmSync(join(dir, name), { force: true });
}

interface Known {
  readonly stamp: string;
  readonly records: readonly ProofRecord[];
}

/** Files that this process has read, with the time and size they had. */
const cache = new Map<string, Known>();
const MAX_CACHED = 200;

/**
 * The proofs of one session, or of all, in the order in which they were stored. Files that did not change
 * are not read again. Damaged lines are skipped.
 */
export function readProofs(home: string, session?: string): readonly ProofRecord[] {
  const dir = join(home, DIRECTORY);
  if (session !== undefined)
    return readRecords(join(dir, fileOf(session))).filter(({ id }) => id.session === session);
  try {
    const names = readdirSync(dir).filter((name) => name.endsWith(ENDING));
    return names.sort().flatMap((name) => readRecords(join(dir, name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw fileFailure("Reading proofs", dir, error);
  }
}

/** Which sessions have proofs, from one listing of the directory. */
export function provenSessions(home: string): (session: string) => boolean {
  const dir = join(home, DIRECTORY);
  try {
    const names = new Set(readdirSync(dir));
    return (session) => names.has(fileOf(session));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return () => false;
    throw fileFailure("Reading proofs", dir, error);
  }
}

function readRecords(file: string): readonly ProofRecord[] {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return [];
    const stamp = `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
    const known = cache.get(file);
    if (known?.stamp === stamp) return known.records;
    const lines = readFileSync(file, "utf8").split("\n");
    const records = lines.flatMap((line) => parseRecord(line) ?? []);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(file, { stamp, records });
    return records;
  } catch (error) {
    throw fileFailure("Reading proofs", file, error);
  }
}

function parseRecord(line: string): ProofRecord | undefined {
  if (line === "") return undefined;
  try {
    const record = JSON.parse(line) as ProofRecord;
    const { id, check, command, at, warnings, output } = record;
    const isWhole =
      typeof id?.session === "string" &&
      typeof id.agent === "string" &&
      [check, command, output].every((text) => typeof text === "string") &&
      typeof at === "number" &&
      Array.isArray(warnings);
    return isWhole ? record : undefined;
  } catch {
    // Half a line of a process that was killed.
    return undefined;
  }
}

/** Changes whenever a proof is recorded; empty if there is none. Costs one `stat`. */
export function proofsVersion(home: string): string {
  const stats = statSync(join(home, DIRECTORY, STAMP), { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.ino}` : "";
}

/** Calls back when proofs were recorded, by any process. Returns the function that stops it. */
export function watchProofs(home: string, onChange: () => void): () => void {
  return watchVersion(() => proofsVersion(home), onChange);
}

/** The home that proofs are recorded in. */
export interface ProofHome {
  readonly path: string;
  /** Called with the agents that got a proof. */
  proofsRecorded?(ids: readonly TrackId[]): Promise<void>;
}

/** Records proofs and updates the status of their agents. */
export async function recordProofs(
  home: ProofHome,
  records: readonly ProofRecord[],
): Promise<void> {
  await appendProofs(home.path, records);
  const ids = new Map(records.map(({ id }) => [trackKey(id), id]));
  ids.delete(trackKey(NO_SESSION));
  await home.proofsRecorded?.([...ids.values()]);
}

/** Accepts the warnings of proofs: records each again, with the user's decision. */
export async function acceptProofs(
  home: ProofHome,
  records: readonly ProofRecord[],
): Promise<readonly ProofRecord[]> {
  const accepted = records.map((record): ProofRecord => ({ ...record, accepted: true }));
  await recordProofs(home, accepted);
  return accepted;
}
