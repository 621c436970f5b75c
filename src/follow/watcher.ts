import { type FSWatcher, lstatSync, watch } from "node:fs";
import { dirname } from "node:path";

/**
 * Says which files may have changed. The operating system's notices are hints: they can be lost
 * without an error. The sweep at every interval is what counts.
 */
export interface Watcher {
  /** The files to look after, and the folders in which new ones may appear. */
  update(files: readonly string[], folders: readonly string[]): void;
  stop(): void;
}

export interface WatcherOptions {
  /** Milliseconds between two sweeps. */
  readonly every?: number;
  /** A known file may have changed. */
  readonly onFile: (path: string) => void;
  /** Anything may have changed. */
  readonly onSweep: () => void;
  /** Notices do not work here: there are only sweeps. */
  readonly onWarning: (message: string) => void;
}

const SWEEP = 2_000;
/** Watches are a resource that all programs of a machine share. */
const MAX_WATCHES = 2_000;
const SETTLE = 20;

export function createWatcher({
  every = SWEEP,
  onFile,
  onSweep,
  onWarning,
}: WatcherOptions): Watcher {
  const watches = new Map<string, FSWatcher>();
  let known: ReadonlySet<string> = new Set();
  let settling: NodeJS.Timeout | undefined;
  let warned = false;
  const timer = setInterval(onSweep, every);

  const sweepSoon = (): void => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onSweep();
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
      const watcher = watch(folder, (_, name) => {
        const path = name === null ? undefined : join(folder, name);
        if (path !== undefined && known.has(path)) onFile(path);
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
      known = new Set(files);
      const wanted = new Set([...folders, ...files.map((file) => dirname(file))]);
      for (const folder of watches.keys())
        if (!wanted.has(folder) || !isThere(folder)) drop(folder);
      for (const folder of wanted) if (!watches.has(folder)) add(folder);
    },
    stop() {
      clearInterval(timer);
      clearTimeout(settling);
      for (const folder of [...watches.keys()]) drop(folder);
    },
  };
}

function join(folder: string, name: string): string {
  const separator = folder.includes("\\") ? "\\" : "/";
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

function isThere(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
