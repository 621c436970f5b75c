import { watch as watchDirectory } from "node:fs";
import { callListener } from "./audience.ts";
import { redactedMessage, type Warn } from "./warn.ts";

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
        warn(`Looking for new events in ${dir} failed: ${redactedMessage(error)}`);
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

/** What is new since it was last asked for; returns whether there may be more that could not be seen. */
export type News<E> = () => Generator<{ readonly position: number; readonly event: E }, boolean>;

/** Tells a listener of news, one look at a time; what it does meanwhile is told by the same look. */
export function watchNews<E>(
  sweeps: Sweeps,
  news: News<E>,
  listener: (event: E) => void,
  warn: Warn,
): () => void {
  let stopped = false;
  let looking = false;
  const look = (): boolean => {
    if (looking || stopped) return false;
    looking = true;
    try {
      const found = news();
      for (let next = found.next(); ; next = found.next()) {
        if (stopped) return false;
        if (next.done) return next.value;
        callListener(listener, next.value.event, next.value.position, warn);
      }
    } finally {
      looking = false;
    }
  };
  const remove = sweeps.add(look);
  return () => {
    stopped = true;
    remove();
  };
}
