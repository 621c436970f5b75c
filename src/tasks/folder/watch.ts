import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { SyncReport } from "./report.ts";
import { FOLDER_OF, signatureOf } from "./scan.ts";
import { GitBusyError, type SyncOptions, syncFolder } from "./sync.ts";

export interface FolderWatch {
  readonly onSync: (report: SyncReport) => void;
  readonly onProblem: (error: unknown) => void;
}

/** Milliseconds between sweeps, which find what file events missed. */
const SWEEP_EVERY = 2_000;
/** Milliseconds after a change: several often follow each other. */
const SETTLE = 150;
/** A sync without a known change, e.g. for expired leases. */
const SYNC_EVERY = 30_000;
/** Editors and git remove a file for a moment. */
const DELETED_AFTER = 2_000;

/** Syncs until it is stopped. The function that stops it resolves when the running sync has ended. */
export function watchFolder(
  options: SyncOptions,
  { onSync, onProblem }: FolderWatch,
): () => Promise<void> {
  const { folder, store } = options;
  const missing = new Map<string, number>();
  const watchers: FSWatcher[] = [];
  let signature: string | undefined;
  let syncedAt = Number.NEGATIVE_INFINITY;
  let isDue = true;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;

  /** Files that the last sync missed, and since when. */
  function missingNow(): { isDeleted(key: string): boolean; end(): void } {
    const still = new Set<string>();
    return {
      isDeleted(key) {
        const since = missing.get(key) ?? performance.now();
        missing.set(key, since);
        const isOld = performance.now() - since >= DELETED_AFTER;
        if (!isOld) still.add(key);
        return isOld;
      },
      end() {
        for (const key of missing.keys()) if (!still.has(key)) missing.delete(key);
      },
    };
  }

  async function look(): Promise<void> {
    try {
      const now = signatureOf(folder);
      const isLate = performance.now() - syncedAt > SYNC_EVERY;
      if (!isDue && !isLate && now === signature && missing.size === 0) return;
      isDue = false;
      const { isDeleted, end } = missingNow();
      const report = await syncFolder({ ...options, isDeleted });
      end();
      // As it was before the sync: a change since then is found by the next sweep.
      signature = now;
      syncedAt = performance.now();
      onSync(report);
    } catch (error) {
      // The next sweep tries again; git is soon done with its index.
      signature = undefined;
      if (!(error instanceof GitBusyError)) onProblem(error);
    }
  }

  function plan(delay: number): void {
    if (isOver || isRunning) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isRunning = true;
      running = look().finally(() => {
        isRunning = false;
        plan(isDue ? SETTLE : SWEEP_EVERY);
      });
    }, delay);
  }

  const hint = (): void => {
    isDue = true;
    plan(SETTLE);
  };
  for (const name of Object.values(FOLDER_OF)) {
    try {
      const watcher = watch(join(folder, name), hint);
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // A folder that does not exist yet is found by a sweep.
    }
  }
  const unwatch = store.watch(hint, hint);
  plan(0);
  return async () => {
    isOver = true;
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    unwatch();
    await running;
  };
}
