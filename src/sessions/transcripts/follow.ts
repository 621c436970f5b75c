import type { Dialect, Machine } from "../../agents/agent.ts";
import type { Event, Track } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import type { Live } from "../../core/stream/fold.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import { isTransient } from "./database.ts";
import { newDedupe } from "./dedupe.ts";
import { discover, type FoundSource, keyOf, lookAgain } from "./discover.ts";
import type { Indexed } from "./fold.ts";
import type { Index } from "./index-file.ts";
import { createMtimeCheck, hasChangedAgain } from "./mtime-check.ts";
import { AT_ONCE, isPartial, readUnit, readUnits, type Threads } from "./reading.ts";
import { type ExternalTrack, newRoster, type Unit } from "./roster.ts";
import { unitsOf } from "./sessions.ts";
import { listsBefore, mergedUpdates } from "./updates.ts";
import { createWatcher } from "./watcher.ts";

/** Something that an agent just wrote. */
export interface TranscriptUpdate {
  readonly event: StreamEvent;
  readonly live: Live;
  /** What it did to the list, and the list as it was before and after. */
  readonly change: Event | undefined;
  readonly before: Track;
  readonly after: Track;
}

export interface FollowOptions {
  readonly index: Index;
  /** Opens databases; without it they are left out. */
  readonly driver?: Driver | undefined;
  /** Milliseconds between two looks at what changed lately; everything is looked at less often. */
  readonly every?: number;
  /** New events. What existed at the start is not reported. */
  readonly onUpdates?: (updates: readonly TranscriptUpdate[]) => void;
  /** Something changed: new events, or a removed file. */
  readonly onChange?: () => void;
  /** While what is there at the start is read: how many files of how many. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly onWarning?: (message: string) => void;
  readonly threads?: Threads;
}

/** Follows every agent of a machine. */
export interface Follower {
  /** What is there at the start was read; until then there is part of it, the newest first. */
  readonly ready: Promise<void>;
  /** Newest first. */
  tracks(): readonly ExternalTrack[];
  /** Looks at everything now; for those who cannot wait. Says whether something was new. */
  sweep(): boolean;
  stop(): void;
}

/** Milliseconds of reading before others get their turn. */
const SLICE = 30;
/** Milliseconds until a database that was locked is read again. */
const RETRY = 200;
const LOG = "-wal";

/**
 * What a file said is read when it changed, and only what is new of it. Notices of the operating
 * system tell of changes soon; a look at everything, from time to time, tells of all of them.
 */
export function follow(
  dialects: readonly Dialect[],
  machine: Machine,
  options: FollowOptions,
): Follower {
  const { index, onUpdates, onChange } = options;
  const byId = new Map(dialects.map((dialect) => [dialect.id, dialect]));
  const roster = newRoster();
  /** By the path of each of its files. */
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
      limit: AT_ONCE,
      until: performance.now() + SLICE,
      onEvent: (event, live, change, before) =>
        updates.push({ event, live, change, before, after: live.track }),
    });
    if (!entry) return false;
    const before = listsBefore(updates, roster);
    keep(unit, entry);
    if (isPartial(entry, source)) later(unit);
    const unseen = dedupe.fresh(updates, source, known, entry);
    const fresh = mergedUpdates(unseen, source.kind === "document", before, roster);
    if (fresh.length > 0) onUpdates?.(fresh);
    return entry !== known;
  };

  /** The end of a lock changes no file: nothing else would cause another reading. */
  const retrySoon = (path: string): void => {
    clearTimeout(retrying.get(path));
    retrying.set(
      path,
      setTimeout(() => {
        retrying.delete(path);
        hint(new Set([path]));
      }, RETRY),
    );
  };

  const keep = (unit: Unit, entry: Indexed): void => {
    index.set(entry.key, entry);
    roster.put(unit, entry);
    if (isTransient(entry.problem)) retrySoon(unit[0].path);
  };

  const later = (unit: Unit): void => {
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

  const hint = (paths: ReadonlySet<string>): void => {
    const touched = new Set<Unit>();
    for (const path of paths) {
      const unit = units.get(path) ?? units.get(path.slice(0, -LOG.length));
      if (unit) touched.add(unit);
    }
    for (const unit of touched) {
      const now = unit.map(lookAgain);
      if (now.every((source): source is FoundSource => source !== undefined)) {
        const [first, ...others] = now;
        if (first) enter([first, ...others]);
      } else sweep();
    }
  };

  const enter = (unit: Unit): void => {
    queue.delete(keyOf(unit[0]));
    for (const { path } of unit) units.set(path, unit);
    later(unit);
  };

  const leave = (path: string, there: ReadonlySet<string>): void => {
    const [source] = units.get(path) ?? [];
    units.delete(path);
    // Others of the same list may still be there.
    if (!source || there.has(keyOf(source))) return;
    const key = keyOf(source);
    queue.delete(key);
    const known = index.get(key);
    if (!known) return;
    dedupe.gone(known);
    index.delete(key);
    roster.remove(key);
    if (started) onChange?.();
  };

  const sweep = (): boolean => {
    const { sources, folders, roots } = discover(dialects, machine);
    mtimeCheck.note({ folders, roots });
    const found = unitsOf(sources);
    const paths = new Set(sources.map(({ path }) => path));
    const gone = [...units.keys()].filter((path) => !paths.has(path));
    const there = new Set(sources.map(keyOf));
    for (const path of gone) leave(path, there);
    const fresh = found.filter(isNew);
    for (const unit of fresh) enter(unit);
    for (const { kind, path } of sources) if (kind === "sqlite") paths.add(path + LOG);
    watcher.update(paths, folders);
    return gone.length + fresh.length > 0;
  };

  const look = (): boolean => {
    if (mtimeCheck.foldersChanged()) return sweep();
    const now = Date.now();
    const fresh = new Set<string>();
    for (const unit of new Set(units.values()))
      if (unit.some((source) => hasChangedAgain(source, now))) fresh.add(unit[0].path);
    hint(fresh);
    return fresh.size > 0;
  };

  /** Not known yet, or not as it was when it was last looked at. */
  const isNew = (unit: Unit): boolean => {
    const known = units.get(unit[0].path);
    if (!known || known.length !== unit.length) return true;
    return unit.some((source, place) => {
      const was = known[place];
      return was?.path !== source.path || was.size !== source.size || was.mtime !== source.mtime;
    });
  };

  const watcher = createWatcher({
    ...(options.every !== undefined && { every: options.every }),
    onFiles: hint,
    onSweep: sweep,
    onLook: look,
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
      // It may be gone by now.
      if (entry && units.has(unit[0].path)) keep(unit, entry);
      options.onProgress?.(++done, first.length);
    });
    const there = new Set([...units.values()].map(([source]) => keyOf(source)));
    for (const key of [...index.keys()]) if (!there.has(key)) index.delete(key);
    started = true;
    if (queue.size > 0) working ??= setImmediate(work);
  };

  sweep();
  // Later: whoever is told of progress must have the follower by then.
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
