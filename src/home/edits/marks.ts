/**
 * home/edits: the index of files that agents edit. An empty file `edits/SESSION/NAME` says that the session may use a
 * file of that name; which one is in the tracks of the session. So a hook finds out with a look into one directory per
 * session whether another agent may use its file. `bin/waymark-hook` reads and writes the same files.
 */
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory, isSymlink } from "../../engines/storage/files.ts";

const DIR = "edits";
/** Stands for every file whose name cannot be the name of a mark. */
const ANY = "_";
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,255}$/;

/** The name of a file's mark. */
function nameOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return NAME.test(name) ? name : ANY;
}

/** The directory of all marks, or of one session; undefined if it is a link, through which nothing is written. */
function directoryOf(home: string, session?: string): string | undefined {
  const all = join(home, DIR);
  if (isSymlink(all)) return undefined;
  return session === undefined ? all : join(all, session);
}

/** Creates the directory of a session, in which `bin/waymark-hook` writes marks. */
export function prepareMarks(home: string, session: string): void {
  const dir = directoryOf(home, session);
  if (dir !== undefined) ensureDirectory(dir);
}

/** Marks files that a session edits or is about to edit, with the time of the event that reports it. */
export function markFiles(
  home: string,
  session: string,
  paths: readonly string[],
  at: number,
): void {
  const dir = directoryOf(home, session);
  if (dir === undefined) return;
  for (const name of new Set(paths.map(nameOf))) {
    const file = join(dir, name);
    const write = () => writeFileSync(file, "", { mode: 0o600 });
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      ensureDirectory(dir);
      write();
    }
    utimesSync(file, at / 1_000, at / 1_000);
  }
}

/** A mark that may be about the same file. */
export interface PeerMark {
  readonly session: string;
  /** When the file was last marked. */
  readonly at: number;
}

/** The other sessions that may use one of the files. */
export function peersOf(
  home: string,
  session: string,
  paths: readonly string[],
): readonly PeerMark[] {
  const names = new Set(paths.map(nameOf));
  return peerSessions(home, session).flatMap((peer) => {
    const at = Math.max(...marksOf(home, peer, names).map((mark) => mark.at), 0);
    return at > 0 ? [{ session: peer, at }] : [];
  });
}

/**
 * Marks the file of an announced edit, for hooks that do not load the program. Returns whether another session may use
 * the same file. `bin/waymark-hook` does the same.
 */
export function announceEdit(home: string, session: string, input: unknown, at: number): boolean {
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const path = given.file_path ?? given.filePath;
  const paths = typeof path === "string" ? [path] : patchedFiles(given);
  markFiles(home, session, paths, at);
  return peersOf(home, session, paths).length > 0;
}

/** The files of a patch; an empty name if there is none. */
function patchedFiles(input: Readonly<Record<string, unknown>>): readonly string[] {
  const patch = Object.values(input).find((value) => typeof value === "string") ?? "";
  const found = [...String(patch).matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)];
  return found.length > 0 ? found.map(([, file = ""]) => file) : [""];
}

function peerSessions(home: string, session: string): readonly string[] {
  const dir = directoryOf(home);
  return namesIn(dir).filter((name) => name !== session && !name.startsWith("."));
}

function marksOf(home: string, session: string, names: ReadonlySet<string>): readonly PeerMark[] {
  const dir = directoryOf(home, session);
  if (dir === undefined) return [];
  // Without a name of its own, the file may be any of those that are marked.
  const looked = names.has(ANY) ? namesIn(dir) : [...names, ANY];
  return looked.flatMap((name) => {
    const stats = statSync(join(dir, name), { throwIfNoEntry: false });
    return stats ? [{ session, at: stats.mtimeMs }] : [];
  });
}

/** Removes the marks of a session. */
export function removeMarks(home: string, session: string): void {
  const dir = directoryOf(home, session);
  if (dir !== undefined && !isSymlink(dir)) rmSync(dir, { recursive: true, force: true });
}

/** Removes marks that are too old to count, and those of sessions that have ended. */
export function pruneMarks(
  home: string,
  session: string,
  before: number,
  hasEnded: (session: string) => boolean,
): void {
  for (const peer of peerSessions(home, session)) {
    if (hasEnded(peer)) removeMarks(home, peer);
    const dir = directoryOf(home, peer);
    for (const name of namesIn(dir)) {
      const file = join(dir ?? "", name);
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats && stats.mtimeMs < before) rmSync(file, { force: true });
    }
  }
}

function namesIn(dir: string | undefined): readonly string[] {
  try {
    return dir === undefined ? [] : readdirSync(dir);
  } catch {
    // Missing or unreadable.
    return [];
  }
}
