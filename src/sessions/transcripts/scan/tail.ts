import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type Line, splitLines } from "./lines.ts";

/**
 * How far a file was read, and hashes of its content: enough to resume later, also in another process,
 * and to notice that it is no longer the same file. Without the inode, which file systems reuse at
 * once.
 */
export interface Mark {
  /** Offset of the next line. */
  readonly offset: number;
  /** Lines read. */
  readonly lines: number;
  /** Bytes after the offset that belong to a line which is too long. */
  readonly seen: number;
  readonly size: number;
  readonly mtime: number;
  /** Hash of the first bytes, and their number. */
  readonly head: string;
  readonly headLength: number;
  /** Hash of the last bytes before the offset. */
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
/** More than the longest line, so that every call makes progress. */
const READ_LIMIT = 16 * 1024 * 1024;

export type ReadProblem = "missing" | "not_a_file" | "no_permission" | "unreadable";

interface Failure {
  readonly ok: false;
  readonly problem: ReadProblem;
  readonly reason: string;
}

/** An open file, with its size and mtime at that time. */
export interface OpenFile {
  readonly handle: number;
  readonly size: number;
  readonly mtime: number;
}

/** Opens a file for the duration of `work`. */
export function withFile<T>(
  path: string,
  work: (file: OpenFile) => T,
): { readonly ok: true; readonly value: T } | Failure {
  let handle: number;
  try {
    // Neither symlinks, which may lead anywhere, nor pipes, which would block.
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

export type Cursor = Pick<Mark, "offset" | "lines" | "seen">;

/**
 * Reads the complete lines after a cursor, up to `limit` bytes, and returns the cursor after them. An
 * incomplete last line is left for the next call. Blocks. With `lent`, a line is valid only until the
 * next one.
 */
export function readLines(
  { handle, size }: OpenFile,
  from: Cursor,
  each: (line: Line) => void,
  limit = READ_LIMIT,
  lent?: Buffer,
): Cursor & { readonly ended: boolean } {
  const splitter = splitLines({ offset: from.offset, count: from.lines, seen: from.seen });
  const begin = from.offset + from.seen;
  const end = Math.min(size, begin + limit);
  for (let position = begin; position < end; ) {
    const buffer = lent ?? Buffer.allocUnsafe(Math.min(CHUNK, end - position));
    const got = readSync(handle, buffer, 0, Math.min(buffer.length, end - position), position);
    if (got === 0) break;
    position += got;
    splitter.push(buffer.subarray(0, got), each, position >= end);
  }
  const { offset, count, seen } = splitter;
  return { offset, lines: count, seen, ended: end === size };
}

/** Records a cursor with the hashes that recognize the file. */
export function markOf(
  { handle, size, mtime }: OpenFile,
  { offset, lines, seen, ended }: Cursor & { readonly ended: boolean },
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

/** Whether the content that was read is still there, judged by its first and last bytes. */
export function isSameFile(file: OpenFile, mark: Mark): boolean {
  if (isUntouched(file, mark)) return true;
  // Changed without growing: overwritten.
  if (file.size === mark.size || file.size < mark.offset + mark.seen) return false;
  if (digest(file.handle, 0, mark.headLength) !== mark.head) return false;
  const length = Math.min(TAIL, mark.offset);
  return digest(file.handle, mark.offset - length, length) === mark.tail;
}

const hashBuffer = Buffer.alloc(Math.max(HEAD, TAIL));

/**
 * Two 32-bit FNV-1a hashes. Not collision-resistant against an attacker, but loading a better hash takes
 * longer than reading a hundred sessions.
 */
function digest(handle: number, start: number, length: number): string {
  const got = length === 0 ? 0 : readSync(handle, hashBuffer, 0, length, start);
  let a = 0x811c9dc5;
  let b = 0xc9dc5118;
  for (let index = 0; index < got; index++) {
    const byte = hashBuffer[index] ?? 0;
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
