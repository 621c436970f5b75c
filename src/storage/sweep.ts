import { watch as watchDirectory } from "node:fs";
import { messageOf, type Warn } from "./warn.ts";

/** Looks for news; answers whether it could not see them yet and wants to look again soon. */
export type Look = () => boolean;

export interface Sweeps {
  add(look: Look): () => void;
  /** Looks at once: this process knows that there is something. */
  now(): void;
  close(): void;
}

const EVERY = 250;
const SOON = 5;

/**
 * Lets watchers look for what other processes wrote. The operating system's notice of a change is
 * a hint, it can be lost; the look at every interval is what counts. Neither keeps the process
 * alive: who only watches must have another reason to run.
 */
export function createSweeps(dir: string, warn: Warn): Sweeps {
  const looks = new Set<Look>();
  let stopLooking: (() => void) | undefined;
  let soon: NodeJS.Timeout | undefined;

  function run(): void {
    let again = false;
    for (const look of [...looks]) {
      try {
        again = look() || again;
      } catch (error) {
        warn(`Looking for new events in ${dir} failed: ${messageOf(error)}`);
      }
    }
    if (again) runSoon();
  }

  function runSoon(): void {
    if (soon || looks.size === 0) return;
    soon = setTimeout(() => {
      soon = undefined;
      run();
    }, SOON).unref();
  }

  function hints(): () => void {
    try {
      const watcher = watchDirectory(dir, { persistent: false }, runSoon);
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      // No watches left on this machine: the interval alone does it, a little later.
      return () => {};
    }
  }

  function start(): () => void {
    const timer = setInterval(run, EVERY).unref();
    const stopHints = hints();
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      soon = undefined;
      stopHints();
    };
  }

  function remove(look: Look): void {
    if (!looks.delete(look) || looks.size > 0) return;
    stopLooking?.();
    stopLooking = undefined;
  }

  return {
    add(look) {
      looks.add(look);
      stopLooking ??= start();
      return () => remove(look);
    },
    now: run,
    close() {
      for (const look of [...looks]) remove(look);
    },
  };
}
