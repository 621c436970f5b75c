import { readSync } from "node:fs";
import type { Needle } from "../../../agents/agent.ts";
import { MAX_LINE } from "./lines.ts";
import type { Finder } from "./needles.ts";
import { openSieve, type Sieve } from "./sieve.ts";

/** The part of a file to scan, and the needles. */
export interface ScanOptions {
  readonly from: number;
  /** Bytes after `from` of a line that is known to be too long. */
  readonly seen: number;
  /** Lines that begin before this offset are scanned. */
  readonly to: number;
  /** Number of the line before the first. */
  readonly lines: number;
  readonly needles: readonly Needle[];
  /**
   * Called with the offsets of a line in the buffer, in place of `each`, if it contains the last needle and no other.
   * Returns false to pass the line to `each` after all.
   */
  readonly onlyLast?:
    | ((buffer: Buffer, begin: number, end: number, number: number) => boolean)
    | undefined;
  /** Deadline by the monotonic clock; at least one line is scanned. */
  readonly until?: number | undefined;
  /** More needles, requested after each match: ids of calls whose results are awaited. */
  readonly wanted?: () => readonly string[];
}

export interface Scanned {
  /** Offset of the first line that was not scanned. */
  readonly offset: number;
  readonly lines: number;
  /** Bytes of that line that need not be read again, because it is already too long. */
  readonly seen: number;
  /** Offset up to which the file was read. */
  readonly end: number;
}

/** Fits into the processor cache while it is searched. */
const BLOCK = 256 * 1024;
/** How much is read at a time to find the end of the last line. */
const STEP = 16 * 1024;
const NEWLINE = 0x0a;
const NEVER = Number.POSITIVE_INFINITY;

/** Reused for the next file: allocating memory costs more than reading into it. */
let idle: Sieve | undefined;

/**
 * Finds the lines that contain one of the needles, without decoding the others. Most of a transcript is
 * tool output, of which almost nothing matters here.
 */
export function scanLines(
  handle: number,
  options: ScanOptions,
  each: (line: string, number: number) => void,
  tooLong: (length: number, number: number, offset: number) => void,
): Scanned {
  // One byte more than the longest line, to detect longer ones.
  const sieve = idle ?? openSieve(MAX_LINE + 1);
  idle = undefined;
  try {
    return scan(handle, sieve, options, each, tooLong);
  } finally {
    idle = sieve;
  }
}

function scan(
  handle: number,
  sieve: Sieve,
  { from, seen, to, until = NEVER, lines, needles, onlyLast, wanted }: ScanOptions,
  each: (line: string, number: number) => void,
  tooLong: (length: number, number: number, offset: number) => void,
): Scanned {
  const { buffer } = sieve;
  const finder = sieve.finder(needles, wanted);
  let number = lines;
  let offset = from;
  /** Bytes of an incomplete line at the start of the buffer. */
  let held = 0;
  /** Bytes of an incomplete line that is too long and was discarded. */
  let over = seen;
  let position = from + seen;
  const isBetweenLines = () => position >= to && (held === 0 || held > MAX_LINE);
  while (!isBetweenLines() && (offset === from || performance.now() < until)) {
    if (held > MAX_LINE) {
      over = held;
      held = 0;
    }
    const most = Math.min(BLOCK, buffer.length - held, position < to ? to - position : STEP);
    const read = readSync(handle, buffer, held, most, position);
    if (read === 0) break;
    // After `to`, only the rest of the line that began before it.
    const got = position < to ? read : endOfLine(buffer.subarray(0, held + read), held) - held;
    position += got;
    const block = buffer.subarray(0, held + got);
    let start = 0;
    if (over > 0) {
      const end = block.indexOf(NEWLINE);
      over += end === -1 ? block.length : end;
      if (end === -1) continue;
      tooLong(over, ++number, offset);
      offset += over + 1;
      over = 0;
      start = end + 1;
    }
    // The held bytes contain no line feed.
    const last = held + block.subarray(held).lastIndexOf(NEWLINE);
    if (last >= Math.max(start, held)) {
      offset += last + 1 - start;
      finder.begin(last + 1);
      const complete = { from: start, to: last + 1, before: number };
      number = scanBlock(buffer, finder, complete, each, onlyLast);
      start = last + 1;
    }
    held = block.length - start;
    if (start > 0) block.copyWithin(0, start);
  }
  const skipped = over > 0 ? over : held > MAX_LINE ? held : 0;
  return { offset, lines: number, seen: skipped, end: position };
}

function endOfLine(block: Buffer, from: number): number {
  const end = block.indexOf(NEWLINE, from);
  return end === -1 ? block.length : end + 1;
}

/** Scans complete lines; returns the number of the last one. */
function scanBlock(
  buffer: Buffer,
  finder: Finder,
  { from, to, before }: { readonly from: number; readonly to: number; readonly before: number },
  each: (line: string, number: number) => void,
  onlyLast: ScanOptions["onlyLast"],
): number {
  let number = before;
  let start = from;
  let found = finder.next(from);
  while (found < to) {
    const begin = Math.max(start, buffer.lastIndexOf(NEWLINE, found) + 1);
    const end = buffer.indexOf(NEWLINE, found);
    number += finder.lines(start, begin) + 1;
    start = end + 1;
    if (onlyLast && finder.isLast()) {
      do found = finder.next(found + 1, begin);
      while (found < end && finder.isLast());
      if (found >= end && onlyLast(buffer, begin, end, number)) continue;
    }
    each(buffer.toString("utf8", begin, end), number);
    finder.changed();
    found = finder.next(start);
  }
  return number + finder.lines(start, to);
}
