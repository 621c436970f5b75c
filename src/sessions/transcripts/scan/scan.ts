import { readSync } from "node:fs";
import type { Needle } from "../../../agents/agent.ts";
import { MAX_LINE } from "./lines.ts";
import type { Finder } from "./needles.ts";
import { openSieve, type Sieve } from "./sieve.ts";

/** The part of a file to be looked through, and for what. */
export interface ScanOptions {
  readonly from: number;
  /** Bytes after `from` of a line that is known to be too long. */
  readonly seen: number;
  /** Lines that begin before this are looked at. */
  readonly to: number;
  /** Number of the line before the first. */
  readonly lines: number;
  readonly needles: readonly Needle[];
  /** When it is enough for now, by the clock that nobody sets; at least one line is passed. */
  readonly until?: number | undefined;
  /** More needles, asked for after each line that was found: ids that are waited for. */
  readonly wanted?: () => readonly string[];
}

export interface Scanned {
  /** Where the first line begins that was not looked at. */
  readonly offset: number;
  readonly lines: number;
  /** Bytes of that line that need not be read again, because it is too long already. */
  readonly seen: number;
  /** How far the file was read. */
  readonly end: number;
}

/** Small enough to stay close to the processor while every needle is looked for in it. */
const BLOCK = 256 * 1024;
/** So much is read at a time to find the end of the last line. */
const STEP = 16 * 1024;
const NEWLINE = 0x0a;
const NEVER = Number.POSITIVE_INFINITY;

/** Kept from one file to the next: new memory costs more than reading into it. */
let idle: Sieve | undefined;

/**
 * Finds the lines of a part of a file that contain one of the needles, without looking at the
 * others as text. Most of a transcript is what tools printed; almost nothing of it matters here.
 */
export function scanLines(
  handle: number,
  options: ScanOptions,
  each: (line: string, number: number) => void,
  tooLong: (length: number, number: number) => void,
): Scanned {
  // The longest line, and what tells that it is longer.
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
  { from, seen, to, until = NEVER, lines, needles, wanted }: ScanOptions,
  each: (line: string, number: number) => void,
  tooLong: (length: number, number: number) => void,
): Scanned {
  const { room } = sieve;
  const finder = sieve.finder(needles, wanted);
  let number = lines;
  let offset = from;
  /** Bytes of an unfinished line at the start of the room. */
  let held = 0;
  /** Bytes of an unfinished line that is too long, and no longer in the room. */
  let over = seen;
  let place = from + seen;
  const isBetweenLines = () => place >= to && (held === 0 || held > MAX_LINE);
  while (!isBetweenLines() && (offset === from || performance.now() < until)) {
    if (held > MAX_LINE) {
      over = held;
      held = 0;
    }
    const most = Math.min(BLOCK, room.length - held, place < to ? to - place : STEP);
    const read = readSync(handle, room, held, most, place);
    if (read === 0) break;
    // Of what follows, only the rest of the line that began before.
    const got = place < to ? read : endOfLine(room.subarray(0, held + read), held) - held;
    place += got;
    const block = room.subarray(0, held + got);
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
    // What was held has none.
    const last = held + block.subarray(held).lastIndexOf(NEWLINE);
    if (last >= Math.max(start, held)) {
      offset += last + 1 - start;
      finder.begin(last + 1);
      number = scanBlock(room, finder, { from: start, to: last + 1, before: number }, each);
      start = last + 1;
    }
    held = block.length - start;
    if (start > 0) block.copyWithin(0, start);
  }
  const passed = over > 0 ? over : held > MAX_LINE ? held : 0;
  return { offset, lines: number, seen: passed, end: place };
}

function endOfLine(block: Buffer, from: number): number {
  const end = block.indexOf(NEWLINE, from);
  return end === -1 ? block.length : end + 1;
}

/** Whole lines; returns the number of the last. */
function scanBlock(
  room: Buffer,
  finder: Finder,
  { from, to, before }: { readonly from: number; readonly to: number; readonly before: number },
  each: (line: string, number: number) => void,
): number {
  let number = before;
  let start = from;
  for (let found = finder.next(from); found < to; found = finder.next(start)) {
    const begin = Math.max(start, room.lastIndexOf(NEWLINE, found) + 1);
    const end = room.indexOf(NEWLINE, found);
    number += finder.lines(start, begin) + 1;
    each(room.toString("utf8", begin, end), number);
    finder.changed();
    start = end + 1;
  }
  return number + finder.lines(start, to);
}
