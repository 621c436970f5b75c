import { availableParallelism } from "node:os";
import type { Dialect } from "../../agents/agent.ts";
import { findDialect } from "../../agents/index.ts";
import { ACTIVITY_POLICY } from "../../core/activity/activity.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import { type DatabaseOptions, readDatabase } from "./database.ts";
import { type FoundSource, keyOf } from "./discover.ts";
import { readDocuments } from "./documents.ts";
import { type Indexed, isCurrent } from "./fold.ts";
import type { Index } from "./index-file.ts";
import type { Unit } from "./roster.ts";
import { readSource } from "./source.ts";
import { optimiseLess } from "./threads/optimize.ts";
import { type FirstReading, startTeam, type Team, threadFile } from "./threads/threads.ts";

export interface UnitOptions extends DatabaseOptions {
  /** Opens databases; without it they are left out. */
  readonly driver?: Driver | undefined;
}

export interface ReadingOptions extends UnitOptions {
  readonly threads?: Threads;
  /** The program ends when it has read. */
  readonly isBrief?: boolean;
  /** Nobody wants to know any more. */
  readonly isStopped?: () => boolean;
}

export interface Threads {
  /** What they run; none where the program was not built. */
  readonly file?: string | undefined;
  readonly count?: number;
  /** So many bytes to be read are worth starting them. */
  readonly worthwhile?: number;
}

/** Milliseconds after which others get their turn. */
const SLICE = 30;
/** So much of one file is read before others get their turn; more than the longest line. */
export const AT_ONCE = 16 * 1024 * 1024;
/** To start a thread takes as long as to read about this much. */
const WORTHWHILE = 64 * 1024 * 1024;
const MAX_THREADS = 3;
/** How many may be at work: what they called lately tells whether they get anywhere. */
const NEWEST = 40;
const NEWEST_TAIL = 64 * 1024;
/** Others are shown before so many bytes are read. */
const LONG = 64 * 1024 * 1024;
/** Of the others it is enough how they ended. */
const OTHER_TAIL = 4 * 1024;

/**
 * Brings what is known of each unit up to date, the newest first, and says so one by one. Others
 * get their turn in between; where there is much to read, several threads share it.
 */
export async function readUnits(
  units: readonly Unit[],
  index: Index,
  dialects: ReadonlyMap<string, Dialect>,
  options: ReadingOptions,
  each: (unit: Unit, entry: Indexed | undefined) => void,
): Promise<void> {
  const { isStopped = () => false } = options;
  let begun = performance.now();
  const breathe = async (): Promise<void> => {
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
        dialect && readUnit(unit, known, dialect, { limit: AT_ONCE, tail, until, ...options });
      if (!entry || !isPartial(entry, source) || options.limit !== undefined) {
        each(unit, entry);
        return breathe();
      }
      known = entry;
      await breathe();
      if (isStopped()) return;
    }
  };

  const now = Date.now();
  const unknown: (FirstReading & { readonly unit: Unit })[] = [];
  for (const [place, unit] of units.entries()) {
    const [source] = unit;
    const works = place < NEWEST && now - source.mtime < ACTIVITY_POLICY.goneAfter;
    const tail = works ? NEWEST_TAIL : OTHER_TAIL;
    const known = index.get(keyOf(source));
    if (isStopped()) return;
    // Most of the time this is so of all of them.
    if (known && source.kind === "file" && isCurrent(known, source)) each(unit, known);
    else if (!known && canBeShared(source, dialects)) unknown.push({ unit, source, tail });
    else await read(unit, tail);
  }
  const first = inTurn(unknown);
  const team = teamFor(first, options, (place, entry) => {
    const reading = first[place];
    if (reading && !isStopped()) each(reading.unit, entry);
  });
  try {
    let count = 0;
    const next = team ? team.take : () => count++;
    for (let reading = first[next()]; reading && !isStopped(); reading = first[next()])
      await read(reading.unit, reading.tail);
    for (const place of (!isStopped() && (await team?.finish())) || []) {
      const reading = first[place];
      if (reading && !isStopped()) await read(reading.unit, reading.tail);
    }
  } finally {
    team?.stop();
  }
}

/**
 * The newest, unless it takes long; behind them the largest, so that whoever is done first finds
 * something small to take.
 */
function inTurn<T extends FirstReading>(readings: readonly T[]): readonly T[] {
  const isSoon = ({ source }: T, place: number) => place < NEWEST && source.size <= LONG;
  const others = readings.filter((reading, place) => !isSoon(reading, place));
  return [...readings.filter(isSoon), ...others.sort((a, b) => b.source.size - a.source.size)];
}

/** A thread knows the dialects that come with the program, and nothing of what was read before. */
function canBeShared(
  { kind, dialect }: FoundSource,
  dialects: ReadonlyMap<string, Dialect>,
): boolean {
  return kind === "file" && dialects.get(dialect) === findDialect(dialect);
}

function teamFor(
  readings: readonly FirstReading[],
  { threads = {}, isBrief = false, onEvent, whole, limit }: ReadingOptions,
  deliver: (place: number, entry: Indexed) => void,
): Team | undefined {
  const size = readings.reduce((sum, { source }) => sum + source.size, 0);
  const { worthwhile = WORTHWHILE, count = availableParallelism() - 1 } = threads;
  if (size < worthwhile) return undefined;
  // Events are told one after another, by whoever reads here.
  const isAlone = onEvent !== undefined || whole || limit !== undefined;
  const helpers = isAlone ? 0 : Math.min(count, MAX_THREADS, readings.length - 1);
  const { file = helpers < 1 ? undefined : threadFile() } = threads;
  if (helpers < 1 || file === undefined) {
    if (isBrief) optimiseLess();
    return undefined;
  }
  const shared = readings.map(({ source, tail }) => ({ source, tail }));
  return startTeam({ readings: shared, isBrief }, file, helpers, deliver);
}

export function readUnit(
  unit: Unit,
  known: Indexed | undefined,
  dialect: Dialect,
  options: UnitOptions,
): Indexed | undefined {
  const [source] = unit;
  if (source.kind === "sqlite")
    return options.driver && readDatabase(source, known, dialect, options.driver, options);
  if (source.kind === "document") return readDocuments(unit, known, dialect, options);
  return readSource(source, known, dialect, options);
}

/** The reading stopped before the end of the file. */
export function isPartial(entry: Indexed, source: FoundSource): boolean {
  return source.kind === "file" && entry.problem === undefined && entry.size < source.size;
}
