import { readFileSync } from "node:fs";
import { emptyLive, foldStream, type Live } from "../core/live.ts";
import type { Event } from "../core/model.ts";
import type { StreamEvent } from "../core/stream.ts";
import type { Dialect, DialectState } from "../dialects/dialect.ts";
import { openReader, type Reader } from "../dialects/reader.ts";
import type { FoundSource } from "./discover.ts";
import { type Line, MAX_LINE } from "./lines.ts";
import { scanLines } from "./scan.ts";
import { type Mark, markAt, readNew, START } from "./tail.ts";

/** What is known of one file: plain data, kept between two starts. */
export interface Indexed {
  readonly path: string;
  readonly dialect: string;
  readonly size: number;
  readonly mtime: number;
  readonly mark: Mark;
  readonly state: DialectState;
  /** By agent. */
  readonly lives: Readonly<Record<string, Live>>;
  /** Why the file could not be read, if so. */
  readonly problem?: string;
}

export interface ReadOptions {
  readonly now: () => number;
  /** Told of everything that is read. */
  readonly onEvent?: (event: StreamEvent, live: Live, change: Event | undefined) => void;
  /** Reads every line, not only those that can matter. */
  readonly whole?: boolean;
}

/** Up to this many new bytes every line is read; beyond, only those that can matter. */
const READ_ALL = 256 * 1024;
/** Of a long file the beginning says who it is, and the end what it does. */
const EDGE = 64 * 1024;

/** Brings what is known of a file up to date; costs what is new in it. */
export function readSource(
  found: FoundSource,
  known: Indexed | undefined,
  dialect: Dialect,
  options: ReadOptions,
): Indexed {
  if (known && known.size === found.size && known.mtime === found.mtime && !known.problem)
    return known;
  const grown = known && continued(found, known, dialect, options);
  return grown ?? readFile(found, START, newFold(found, dialect, options), options);
}

interface Fold {
  readonly reader: Reader;
  readonly lives: Record<string, Live>;
  take(events: readonly StreamEvent[]): void;
}

function newFold(
  found: FoundSource,
  dialect: Dialect,
  options: ReadOptions,
  known?: Pick<Indexed, "state" | "lives">,
): Fold {
  const lives: Record<string, Live> = { ...known?.lives };
  const kind = found.kind === "sqlite" ? "document" : found.kind;
  const reader = openReader(
    dialect,
    { ...found, kind },
    { now: options.now, ...(known && { state: known.state }) },
  );
  const take = (events: readonly StreamEvent[]) => {
    for (const event of events) {
      const live = lives[event.agentId] ?? emptyLive(event);
      lives[event.agentId] = live;
      const change = foldStream(live, event);
      options.onEvent?.(event, live, change);
    }
  };
  return { reader, lives, take };
}

function continued(
  found: FoundSource,
  known: Indexed,
  dialect: Dialect,
  options: ReadOptions,
): Indexed | undefined {
  const fold = newFold(found, dialect, options, known);
  const fresh: Line[] = [];
  if (options.whole || found.size - known.mark.offset <= READ_ALL) {
    const tailed = readNew(found.path, known.mark, (line) => fresh.push(line));
    if (!tailed.ok) return { ...known, problem: tailed.reason };
    if (tailed.grown.reset) return undefined;
    for (const line of fresh) feed(fold, line);
    if (!tailed.grown.more) return indexed(found, dialect, fold, tailed.grown.mark);
    return readFile(found, tailed.grown.mark, fold, options);
  }
  const check = readNew(found.path, known.mark, () => undefined, 0);
  if (!check.ok || check.grown.reset) return undefined;
  return readFile(found, known.mark, fold, options);
}

function feed({ reader, take }: Fold, line: Line): void {
  if ("bytes" in line) take(reader.line(line.bytes.toString("utf8"), line.number));
  else take(reader.tooLong(line.skipped, line.number));
}

function readFile(found: FoundSource, from: Mark, fold: Fold, options: ReadOptions): Indexed {
  const { path, size } = found;
  let mark = from;
  if (!options.whole && size - from.offset > READ_ALL) {
    if (from.offset === 0) {
      const head = readNew(path, START, (line) => feed(fold, line), EDGE);
      if (!head.ok) return failed(found, fold, head.reason);
      mark = head.grown.mark;
    }
    mark = scanMiddle(path, size - EDGE, mark, fold);
  }
  for (let more = true; more; ) {
    const tailed = readNew(path, mark, (line) => feed(fold, line));
    if (!tailed.ok) return failed(found, fold, tailed.reason);
    more =
      tailed.grown.more &&
      tailed.grown.mark.offset + tailed.grown.mark.seen > mark.offset + mark.seen;
    mark = tailed.grown.mark;
  }
  return indexed(found, fold.reader.dialect, fold, mark);
}

function scanMiddle(path: string, to: number, mark: Mark, fold: Fold): Mark {
  const { reader, take } = fold;
  const { dialect } = reader;
  const { wanted } = dialect;
  const scanned = scanLines(
    path,
    {
      from: mark.offset,
      to,
      lines: mark.lines,
      needles: dialect.needles,
      ...(wanted && { wanted: () => wanted(reader.state) }),
    },
    (line, number) => take(reader.line(line.toString("utf8"), number)),
  );
  for (const { number, length } of scanned.skipped) take(reader.tooLong(length, number));
  return markAt(path, scanned.offset, scanned.lines);
}

function indexed(found: FoundSource, dialect: Dialect, fold: Fold, mark: Mark): Indexed {
  const { path, size, mtime } = found;
  return {
    path,
    dialect: dialect.id,
    size,
    mtime,
    mark,
    state: fold.reader.state,
    lives: fold.lives,
  };
}

function failed(found: FoundSource, fold: Fold, problem: string): Indexed {
  return { ...indexed(found, fold.reader.dialect, fold, START), problem };
}

/** Documents are read whole: all files of one list together. */
export function readDocuments(
  found: readonly [FoundSource, ...FoundSource[]],
  known: Indexed | undefined,
  dialect: Dialect,
  options: ReadOptions,
): Indexed {
  const size = found.reduce((sum, file) => sum + file.size, 0);
  const mtime = Math.max(...found.map((file) => file.mtime));
  const group = { ...found[0], size, mtime };
  if (known && known.size === size && known.mtime === mtime && !known.problem) return known;
  const fold = newFold(group, dialect, options);
  for (const file of found) {
    try {
      if (file.size > MAX_LINE) fold.take(fold.reader.tooLong(file.size, 1));
      else fold.take(fold.reader.line(readFileSync(file.path, "utf8"), 1));
    } catch (error) {
      return failed(group, fold, error instanceof Error ? error.message : String(error));
    }
  }
  return indexed(group, dialect, fold, START);
}
