import type { Decoder, Machine } from "../../agents/agent.ts";
import type { Event, Track } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import { createCatalog, type ExternalTrack, type Unit } from "./catalog.ts";
import { isTransient } from "./database.ts";
import { newDedupe } from "./dedupe.ts";
import { discover, type FoundSource, keyOf, restat } from "./discover.ts";
import type { Indexed } from "./fold.ts";
import type { Index } from "./index-file.ts";
import { createMtimeCheck, hasChangedAgain } from "./mtime-check.ts";
import { isPartial, READ_LIMIT, readUnit, readUnits, type Threads } from "./read-units.ts";
import { unitsOf } from "./sessions.ts";
import { hasOnlyList } from "./shared-list.ts";
import { listsBefore, mergedUpdates } from "./updates.ts";
import { createWatcher } from "./watcher.ts";

/** An event that an agent just wrote. */
export interface TranscriptUpdate {
  readonly event: StreamEvent;
  readonly live: LiveTrack;
  /** The change of the list, if any, and the list before and after. */
  readonly change: Event | undefined;
  readonly before: Track;
  readonly after: Track;
}

export interface FollowOptions {
  readonly index: Index;
  /** Opens databases; without it they are left out. */
  readonly driver?: Driver | undefined;
  /** Milliseconds between two checks of recently changed files; all files are checked less often. */
  readonly every?: number;
  /** New events; those from before the start are not reported. */
  readonly onUpdates?: (updates: readonly TranscriptUpdate[]) => void;
  /** Something changed: new events, or a removed file. */
  readonly onChange?: () => void;
  /** Called for each file that existed at the start, as it is read. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly onWarning?: (message: string) => void;
  readonly threads?: Threads;
}

/** Follows every agent of a machine. */
export interface Follower {
  /** Resolves when everything that existed at the start was read, newest first. */
  readonly ready: Promise<void>;
  /** Newest first. */
  tracks(): readonly ExternalTrack[];
  /** Checks all files now. Returns whether something changed. */
  sweep(): boolean;
  stop(): void;
}

/** Milliseconds of reading before the event loop gets a turn. */
const SLICE = 30;
/** Milliseconds until a database that was locked is read again. */
const RETRY = 200;
const LOG = "-wal";

/**
 * Reads what is new in a file when it changes. File events report most changes at once; a sweep over all
 * files at intervals finds the rest.
 */
export function follow(
  dialects: readonly Decoder[],
  machine: Machine,
  options: FollowOptions,
): Follower {
  const { index, onUpdates, onChange } = options;
  const byId = new Map(dialects.map((dialect) => [dialect.id, dialect]));
  const roster = createCatalog();
  /** Units by the path of each of their files. */
  const units = new Map<string, Unit>();
  const queue = new Map<string, Unit>();
  const mtimeCheck = createMtimeCheck();
  const dedupe = newDedupe();
  /** Databases that were locked, by path. */
  const retrying = new Map<string, NodeJS.Timeout>();
  let working: NodeJS.Immediate | undefined;
  let started = false;
  let stopped = false;

  const read = (unit: Unit): boolean => {
    const [source] = unit;
    const dialect = byId.get(source.dialect);
    const known = index.get(keyOf(source));
    if (!dialect) return false;
    const updates: TranscriptUpdate[] = [];
    const entry = readUnit(unit, known, dialect, {
      driver: options.driver,
      limit: READ_LIMIT,
      until: performance.now() + SLICE,
      onEvent: (event, live, change, before) =>
        updates.push({ event, live, change, before, after: live.track }),
    });
    if (!entry) return false;
    const before = listsBefore(updates, roster);
    keep(unit, entry);
    if (isPartial(entry, source)) enqueue(unit);
    const unseen = dedupe.unreported(updates, source, known, entry);
    const fresh = mergedUpdates(unseen, hasOnlyList(source), before, roster);
    if (fresh.length > 0) onUpdates?.(fresh);
    return entry !== known;
  };

  /** Unlocking a database changes no file, so nothing else would cause another read. */
  const retrySoon = (path: string): void => {
    clearTimeout(retrying.get(path));
    retrying.set(
      path,
      setTimeout(() => {
        retrying.delete(path);
        recheck(new Set([path]));
      }, RETRY),
    );
  };

  const keep = (unit: Unit, entry: Indexed): void => {
    index.set(entry.key, entry);
    roster.put(unit, entry);
    if (isTransient(entry.problem)) retrySoon(unit[0].path);
  };

  const enqueue = (unit: Unit): void => {
    queue.set(keyOf(unit[0]), unit);
    if (started) working ??= setImmediate(work);
  };
  const work = (): void => {
    working = undefined;
    const [unit] = queue.values();
    if (!unit || stopped) return;
    queue.delete(keyOf(unit[0]));
    if (read(unit)) onChange?.();
    if (queue.size > 0) working ??= setImmediate(work);
  };

  const recheck = (paths: ReadonlySet<string>): void => {
    const touched = new Set<Unit>();
    for (const path of paths) {
      const unit = units.get(path) ?? units.get(path.slice(0, -LOG.length));
      if (unit) touched.add(unit);
    }
    for (const unit of touched) {
      const now = unit.map(restat);
      if (now.every((source): source is FoundSource => source !== undefined)) {
        const [first, ...others] = now;
        if (first) add([first, ...others]);
      } else sweep();
    }
  };

  const add = (unit: Unit): void => {
    queue.delete(keyOf(unit[0]));
    for (const { path } of unit) units.set(path, unit);
    enqueue(unit);
  };

  const remove = (path: string, remaining: ReadonlySet<string>): void => {
    const [source] = units.get(path) ?? [];
    units.delete(path);
    // Other files of the same list may remain.
    if (!source || remaining.has(keyOf(source))) return;
    const key = keyOf(source);
    queue.delete(key);
    const known = index.get(key);
    if (!known) return;
    dedupe.removed(known);
    index.delete(key);
    roster.remove(key);
    if (started) onChange?.();
  };

  const sweep = (): boolean => {
    const { sources, folders, roots } = discover(dialects, machine);
    mtimeCheck.note({ folders, roots });
    const found = unitsOf(sources);
    const paths = new Set(sources.map(({ path }) => path));
    const removed = [...units.keys()].filter((path) => !paths.has(path));
    const remaining = new Set(sources.map(keyOf));
    for (const path of removed) remove(path, remaining);
    const changed = found.filter(hasChanged);
    for (const unit of changed) add(unit);
    // The cause of a failed read may be over; that changes neither size nor time of the file.
    for (const unit of found) if (index.get(keyOf(unit[0]))?.problem !== undefined) enqueue(unit);
    for (const { kind, path } of sources) if (kind === "sqlite") paths.add(path + LOG);
    watcher.update(paths, folders);
    return removed.length + changed.length > 0;
  };

  const quickCheck = (): boolean => {
    if (mtimeCheck.foldersChanged()) return sweep();
    const now = Date.now();
    const changed = new Set<string>();
    for (const unit of new Set(units.values()))
      if (unit.some((source) => hasChangedAgain(source, now))) changed.add(unit[0].path);
    recheck(changed);
    return changed.size > 0;
  };

  /** Whether a unit is new or differs from the last check. */
  const hasChanged = (unit: Unit): boolean => {
    const known = units.get(unit[0].path);
    if (!known || known.length !== unit.length) return true;
    return unit.some((source, index) => {
      const was = known[index];
      return was?.path !== source.path || was.size !== source.size || was.mtime !== source.mtime;
    });
  };

  const watcher = createWatcher({
    ...(options.every !== undefined && { every: options.every }),
    onFiles: recheck,
    onSweep: sweep,
    onQuickCheck: quickCheck,
    onWarning: options.onWarning ?? (() => undefined),
  });
  /** Reads what exists at the start, without updates. */
  const readFirst = async (): Promise<void> => {
    const first = [...queue.values()];
    queue.clear();
    let done = 0;
    const { driver, threads } = options;
    const reading = { driver, isStopped: () => stopped, ...(threads && { threads }) };
    await readUnits(first, index, byId, reading, (unit, entry) => {
      // The file may have been removed meanwhile.
      if (entry && units.has(unit[0].path)) keep(unit, entry);
      options.onProgress?.(++done, first.length);
    });
    const current = new Set([...units.values()].map(([source]) => keyOf(source)));
    for (const key of [...index.keys()]) if (!current.has(key)) index.delete(key);
    started = true;
    if (queue.size > 0) working ??= setImmediate(work);
  };

  sweep();
  // Deferred: `onProgress` may use the follower, which is not returned yet.
  const ready = new Promise<void>((resolve, reject) => {
    setImmediate(() => readFirst().then(resolve, reject));
  });

  return {
    ready,
    tracks: () => roster.tracks(),
    sweep,
    stop() {
      stopped = true;
      queue.clear();
      clearImmediate(working);
      for (const timer of retrying.values()) clearTimeout(timer);
      watcher.stop();
    },
  };
}
