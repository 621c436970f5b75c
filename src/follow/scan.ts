import { closeSync, openSync, readSync } from "node:fs";
import { MAX_LINE } from "./lines.ts";

/**
 * Finds the lines of a part of a file that contain one of the needles, without looking at the
 * others as text. Most of a transcript is what tools printed; almost nothing of it matters here.
 */
export interface ScanOptions {
  readonly from: number;
  readonly to: number;
  /** Number of the line before the first. */
  readonly lines: number;
  readonly needles: readonly string[];
  /** More needles, asked for after each line that was found: ids that are waited for. */
  readonly wanted?: () => readonly string[];
}

export interface Scanned {
  /** Where the first line begins that is not complete before `to`. */
  readonly offset: number;
  readonly lines: number;
  /** Lines too long to be looked at. */
  readonly skipped: readonly { readonly number: number; readonly length: number }[];
}

const BLOCK = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

export function scanLines(
  path: string,
  options: ScanOptions,
  each: (line: Buffer, number: number) => void,
): Scanned {
  const handle = openSync(path, "r");
  try {
    return scan(handle, options, each);
  } finally {
    closeSync(handle);
  }
}

function scan(
  handle: number,
  { from, to, lines, needles, wanted }: ScanOptions,
  each: (line: Buffer, number: number) => void,
): Scanned {
  let buffer = Buffer.allocUnsafe(Math.min(BLOCK, Math.max(1, to - from)));
  const skipped: { number: number; length: number }[] = [];
  let number = lines;
  let offset = from;
  let held = 0;
  let over = 0;
  for (let place = from; place < to; ) {
    if (held === buffer.length) {
      if (held >= MAX_LINE) {
        // The line goes on beyond what is kept: only its length is still of interest.
        over += held;
        held = 0;
      } else buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    }
    const got = readSync(handle, buffer, held, Math.min(buffer.length - held, to - place), place);
    if (got === 0) break;
    place += got;
    const block = buffer.subarray(0, held + got);
    let start = 0;
    if (over > 0) {
      const end = block.indexOf(NEWLINE);
      if (end === -1) {
        over += block.length;
        held = 0;
        continue;
      }
      skipped.push({ number: ++number, length: over + end });
      offset += over + end + 1;
      over = 0;
      start = end + 1;
    }
    const found = finder(block, needles, wanted);
    for (let end = block.indexOf(NEWLINE, start); end !== -1; end = block.indexOf(NEWLINE, start)) {
      number++;
      if (found(start, end)) each(block.subarray(start, end), number);
      offset += end + 1 - start;
      start = end + 1;
    }
    held = block.length - start;
    block.copyWithin(0, start);
  }
  return { offset, lines: number, skipped };
}

/** Tells of lines in order whether they contain a needle; each needle is searched for once. */
function finder(block: Buffer, needles: readonly string[], wanted?: () => readonly string[]) {
  const next = new Map<string, number>();
  const hit = (needle: string, start: number, end: number): boolean => {
    let at = next.get(needle);
    if (at === undefined || (at !== -1 && at < start)) {
      at = block.indexOf(needle, start, "latin1");
      next.set(needle, at);
    }
    return at !== -1 && at < end;
  };
  return (start: number, end: number): boolean => {
    for (const needle of needles) if (hit(needle, start, end)) return true;
    for (const needle of wanted?.() ?? []) if (hit(needle, start, end)) return true;
    return false;
  };
}
