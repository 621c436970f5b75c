import type { Dialect } from "../dialects/dialect.ts";
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
import type { Line } from "./lines.ts";
import { scanLines } from "./scan.ts";
import { type Mark, markAt, readNew, START } from "./tail.ts";

/** Up to this many new bytes every line is read; beyond, only those that can matter. */
const READ_ALL = 96 * 1024;
/** Of a long file the beginning says who it is, and the end what it does. */
const EDGE = 32 * 1024;

/** Brings what is known of a session file up to date; costs what is new in it. */
export function readSource(
  found: FoundSource,
  known: Indexed | undefined,
  dialect: Dialect,
  options: ReadOptions = {},
): Indexed {
  if (known && isCurrent(known, found)) return known;
  const grown = known && continued(found, known, dialect, options);
  return grown ?? readFile(found, START, newFold(found, dialect, options), options);
}

function continued(
  found: FoundSource,
  known: Indexed,
  dialect: Dialect,
  options: ReadOptions,
): Indexed | undefined {
  const small = options.whole || found.size - known.mark.offset <= READ_ALL;
  const fresh: Line[] = [];
  const tailed = readNew(found.path, known.mark, (line) => fresh.push(line), small ? undefined : 0);
  if (!tailed.ok) return { ...known, problem: tailed.reason };
  if (tailed.grown.reset) return undefined;
  const fold = newFold(found, dialect, options, known);
  for (const line of fresh) feed(fold, line);
  const { mark, more } = tailed.grown;
  return small && !more ? indexed(found, fold, mark) : readFile(found, mark, fold, options);
}

function feed({ reader, take }: Fold, line: Line): void {
  if ("bytes" in line) take(reader.line(line.bytes.toString("utf8"), line.number));
  else take(reader.tooLong(line.skipped, line.number));
}

function readFile(found: FoundSource, from: Mark, fold: Fold, options: ReadOptions): Indexed {
  const { path, size } = found;
  let mark = from;
  try {
    if (!options.whole && size - from.offset > READ_ALL) {
      if (from.offset === 0 && from.seen === 0) {
        const head = readNew(path, START, (line) => feed(fold, line), EDGE);
        if (!head.ok) return failed(found, fold, head.reason);
        mark = head.grown.mark;
      }
      const place = mark.offset + mark.seen;
      const to = Math.min(size - EDGE, place + (options.limit ?? Number.POSITIVE_INFINITY));
      mark = scanMiddle(path, to, mark, fold);
      if (to < size - EDGE) return indexed({ ...found, size: to }, fold, mark);
    }
  } catch (error) {
    return failed(found, fold, error instanceof Error ? error.message : String(error));
  }
  for (let more = true; more; ) {
    const tailed = readNew(path, mark, (line) => feed(fold, line));
    if (!tailed.ok) return failed(found, fold, tailed.reason);
    const next = tailed.grown.mark;
    if (tailed.grown.reset && mark.offset + mark.seen > 0)
      return failed(found, fold, "the file was replaced while it was read");
    more = tailed.grown.more && next.offset + next.seen > mark.offset + mark.seen;
    mark = next;
  }
  return indexed(found, fold, mark);
}

function scanMiddle(path: string, to: number, mark: Mark, fold: Fold): Mark {
  const { reader, take } = fold;
  const { dialect } = reader;
  const { wanted } = dialect;
  // What lies between may have been edited: no check that was seen proves what comes after it.
  const forget = () => {
    for (const live of Object.values(fold.lives)) delete live.activity.check;
  };
  forget();
  const scanned = scanLines(
    path,
    {
      from: mark.offset,
      seen: mark.seen,
      to,
      lines: mark.lines,
      needles: dialect.needles,
      ...(wanted && { wanted: () => wanted(reader.state) }),
    },
    (line, number) => {
      take(reader.line(line.toString("utf8"), number));
      forget();
    },
    (length, number) => take(reader.tooLong(length, number)),
  );
  return markAt(path, scanned);
}
