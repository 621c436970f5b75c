import type { Decoder, FieldTree, Needle } from "../../agents/agent.ts";
import { applyUnread } from "../../core/activity/activity.ts";
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
import { pickFields } from "./scan/pick.ts";
import { type Scanned, scanLines } from "./scan/scan.ts";
import {
  type Cursor,
  isSameFile,
  type Mark,
  markOf,
  type OpenFile,
  readLines,
  START,
  withFile,
} from "./scan/tail.ts";

/** Up to this many new bytes, every line is read; beyond that, only lines that can change a list. */
const READ_ALL = 96 * 1024;
/** With a shorter tail, up to this many times the tail. */
const READ_ALL_TAILS = 4;
/**
 * How much is read of the beginning of a long file, which has the model and the first prompt. More is
 * read until both are found: a log pasted into the prompt easily has 100 kB.
 */
const HEAD = 8 * 1024;
const MAX_HEAD = 256 * 1024;
/** How much is read of the end, which has the recent activity. */
const TAIL = 16 * 1024;

/** Shared by all reads: every line is converted to text at once. */
const sharedBuffer = Buffer.allocUnsafeSlow(READ_ALL);

/** Updates the entry of a session file. Costs in proportion to what is new in it. */
export function readSessionFile(
  found: FoundSource,
  known: Indexed | undefined,
  dialect: Decoder,
  options: ReadOptions = {},
): Indexed {
  if (known && isCurrent(known, found)) return known;
  let fold: Fold | undefined;
  const read = withFile(found.path, (file) => {
    const resumed = known && isRead(known.mark) && isSameFile(file, known.mark) ? known : undefined;
    fold = newFold(found, dialect, options, resumed);
    return readFile(file, found, resumed?.mark ?? START, fold, options);
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
  let cursor: Cursor = from;
  const readAll = Math.min(READ_ALL, READ_ALL_TAILS * (options.tail ?? READ_ALL));
  if (!options.whole && file.size - from.offset > readAll) {
    const end = file.size - (options.tail ?? TAIL);
    if (!isRead(from)) cursor = readHead(file, fold, Math.min(MAX_HEAD, end));
    const to = Math.min(end, cursor.offset + cursor.seen + (options.limit ?? end));
    const scanned = scanMiddle(file, to, options.until, cursor, fold);
    for (const { activity } of Object.values(fold.lives)) applyUnread(activity);
    if (scanned.end < end) {
      const mark = markOf(file, { ...scanned, ended: false }, from);
      return indexed({ ...found, size: scanned.end }, fold, mark);
    }
    cursor = scanned;
  }
  const each = (line: Line): void => feed(fold, line, fold.apply);
  for (;;) {
    const next = readLines(file, cursor, each, undefined, sharedBuffer);
    if (next.ended || next.offset + next.seen === cursor.offset + cursor.seen)
      return indexed(found, fold, markOf(file, next, from));
    cursor = next;
  }
}

/** Reads until the model and the first prompt are known. */
function readHead(file: OpenFile, fold: Fold, max: number): Cursor {
  let cursor: Cursor = START;
  let known: Cursor | undefined;
  const each = (line: Line): void => {
    if (known) return;
    if (isIdentified(fold)) known = { offset: line.offset, lines: line.number - 1, seen: 0 };
    else feed(fold, line, fold.applyScanned);
  };
  for (let limit = HEAD; !isIdentified(fold); limit *= 2) {
    const end = Math.min(limit, max);
    cursor = readLines(file, cursor, each, end - cursor.offset - cursor.seen, sharedBuffer);
    if (end === max) break;
  }
  return known ?? cursor;
}

function isIdentified({ lives }: Fold): boolean {
  return Object.values(lives).some(
    ({ prompt, model }) => prompt !== undefined && model !== undefined,
  );
}

function feed({ reader }: Fold, line: Line, apply: Fold["apply"]): void {
  if ("bytes" in line) apply(reader.line(line.bytes.toString("utf8"), line.number));
  else apply(reader.tooLong(line.skipped, line.number));
}

/** Up to this many bytes, parsing a line is faster than skipping most of it. */
const SHORT_LINE = 16 * 1024;

/** The record of a line, or those of its fields that are needed; undefined if it is not one record. */
function recordIn(buffer: Buffer, begin: number, end: number, tree: FieldTree): unknown {
  if (end - begin > SHORT_LINE) return pickFields(buffer, begin, end, tree);
  try {
    return JSON.parse(buffer.toString("utf8", begin, end));
  } catch {
    return undefined;
  }
}

const needles = new WeakMap<Decoder, readonly Needle[]>();

/** The needles of a decoder with that of usage as the last; always the same array, which the sieve prepares once. */
function needlesOf(dialect: Decoder): readonly Needle[] {
  const known = needles.get(dialect);
  if (known) return known;
  const all = dialect.usage ? [...dialect.needles, dialect.usage.needle] : dialect.needles;
  needles.set(dialect, all);
  return all;
}

function scanMiddle(
  { handle }: OpenFile,
  to: number,
  until: number | undefined,
  from: Cursor,
  fold: Fold,
): Scanned {
  const { reader, applyScanned } = fold;
  const { decoder: dialect } = reader;
  const { pendingNeedles: wanted } = dialect;
  for (const live of Object.values(fold.lives)) {
    // The skipped lines may contain edits, so no earlier check proves anything after them.
    delete live.activity.check;
    if (live.prompt === undefined) live.promptMissed = true;
  }
  const { usage } = dialect;
  return scanLines(
    handle,
    {
      from: from.offset,
      seen: from.seen,
      to,
      until,
      lines: from.lines,
      needles: needlesOf(dialect),
      onlyLast:
        usage &&
        ((buffer, begin, end, number) => {
          const record = recordIn(buffer, begin, end, usage.fields);
          if (record) applyScanned(reader.usage(record, number));
          return record !== undefined;
        }),
      ...(wanted && { wanted: () => wanted(reader.state) }),
    },
    (line, number) => applyScanned(reader.line(line, number)),
    (length, number) => applyScanned(reader.tooLong(length, number)),
  );
}
