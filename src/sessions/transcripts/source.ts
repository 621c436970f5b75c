import type { Dialect } from "../../agents/agent.ts";
import type { FoundSource } from "./discover.ts";
import {
  type Fold,
  failed,
  type Indexed,
  indexed,
  isCurrent,
  newFold,
  type ReadOptions,
} from "./fold.ts";
import type { Line } from "./scan/lines.ts";
import { type Scanned, scanLines } from "./scan/scan.ts";
import {
  isSame,
  type Mark,
  markOf,
  type OpenFile,
  type Place,
  readLines,
  START,
  withFile,
} from "./scan/tail.ts";

/** Up to this many new bytes every line is read; beyond, only those that can matter. */
const READ_ALL = 96 * 1024;
/** And where only a little of the end is read, up to so many times that. */
const READ_ALL_TAILS = 4;
/**
 * The beginning of a long file says who works here and on what: so much of it is read, and more
 * where it does not. A pasted log in the first prompt easily has a hundred kilobytes.
 */
const HEAD = 8 * 1024;
const MAX_HEAD = 256 * 1024;
/** And its end says what it does. */
const TAIL = 16 * 1024;

/** Every line becomes text as soon as it is there. */
const borrowed = Buffer.allocUnsafeSlow(READ_ALL);

/** Brings what is known of a session file up to date; costs what is new in it. */
export function readSource(
  found: FoundSource,
  known: Indexed | undefined,
  dialect: Dialect,
  options: ReadOptions = {},
): Indexed {
  if (known && isCurrent(known, found)) return known;
  let fold: Fold | undefined;
  const read = withFile(found.path, (file) => {
    const goesOn = known && isRead(known.mark) && isSame(file, known.mark) ? known : undefined;
    fold = newFold(found, dialect, options, goesOn);
    return readFile(file, found, goesOn?.mark ?? START, fold, options);
  });
  if (read.ok) return read.value;
  if (known && !fold) return { ...known, problem: read.reason };
  return failed(found, fold ?? newFold(found, dialect, options), read.reason);
}

function isRead({ offset, seen }: Mark): boolean {
  return offset + seen > 0;
}

function readFile(
  file: OpenFile,
  found: FoundSource,
  from: Mark,
  fold: Fold,
  options: ReadOptions,
): Indexed {
  let place: Place = from;
  const readAll = Math.min(READ_ALL, READ_ALL_TAILS * (options.tail ?? READ_ALL));
  if (!options.whole && file.size - from.offset > readAll) {
    const end = file.size - (options.tail ?? TAIL);
    if (!isRead(from)) place = readHead(file, fold, Math.min(MAX_HEAD, end));
    const to = Math.min(end, place.offset + place.seen + (options.limit ?? end));
    const scanned = scanMiddle(file, to, options.until, place, fold);
    if (scanned.end < end) {
      const mark = markOf(file, { ...scanned, ended: false }, from);
      return indexed({ ...found, size: scanned.end }, fold, mark);
    }
    place = scanned;
  }
  const each = (line: Line): void => feed(fold, line, fold.take);
  for (;;) {
    const next = readLines(file, place, each, undefined, borrowed);
    if (next.ended || next.offset + next.seen === place.offset + place.seen)
      return indexed(found, fold, markOf(file, next, from));
    place = next;
  }
}

/** Reads until somebody has said who works here, and on what. */
function readHead(file: OpenFile, fold: Fold, max: number): Place {
  let place: Place = START;
  let known: Place | undefined;
  const each = (line: Line): void => {
    if (known) return;
    if (isIntroduced(fold)) known = { offset: line.offset, lines: line.number - 1, seen: 0 };
    else feed(fold, line, fold.takeInPassing);
  };
  for (let limit = HEAD; !isIntroduced(fold); limit *= 2) {
    const end = Math.min(limit, max);
    place = readLines(file, place, each, end - place.offset - place.seen, borrowed);
    if (end === max) break;
  }
  return known ?? place;
}

function isIntroduced({ lives }: Fold): boolean {
  return Object.values(lives).some(
    ({ prompt, model }) => prompt !== undefined && model !== undefined,
  );
}

function feed({ reader }: Fold, line: Line, take: Fold["take"]): void {
  if ("bytes" in line) take(reader.line(line.bytes.toString("utf8"), line.number));
  else take(reader.tooLong(line.skipped, line.number));
}

function scanMiddle(
  { handle }: OpenFile,
  to: number,
  until: number | undefined,
  from: Place,
  fold: Fold,
): Scanned {
  const { reader, takeInPassing } = fold;
  const { dialect } = reader;
  const { wanted } = dialect;
  for (const live of Object.values(fold.lives)) {
    // What lies between may have been edited: no check that was seen proves what comes after it.
    delete live.activity.check;
    if (live.prompt === undefined) live.promptMissed = true;
  }
  return scanLines(
    handle,
    {
      from: from.offset,
      seen: from.seen,
      to,
      until,
      lines: from.lines,
      needles: dialect.needles,
      ...(wanted && { wanted: () => wanted(reader.state) }),
    },
    (line, number) => takeInPassing(reader.line(line, number)),
    (length, number) => takeInPassing(reader.tooLong(length, number)),
  );
}
