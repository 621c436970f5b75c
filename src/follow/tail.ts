import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type Line, splitLines } from "./lines.ts";

/**
 * How far a file was read, and what it looked like: enough to go on later, also in another
 * process, and to notice that it is no longer the same file. The inode is not part of it: file
 * systems give it to the next file at once.
 */
export interface Mark {
  /** Where the next line begins. */
  readonly offset: number;
  /** Lines read. */
  readonly lines: number;
  /** Bytes of an over-long line after the offset that were passed over. */
  readonly seen: number;
  readonly size: number;
  readonly mtime: number;
  /** Of the first bytes, and how many. */
  readonly head: string;
  readonly headLength: number;
  /** Of the last bytes before the offset. */
  readonly tail: string;
}

export interface Grown {
  /** The file was cut, replaced or rewritten: what was read before no longer counts. */
  readonly reset: boolean;
  /** The limit was reached before the end of the file. */
  readonly more: boolean;
  readonly mark: Mark;
}

export const START: Mark = {
  offset: 0,
  lines: 0,
  seen: 0,
  size: 0,
  mtime: 0,
  head: "",
  headLength: 0,
  tail: "",
};

const HEAD = 1024;
const TAIL = 256;
const CHUNK = 256 * 1024;
/** More than the longest line that is kept, so that every call gets somewhere. */
const READ_LIMIT = 16 * 1024 * 1024;

export type ReadProblem = "missing" | "not_a_file" | "no_permission" | "unreadable";

export type Tailed =
  | { readonly ok: true; readonly grown: Grown }
  | { readonly ok: false; readonly problem: ReadProblem; readonly reason: string };

/**
 * Reads the lines that a file has more than at the mark. A last line without its end is left for
 * the next time. Blocks while it reads: callers bound the work by `limit`.
 */
export function readNew(
  path: string,
  mark: Mark,
  each: (line: Line) => void,
  limit = READ_LIMIT,
): Tailed {
  let handle: number;
  try {
    // Neither a link nor a pipe: the first may lead anywhere, the second would wait.
    handle = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    return failed(error);
  }
  try {
    const { size, mtimeMs, isFile } = statOf(handle);
    if (!isFile) return { ok: false, problem: "not_a_file", reason: "not a regular file" };
    const untouched = size === mark.size && mtimeMs === mark.mtime;
    // Touched but not grown: somebody wrote over what was there.
    const same = untouched || (size !== mark.size && isSame(handle, mark, size));
    const from = same ? mark : START;
    const unchanged = untouched && mark !== START;
    const next = unchanged ? mark : read(handle, from, { size, mtimeMs }, each, limit);
    return { ok: true, grown: { reset: !same, more: next.size !== size, mark: next } };
  } catch (error) {
    return failed(error);
  } finally {
    closeSync(handle);
  }
}

function statOf(handle: number) {
  const stat = fstatSync(handle);
  return { size: stat.size, mtimeMs: stat.mtimeMs, isFile: stat.isFile() };
}

/** The mark of a file that was read up to a line by other means. */
export function markAt(path: string, read: Pick<Mark, "offset" | "lines" | "seen">): Mark {
  const handle = openSync(path, "r");
  try {
    return markOf(handle, { ...read, size: 0, mtime: 0 }, START);
  } finally {
    closeSync(handle);
  }
}

function markOf(
  handle: number,
  known: Omit<Mark, "head" | "headLength" | "tail">,
  from: Mark,
): Mark {
  const { offset } = known;
  const headLength = Math.min(HEAD, offset);
  return {
    ...known,
    head: from.headLength === headLength ? from.head : digest(handle, 0, headLength),
    headLength,
    tail: digest(handle, Math.max(0, offset - TAIL), Math.min(TAIL, offset)),
  };
}

function read(
  handle: number,
  from: Mark,
  { size, mtimeMs }: { size: number; mtimeMs: number },
  each: (line: Line) => void,
  limit: number,
): Mark {
  const splitter = splitLines({ offset: from.offset, count: from.lines, seen: from.seen });
  const begin = from.offset + from.seen;
  const end = Math.min(size, begin + limit);
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, end - begin)));
  for (let place = begin; place < end; ) {
    const got = readSync(handle, buffer, 0, Math.min(buffer.length, end - place), place);
    if (got === 0) break;
    // Lines handed out may be kept; the buffer is used again.
    splitter.push(Buffer.from(buffer.subarray(0, got)), each);
    place += got;
  }
  const { offset, count, seen } = splitter;
  const read = { offset, lines: count, seen, size: end < size ? 0 : size, mtime: mtimeMs };
  return markOf(handle, read, from);
}

/** What was read is still there, at both ends. */
function isSame(handle: number, mark: Mark, size: number): boolean {
  if (size < mark.offset + mark.seen) return false;
  if (digest(handle, 0, mark.headLength) !== mark.head) return false;
  return digest(handle, Math.max(0, mark.offset - TAIL), Math.min(TAIL, mark.offset)) === mark.tail;
}

function digest(handle: number, start: number, length: number): string {
  const bytes = Buffer.alloc(length);
  const got = length === 0 ? 0 : readSync(handle, bytes, 0, length, start);
  // Loaded when the first file is read: with the module comes most of what a start costs.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha1").update(bytes.subarray(0, got)).digest("base64url");
}

function failed(error: unknown): Tailed {
  const { code = "", message = String(error) } = error as NodeJS.ErrnoException;
  const problems: Readonly<Record<string, ReadProblem>> = {
    ENOENT: "missing",
    ENOTDIR: "missing",
    EACCES: "no_permission",
    EPERM: "no_permission",
    ELOOP: "not_a_file",
    EISDIR: "not_a_file",
    ENXIO: "not_a_file",
  };
  return { ok: false, problem: problems[code] ?? "unreadable", reason: message };
}
