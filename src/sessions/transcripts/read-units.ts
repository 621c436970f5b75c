import { availableParallelism } from "node:os";
import type { Decoder } from "../../agents/agent.ts";
import { findDecoder } from "../../agents/index.ts";
import { ACTIVITY_POLICY } from "../../core/activity/activity.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import type { Unit } from "./catalog.ts";
import { type DatabaseOptions, readDatabase } from "./database.ts";
import { type FoundSource, keyOf } from "./discover.ts";
import { readDocuments } from "./documents.ts";
import { type Indexed, isCurrent } from "./fold.ts";
import type { Index } from "./index-file.ts";
import { readSessionFile } from "./read-file.ts";
import { reduceOptimization } from "./threads/optimize.ts";
import { type FirstReading, startPool, threadFile, type WorkerPool } from "./threads/pool.ts";

export interface UnitOptions extends DatabaseOptions {
  /** Opens databases; without it they are left out. */
  readonly driver?: Driver | undefined;
}

export interface ReadingOptions extends UnitOptions {
  readonly threads?: Threads;
  /** The program ends after reading. */
  readonly isBrief?: boolean;
  /** Whether to stop reading. */
  readonly isStopped?: () => boolean;
}

export interface Threads {
  /** The script of a thread; undefined if the program was not built. */
  readonly file?: string | undefined;
  readonly count?: number;
  /** Number of unread bytes from which threads are started. */
  readonly worthwhile?: number;
}

/** Milliseconds of reading before the event loop gets a turn. */
const SLICE = 30;
/** Bytes of one file that are read at once; more than the longest line. */
export const READ_LIMIT = 16 * 1024 * 1024;
/** Starting a thread takes about as long as reading this much. */
const WORTHWHILE = 64 * 1024 * 1024;
const MAX_THREADS = 3;
/** The newest files may be of active agents: their recent calls are needed to detect loops. */
const NEWEST = 40;
const NEWEST_TAIL = 64 * 1024;
/** Larger files are read after the others. */
const LONG = 64 * 1024 * 1024;
/** For the other files it is enough to know how they end. */
const OTHER_TAIL = 4 * 1024;

/**
 * Updates the entry of each unit, newest first, and reports them one by one. Yields to the event loop in
 * between. Several threads share the work if there is much to read.
 */
export async function readUnits(
  units: readonly Unit[],
  index: Index,
  dialects: ReadonlyMap<string, Decoder>,
  options: ReadingOptions,
  each: (unit: Unit, entry: Indexed | undefined) => void,
): Promise<void> {
  const { isStopped = () => false } = options;
  let begun = performance.now();
  const yieldTurn = async (): Promise<void> => {
    if (performance.now() - begun < SLICE) return;
    await new Promise((resolve) => setImmediate(resolve));
    begun = performance.now();
  };
  const read = async (unit: Unit, tail: number): Promise<void> => {
    const [source] = unit;
    const dialect = dialects.get(source.dialect);
    let known = index.get(keyOf(source));
    for (;;) {
      const until = begun + SLICE;
      const entry =
        dialect && readUnit(unit, known, dialect, { limit: READ_LIMIT, tail, until, ...options });
      if (!entry || !isPartial(entry, source) || options.limit !== undefined) {
        each(unit, entry);
        return yieldTurn();
      }
      known = entry;
      await yieldTurn();
      if (isStopped()) return;
    }
  };

  const now = Date.now();
  const unknown: (FirstReading & { readonly unit: Unit })[] = [];
  for (const [position, unit] of units.entries()) {
    const [source] = unit;
    const mayBeActive = position < NEWEST && now - source.mtime < ACTIVITY_POLICY.inactiveAfter;
    const tail = mayBeActive ? NEWEST_TAIL : OTHER_TAIL;
    const known = index.get(keyOf(source));
    if (isStopped()) return;
    // Mostly true for all of them.
    if (known && source.kind === "file" && isCurrent(known, source)) each(unit, known);
    else if (!known && canBeShared(source, dialects)) unknown.push({ unit, source, tail });
    else await read(unit, tail);
  }
  const first = inReadOrder(unknown);
  const pool = poolFor(first, options, (position, entry) => {
    const reading = first[position];
    if (reading && !isStopped()) each(reading.unit, entry);
  });
  try {
    let count = 0;
    const next = pool ? pool.take : () => count++;
    for (let reading = first[next()]; reading && !isStopped(); reading = first[next()])
      await read(reading.unit, reading.tail);
    for (const position of (!isStopped() && (await pool?.finish())) || []) {
      const reading = first[position];
      if (reading && !isStopped()) await read(reading.unit, reading.tail);
    }
  } finally {
    pool?.stop();
  }
}

/**
 * The newest files first, unless they are large; then the others by size, largest first, so that small
 * ones are left to balance the threads at the end.
 */
function inReadOrder<T extends FirstReading>(readings: readonly T[]): readonly T[] {
  const isSoon = ({ source }: T, index: number) => index < NEWEST && source.size <= LONG;
  const others = readings.filter((reading, index) => !isSoon(reading, index));
  return [...readings.filter(isSoon), ...others.sort((a, b) => b.source.size - a.source.size)];
}

/** A thread knows the dialects that come with the program, and nothing of what was read before. */
function canBeShared(
  { kind, dialect }: FoundSource,
  dialects: ReadonlyMap<string, Decoder>,
): boolean {
  return kind === "file" && dialects.get(dialect) === findDecoder(dialect);
}

function poolFor(
  readings: readonly FirstReading[],
  { threads = {}, isBrief = false, onEvent, whole, limit }: ReadingOptions,
  deliver: (position: number, entry: Indexed) => void,
): WorkerPool | undefined {
  const size = readings.reduce((sum, { source }) => sum + source.size, 0);
  const { worthwhile = WORTHWHILE, count = availableParallelism() - 1 } = threads;
  if (size < worthwhile) return undefined;
  // Events must be reported in order, by this thread.
  const isAlone = onEvent !== undefined || whole || limit !== undefined;
  const helpers = isAlone ? 0 : Math.min(count, MAX_THREADS, readings.length - 1);
  const { file = helpers < 1 ? undefined : threadFile() } = threads;
  if (helpers < 1 || file === undefined) {
    if (isBrief) reduceOptimization();
    return undefined;
  }
  const shared = readings.map(({ source, tail }) => ({ source, tail }));
  return startPool({ readings: shared, isBrief }, file, helpers, deliver);
}

export function readUnit(
  unit: Unit,
  known: Indexed | undefined,
  dialect: Decoder,
  options: UnitOptions,
): Indexed | undefined {
  const [source] = unit;
  if (source.kind === "sqlite")
    return options.driver && readDatabase(source, known, dialect, options.driver, options);
  if (source.kind === "document") return readDocuments(unit, known, dialect, options);
  return readSessionFile(source, known, dialect, options);
}

/** Whether the read stopped before the end of the file. */
export function isPartial(entry: Indexed, source: FoundSource): boolean {
  return source.kind === "file" && entry.problem === undefined && entry.size < source.size;
}
