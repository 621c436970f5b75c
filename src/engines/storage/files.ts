/**
 * engines/storage: files and processes, for every store: safe creation of files and directories, queues
 * between processes, polling for changes of other processes, the log file, redacted messages.
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

/** Refuses to open a symlink. Windows has no such flag. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;
export const APPEND_FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | NO_FOLLOW;
/** No write takes this long. */
const ABANDONED_AFTER = 60_000;

export function isSymlink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Throws if one of our directories is a symlink: its target is not ours to move or remove. */
export function refuseSymlink(dir: string): void {
  if (!isSymlink(dir)) return;
  throw new WaymarkError(
    "link_in_place",
    `${dir} is a symlink. Nothing behind it was changed. Replace it with a directory, or move it away.`,
  );
}

/** Makes new directory entries durable. */
export function syncDirectory(dir: string): void {
  // Windows cannot open directories; NTFS journals its entries.
  if (process.platform === "win32") return;
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Creates a directory for this user only, durably. An existing one keeps its mode. */
export function ensureDirectory(dir: string): void {
  const created = createMissing(dir);
  if (created.length === 0) return;
  try {
    chmodSync(dir, 0o700);
    for (const each of created) syncDirectory(dirname(each));
  } catch (error) {
    // Another process that finds the directory takes it for durable, so it must not stay.
    for (const each of created.toReversed()) removeEmpty(each);
    throw error;
  }
}

function removeEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // In use by another process, or the disk fails again: the caller throws the first error.
  }
}

/**
 * Creates the missing directories and returns them, outermost first. Not done with `recursive`: on a
 * file system that refuses new directories, such as /proc, Node retries forever.
 */
function createMissing(dir: string): readonly string[] {
  try {
    return createOne(dir);
  } catch (error) {
    const above = dirname(dir);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === dir) throw error;
    return [...createMissing(above), ...createOne(dir)];
  }
}

/** Returns nothing if the directory exists. */
function createOne(dir: string): readonly string[] {
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
 * Creates an empty file for this user only, whatever the umask, unless it exists.
 *
 * An existing file is not opened: closing it would release every lock that SQLite has on it in this
 * process.
 */
export function ensureFile(path: string): void {
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

/** Suffix of a file that is being written. */
export const TEMPORARY_SUFFIX = ".tmp";
/** Suffix of one that may be lost. */
const PART_SUFFIX = ".part";

/** Counts names that were taken, so that they are not tried again. */
let taken = 0;

interface TemporaryFile {
  readonly name: string;
  readonly handle: number;
}

/**
 * Creates a temporary file beside another one, to be renamed over it. The name is unique even if
 * containers share the directory and each has a process with this pid.
 */
function createTemporary(path: string, ending: string): TemporaryFile {
  for (;;) {
    const suffix = taken === 0 ? ending : `-${taken}${ending}`;
    const name = join(dirname(path), `.${basename(path)}.${process.pid}${suffix}`);
    try {
      return { name, handle: openSync(name, "wx", 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // So that the next process with this pid can use the name.
      removeAbandoned(name);
      taken++;
    }
  }
}

/**
 * Replaces a file atomically. The rename is durable once the directory is synced. The file is for this
 * user only, or has the mode and group of `like`.
 */
export function replaceFile(path: string, text: string, like?: Pick<Stats, "mode" | "gid">): void {
  writeAndRename(path, createTemporary(path, TEMPORARY_SUFFIX), (handle) => {
    fchmodSync(handle, like ? keepGroup(handle, like) : 0o600);
    writeFileSync(handle, text);
    fsyncSync(handle);
  });
}

/** Returns the mode that the file may have. */
function keepGroup(handle: number, { mode, gid }: Pick<Stats, "mode" | "gid">): number {
  const own = fstatSync(handle);
  try {
    if (own.gid !== gid) fchownSync(handle, own.uid, gid);
    return mode & 0o7777;
  } catch {
    // Not a group of this user: the user's own group gets no more rights than everybody.
    return (mode & 0o5707) | ((mode & 0o007) << 3);
  }
}

/** Replaces a file that may be lost in a power cut. Creates its directory if needed. */
export function replaceWithoutSync(path: string, text: string): void {
  writeAndRename(path, createPart(path), (handle) => writeFileSync(handle, text));
}

function createPart(path: string): TemporaryFile {
  try {
    return createTemporary(path, PART_SUFFIX);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    ensureDirectory(dirname(path));
    return createTemporary(path, PART_SUFFIX);
  }
}

function writeAndRename(
  path: string,
  { name, handle }: TemporaryFile,
  write: (handle: number) => void,
): void {
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

/** Creates a file that other processes see complete or not at all. Throws `EEXIST` if it exists. */
export function createAtomically(path: string, text: string): void {
  const { name, handle } = createPart(path);
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

/** Whether a file is so old that its writer must have been killed. */
export function isAbandonedFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_AFTER;
}

/** Removes the temporary file of a writer that was killed. */
export function removeAbandoned(name: string): void {
  if (isAbandonedFile(name)) rmSync(name, { force: true });
}

/** Removes what killed callers of `replaceWithoutSync` left in a directory. */
export function removeAbandonedParts(dir: string): void {
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir))
    if (name.startsWith(".") && name.endsWith(PART_SUFFIX)) removeAbandoned(join(dir, name));
}
