import { type FSWatcher, watch } from "node:fs";
import { basename, join } from "node:path";

/**
 * Says which files may have changed. The operating system's notices are hints: they can be lost
 * without an error. The sweep at every interval is what counts.
 */
export interface Watcher {
  /** The files to look after, and the folders that they are in or new ones may appear in. */
  update(files: Iterable<string>, folders: Iterable<string>): void;
  stop(): void;
}

export interface WatcherOptions {
  /** Milliseconds between two looks. */
  readonly every?: number;
  /** Known files that may have changed. */
  readonly onFiles: (paths: ReadonlySet<string>) => void;
  /** Anything may have changed; says whether something had. */
  readonly onSweep: () => boolean;
  /** What changed lately may have changed again; says whether something had. */
  readonly onLook: () => boolean;
  /** Notices do not work here: there are only sweeps. */
  readonly onWarning: (message: string) => void;
}

/** Notices are seldom lost, and to sweep a thousand files takes 20 ms. */
const EVERY = 5_000;
/** While nothing happens, and notices work, every so many looks at what changed lately are a sweep. */
const MOST_LOOKS = 6;
/** Watches are a resource that all programs of a machine share. */
const MAX_WATCHES = 2_000;
/** A write is often noticed several times. */
const SETTLE = 5;
/** Files that nobody knows may change all the time; looking for new ones is not worth more. */
const MIN_SWEEP = 500;

export function createWatcher({
  every = EVERY,
  onFiles,
  onSweep,
  onLook,
  onWarning,
}: WatcherOptions): Watcher {
  const watches = new Map<string, FSWatcher>();
  const known = new Set<string>();
  let changed = new Set<string>();
  let settling: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  let sweptAt = performance.now();
  let warned = false;

  /** How many looks there are from one sweep to the next, and how many there were. */
  let looks = 1;
  let looked = 0;

  const sweep = (): void => {
    clearTimeout(sweeping);
    sweeping = undefined;
    looked = 0;
    looks = onSweep() || warned ? 1 : Math.min(2 * looks, MOST_LOOKS);
    sweptAt = performance.now();
  };
  const timer = setInterval(() => {
    if (++looked >= looks) sweep();
    else if (onLook()) looks = 1;
  }, every);

  const sweepSoon = (): void => {
    const wait = Math.max(SETTLE, sweptAt + MIN_SWEEP - performance.now());
    sweeping ??= setTimeout(sweep, wait);
  };
  const hint = (path: string): void => {
    looks = 1;
    changed.add(path);
    settling ??= setTimeout(() => {
      settling = undefined;
      const paths = changed;
      changed = new Set();
      onFiles(paths);
    }, SETTLE);
  };
  const warn = (reason: string): void => {
    if (warned) return;
    warned = true;
    onWarning(`Changes are noticed only every ${every / 1000} s: ${reason}`);
  };
  const add = (folder: string): void => {
    if (watches.size >= MAX_WATCHES) {
      warn(`more than ${MAX_WATCHES} folders to watch`);
      return;
    }
    try {
      const watcher = watch(folder, (kind, name) => {
        const path = name === null ? undefined : join(folder, name);
        // The folder tells by its own name that it is taken away: the next one there is another.
        const isOver = kind === "rename" && name === basename(folder);
        if (isOver) drop(folder);
        if (!isOver && path !== undefined && known.has(path)) hint(path);
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
