import { type FSWatcher, watch } from "node:fs";
import { basename, join } from "node:path";

/**
 * Reports files that may have changed. File events are hints that can be lost without an error; the
 * periodic sweep finds everything.
 */
export interface Watcher {
  /** The files to watch, and the folders that contain them or may get new ones. */
  update(files: Iterable<string>, folders: Iterable<string>): void;
  stop(): void;
}

export interface WatcherOptions {
  /** Milliseconds between two checks. */
  readonly every?: number;
  /** Known files that may have changed. */
  readonly onFiles: (paths: ReadonlySet<string>) => void;
  /** Check everything; returns whether something changed. */
  readonly onSweep: () => boolean;
  /** Check what changed recently; returns whether something changed again. */
  readonly onQuickCheck: () => boolean;
  /** File events do not work, so there are only sweeps. */
  readonly onWarning: (message: string) => void;
}

/** File events are rarely lost, and a sweep of a thousand files takes 20 ms. */
const EVERY = 5_000;
/** While nothing happens and file events work, only every sixth check is a sweep. */
const MAX_CHECKS = 6;
/** All programs of a machine share a limited number of watches. */
const MAX_WATCHES = 2_000;
/** A write often causes several events. */
const DEBOUNCE = 5;
/** Unknown files may change all the time: they cause at most one sweep per this many milliseconds. */
const MIN_SWEEP = 500;

export function createWatcher({
  every = EVERY,
  onFiles,
  onSweep,
  onQuickCheck,
  onWarning,
}: WatcherOptions): Watcher {
  const watches = new Map<string, FSWatcher>();
  const known = new Set<string>();
  let changed = new Set<string>();
  let settling: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  let sweptAt = performance.now();
  let warned = false;

  /** Number of checks from one sweep to the next, and since the last one. */
  let checksPerSweep = 1;
  let checks = 0;

  const sweep = (): void => {
    clearTimeout(sweeping);
    sweeping = undefined;
    checks = 0;
    checksPerSweep = onSweep() || warned ? 1 : Math.min(2 * checksPerSweep, MAX_CHECKS);
    sweptAt = performance.now();
  };
  const timer = setInterval(() => {
    if (++checks >= checksPerSweep) sweep();
    else if (onQuickCheck()) checksPerSweep = 1;
  }, every);

  const sweepSoon = (): void => {
    const wait = Math.max(DEBOUNCE, sweptAt + MIN_SWEEP - performance.now());
    sweeping ??= setTimeout(sweep, wait);
  };
  const reportSoon = (path: string): void => {
    checksPerSweep = 1;
    changed.add(path);
    settling ??= setTimeout(() => {
      settling = undefined;
      const paths = changed;
      changed = new Set();
      onFiles(paths);
    }, DEBOUNCE);
  };
  const warn = (reason: string): void => {
    if (warned) return;
    warned = true;
    onWarning(`Changes are detected only every ${every / 1000} s: ${reason}`);
  };
  const add = (folder: string): void => {
    if (watches.size >= MAX_WATCHES) {
      warn(`more than ${MAX_WATCHES} folders to watch`);
      return;
    }
    try {
      const watcher = watch(folder, (kind, name) => {
        const path = name === null ? undefined : join(folder, name);
        // A rename event with the folder's own name means that the folder itself was removed.
        const isRemoved = kind === "rename" && name === basename(folder);
        if (isRemoved) drop(folder);
        if (!isRemoved && path !== undefined && known.has(path)) reportSoon(path);
        else sweepSoon();
      });
      watcher.on("error", () => drop(folder));
      watches.set(folder, watcher);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") warn(message);
    }
  };
  const drop = (folder: string): void => {
    watches.get(folder)?.close();
    watches.delete(folder);
  };

  return {
    update(files, folders) {
      const wanted = new Set(folders);
      known.clear();
      for (const file of files) known.add(file);
      for (const folder of watches.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) if (!watches.has(folder)) add(folder);
    },
    stop() {
      clearInterval(timer);
      clearTimeout(settling);
      clearTimeout(sweeping);
      for (const folder of [...watches.keys()]) drop(folder);
    },
  };
}
