/**
 * engines/storage: files and processes, for every store: safe creation of directories, locks and queues
 * between processes, sweeps for changes of others, the log file, redacted messages.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { WaymarkError } from "../../core/error.ts";

/** A link that somebody put in the place of a file is not followed. Windows knows no such flag. */
const NO_LINKS: number = constants.O_NOFOLLOW ?? 0;
export const TO_APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | NO_LINKS;
/** Nobody writes a file for so long. */
const ABANDONED_AFTER = 60_000;

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A link in the place of a directory of ours leads to what is not ours to move or remove. */
export function refuseLink(dir: string): void {
  if (!isLink(dir)) return;
  throw new WaymarkError(
    "link_in_place",
    `${dir} is a link, and nothing behind it is touched. Put a directory in its place, or move it away.`,
  );
}

/** Makes new names in a directory survive a power cut. */
export function syncDirectory(dir: string): void {
  // Windows opens no directories; its file systems keep names in a journal of their own.
  if (process.platform === "win32") return;
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A directory for this user only. One that is there stays as its owner made it. */
export function makeDirectory(dir: string): void {
  const made = makeMissing(dir);
  if (made.length === 0) return;
  try {
    chmodSync(dir, 0o700);
    for (const each of made) syncDirectory(dirname(each));
  } catch (error) {
    // Whoever finds it there relies on it: it must not stay while its name can be lost.
    for (const each of made.toReversed()) removeEmpty(each);
    throw error;
  }
}

function removeEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Somebody else uses it already, or the disk refuses that as well: the first error is told.
  }
}

/**
 * The directories that had to be made, the highest first. Not left to `recursive`: in a file system
 * where nothing can be made, such as /proc, Node tries for ever.
 */
function makeMissing(dir: string): readonly string[] {
  try {
    return makeOne(dir);
  } catch (error) {
    const above = dirname(dir);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === dir) throw error;
    return [...makeMissing(above), ...makeOne(dir)];
  }
}

/** Nothing where it was there already. */
function makeOne(dir: string): readonly string[] {
  try {
    mkdirSync(dir, { mode: 0o700 });
    return [dir];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(dir).isDirectory()) return [];
    throw error;
  }
}

/**
 * An empty file for this user only, whatever the umask, unless there is one.
 *
 * A file that exists is not even opened: closing it would release every lock that SQLite holds on
 * it in this process.
 */
export function makeFile(path: string): void {
  let handle: number;
  try {
    handle = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  try {
    fchmodSync(handle, 0o600);
  } finally {
    closeSync(handle);
  }
  syncDirectory(dirname(path));
}

/** Ends the name of a file that is being written. */
export const TEMPORARY = ".tmp";
/** The same of one that can be made again. */
const PART = ".part";

/** Counted on where a file of that name could not be taken away: nobody tries the same names again. */
let made = 0;

interface Beside {
  readonly name: string;
  readonly handle: number;
}

/**
 * A new file beside another one, to be put in its place. Its name is nobody else's, also where
 * containers share a directory and each of them has a process of this number.
 */
function makeBeside(path: string, ending: string): Beside {
  for (;;) {
    const mark = made === 0 ? "" : `-${made}`;
    const name = join(dirname(path), `.${basename(path)}.${process.pid}${mark}${ending}`);
    try {
      return { name, handle: openSync(name, "wx", 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // The next process of this number finds it free.
      removeAbandoned(name);
      made++;
    }
  }
}

/**
 * Puts a text in the place of a file, so that nobody ever sees half of it. The name is sure when the
 * directory was synced. It is for this user only, or for whom another file is.
 */
export function replaceFile(path: string, text: string, like?: Pick<Stats, "mode" | "gid">): void {
  putInPlace(path, makeBeside(path, TEMPORARY), (handle) => {
    fchmodSync(handle, like ? keepGroup(handle, like) : 0o600);
    writeFileSync(handle, text);
    fsyncSync(handle);
  });
}

/** Answers which rights the file may have then. */
function keepGroup(handle: number, { mode, gid }: Pick<Stats, "mode" | "gid">): number {
  const own = fstatSync(handle);
  try {
    if (own.gid !== gid) fchownSync(handle, own.uid, gid);
    return mode & 0o7777;
  } catch {
    // Not a group of this user: the one that stands there instead may do what everybody may.
    return (mode & 0o5707) | ((mode & 0o007) << 3);
  }
}

/** The same for what can be made again: it may be lost in a power cut, and its directory be missing. */
export function replaceLoosely(path: string, text: string): void {
  putInPlace(path, makePart(path), (handle) => writeFileSync(handle, text));
}

function makePart(path: string): Beside {
  try {
    return makeBeside(path, PART);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeDirectory(dirname(path));
    return makeBeside(path, PART);
  }
}

function putInPlace(path: string, { name, handle }: Beside, write: (handle: number) => void): void {
  try {
    try {
      write(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(name, path);
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  }
}

/** Makes a file that others see whole or not at all. Throws `EEXIST` where there is one. */
export function makeWhole(path: string, text: string): void {
  const { name, handle } = makePart(path);
  try {
    try {
      writeFileSync(handle, text);
    } finally {
      closeSync(handle);
    }
    linkSync(name, path);
  } finally {
    rmSync(name, { force: true });
  }
}

/** Whether a process that was killed in the middle of its work has left it. */
export function isLeftBehind(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_AFTER;
}

/** Takes a file away that was being written when its process was killed. */
export function removeAbandoned(name: string): void {
  if (isLeftBehind(name)) rmSync(name, { force: true });
}

/** The same for whatever was to be replaced loosely in a directory. */
export function removeAbandonedParts(dir: string): void {
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir))
    if (name.startsWith(".") && name.endsWith(PART)) removeAbandoned(join(dir, name));
}
