import { closeSync, openSync, readSync } from "node:fs";
import type { Needle } from "../dialects/dialect.ts";
import { MAX_LINE } from "./lines.ts";
import { createFinder } from "./needles.ts";

/** The part of a file to be looked through, and for what. */
export interface ScanOptions {
  readonly from: number;
  /** Bytes after `from` of a line that is known to be too long. */
  readonly seen: number;
  readonly to: number;
  /** Number of the line before the first. */
  readonly lines: number;
  readonly needles: readonly Needle[];
  /** More needles, asked for after each line that was found: ids that are waited for. */
  readonly wanted?: () => readonly string[];
}

export interface Scanned {
  /** Where the first line begins that is not complete before `to`. */
  readonly offset: number;
  readonly lines: number;
  /** Bytes of that line that need not be read again, because it is too long already. */
  readonly seen: number;
}

/** Small enough to stay close to the processor while every needle is looked for in it. */
const BLOCK = 1024 * 1024;
const NEWLINE = 0x0a;

/** Kept from one file to the next: new memory costs more than reading into it. */
let idle: Buffer | undefined;

/**
 * Finds the lines of a part of a file that contain one of the needles, without looking at the
 * others as text. Most of a transcript is what tools printed; almost nothing of it matters here.
 * The bytes of a line are only good until `each` returns.
 */
export function scanLines(
  path: string,
  options: ScanOptions,
  each: (line: Buffer, number: number) => void,
  tooLong: (length: number, number: number) => void,
): Scanned {
  const handle = openSync(path, "r");
  const buffer = idle ?? Buffer.allocUnsafeSlow(BLOCK);
  idle = undefined;
  try {
    return scan(handle, buffer, options, each, tooLong);
  } finally {
    idle = buffer;
    closeSync(handle);
  }
}

function scan(
  handle: number,
  first: Buffer,
  { from, seen, to, lines, needles, wanted }: ScanOptions,
  each: (line: Buffer, number: number) => void,
  tooLong: (length: number, number: number) => void,
): Scanned {
  let buffer = first;
  let number = lines;
  let offset = from;
  /** Bytes of an unfinished line at the start of the buffer. */
  let held = 0;
  /** Bytes of an unfinished line that is too long, and no longer in the buffer. */
  let over = seen;
  for (let place = from + seen; place < to; ) {
    if (held > MAX_LINE) {
      over = held;
      held = 0;
    } else if (held === buffer.length)
      buffer = Buffer.concat([buffer], Math.min(2 * held, MAX_LINE + 1));
    const got = readSync(handle, buffer, held, Math.min(buffer.length - held, to - place), place);
    if (got === 0) break;
    place += got;
    const block = buffer.subarray(0, held + got);
    let start = 0;
    if (over > 0) {
      const end = block.indexOf(NEWLINE);
      over += end === -1 ? block.length : end;
      if (end === -1) continue;
      tooLong(over, ++number);
      offset += over + 1;
      over = 0;
      start = end + 1;
    }
    const last = block.lastIndexOf(NEWLINE);
    if (last >= start) {
      offset += last + 1 - start;
      number = scanBlock(block.subarray(0, last + 1), start, number, needles, wanted, each);
      start = last + 1;
    }
    held = block.length - start;
    block.copyWithin(0, start);
  }
  return { offset, lines: number, seen: over > 0 ? over : held > MAX_LINE ? held : 0 };
}

/** Whole lines; returns the number of the last. */
function scanBlock(
  block: Buffer,
  from: number,
  before: number,
  needles: readonly Needle[],
  wanted: (() => readonly string[]) | undefined,
  each: (line: Buffer, number: number) => void,
): number {
  const finder = createFinder(block, needles, wanted);
  let number = before;
  let found = finder.next(from);
  for (let start = from; start < block.length; ) {
    const end = block.indexOf(NEWLINE, start);
    number++;
    if (found < end) {
      each(block.subarray(start, end), number);
      finder.changed();
      found = finder.next(end + 1);
    }
    start = end + 1;
  }
  return number;
}
