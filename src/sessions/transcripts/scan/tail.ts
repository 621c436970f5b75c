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

interface Failure {
  readonly ok: false;
  readonly problem: ReadProblem;
  readonly reason: string;
}

/** A file that is open, as it was when it was opened. */
export interface OpenFile {
  readonly handle: number;
  readonly size: number;
  readonly mtime: number;
}

/** Does something with a file while it is open. */
export function withFile<T>(
  path: string,
  work: (file: OpenFile) => T,
): { readonly ok: true; readonly value: T } | Failure {
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
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { ok: false, problem: "not_a_file", reason: "not a regular file" };
    return { ok: true, value: work({ handle, size: stat.size, mtime: stat.mtimeMs }) };
  } catch (error) {
    return failed(error);
  } finally {
    closeSync(handle);
  }
}

export type Place = Pick<Mark, "offset" | "lines" | "seen">;

/**
 * Hands out the whole lines after a place, up to `limit` bytes, and returns the place after them. A
 * last line without its end is left for the next time. Blocks while it reads. A caller that lends a
 * buffer must be done with each line before the next.
 */
export function readLines(
  { handle, size }: OpenFile,
  from: Place,
  each: (line: Line) => void,
  limit = READ_LIMIT,
  lent?: Buffer,
): Place & { readonly ended: boolean } {
  const splitter = splitLines({ offset: from.offset, count: from.lines, seen: from.seen });
  const begin = from.offset + from.seen;
  const end = Math.min(size, begin + limit);
  for (let place = begin; place < end; ) {
    const buffer = lent ?? Buffer.allocUnsafe(Math.min(CHUNK, end - place));
    const got = readSync(handle, buffer, 0, Math.min(buffer.length, end - place), place);
    if (got === 0) break;
    place += got;
    splitter.push(buffer.subarray(0, got), each, place >= end);
  }
  const { offset, count, seen } = splitter;
  return { offset, lines: count, seen, ended: end === size };
}

/** What was read up to a place, so that it is known again. */
export function markOf(
  { handle, size, mtime }: OpenFile,
  { offset, lines, seen, ended }: Place & { readonly ended: boolean },
  from: Mark,
): Mark {
  const headLength = Math.min(HEAD, offset);
  return {
    offset,
    lines,
    seen,
    size: ended ? size : 0,
    mtime,
    head: from.headLength === headLength ? from.head : digest(handle, 0, headLength),
    headLength,
    tail: digest(handle, Math.max(0, offset - TAIL), Math.min(TAIL, offset)),
  };
}

function isUntouched(file: OpenFile, mark: Mark): boolean {
  return file.size === mark.size && file.mtime === mark.mtime;
}

/** What was read is still there, at both ends. */
export function isSame(file: OpenFile, mark: Mark): boolean {
  if (isUntouched(file, mark)) return true;
  // Touched but not grown: somebody wrote over what was there.
  if (file.size === mark.size || file.size < mark.offset + mark.seen) return false;
  if (digest(file.handle, 0, mark.headLength) !== mark.head) return false;
  const length = Math.min(TAIL, mark.offset);
  return digest(file.handle, mark.offset - length, length) === mark.tail;
}

const looked = Buffer.alloc(Math.max(HEAD, TAIL));

/**
 * FNV-1a, twice 32 bits. It tells files apart that nobody made alike on purpose; to load a better
 * hash takes longer than to read a hundred sessions.
 */
function digest(handle: number, start: number, length: number): string {
  const got = length === 0 ? 0 : readSync(handle, looked, 0, length, start);
  let a = 0x811c9dc5;
  let b = 0xc9dc5118;
  for (let index = 0; index < got; index++) {
    const byte = looked[index] ?? 0;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ (byte + index), 0x01000193);
  }
  return `${got}.${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

function failed(error: unknown): Failure {
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
