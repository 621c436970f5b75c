import { watch as watchDirectory } from "node:fs";
import { notifyListener } from "./subscribers.ts";
import { redactedMessage, type Warn } from "./warn.ts";

/** Looks for new events. Returns true to be called again soon, because some were not readable yet. */
export type Poll = () => boolean;

export interface Poller {
  add(poll: Poll): () => void;
  /** Polls at once: this process knows that there is something new. */
  now(): void;
  close(): void;
}

const EVERY = 250;
const SOON = 5;
const VERSION_EVERY = 500;

/**
 * Polls for events that other processes wrote. File events are hints that can be lost; the interval
 * is what counts. Neither keeps the process alive.
 */
export function createPoller(dir: string, warn: Warn): Poller {
  const polls = new Set<Poll>();
  let stop: (() => void) | undefined;
  let soon: NodeJS.Timeout | undefined;

  function run(): void {
    let again = false;
    for (const poll of [...polls]) {
      try {
        again = poll() || again;
      } catch (error) {
        warn(`Checking ${dir} for new events failed: ${redactedMessage(error)}`);
      }
    }
    if (again) runSoon();
  }

  function runSoon(): void {
    if (soon || polls.size === 0) return;
    soon = setTimeout(() => {
      soon = undefined;
      run();
    }, SOON).unref();
  }

  function watchFiles(): () => void {
    try {
      const watcher = watchDirectory(dir, { persistent: false }, runSoon);
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      // The machine is out of watches: the interval does it, a little later.
      return () => {};
    }
  }

  function start(): () => void {
    const timer = setInterval(run, EVERY).unref();
    const stopWatching = watchFiles();
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      soon = undefined;
      stopWatching();
    };
  }

  function remove(poll: Poll): void {
    if (!polls.delete(poll) || polls.size > 0) return;
    stop?.();
    stop = undefined;
  }

  return {
    add(poll) {
      polls.add(poll);
      stop ??= start();
      return () => remove(poll);
    },
    now: run,
    close() {
      for (const poll of [...polls]) remove(poll);
    },
  };
}

/** Yields the events since its last call; returns whether more may exist that were not readable yet. */
export type ReadNew<E> = () => Generator<{ readonly position: number; readonly event: E }, boolean>;

/** Calls a listener for each new event. Events that it causes itself are part of the same poll. */
export function followEvents<E>(
  poller: Poller,
  readNew: ReadNew<E>,
  listener: (event: E) => void,
  warn: Warn,
): () => void {
  let stopped = false;
  let isPolling = false;
  const poll = (): boolean => {
    if (isPolling || stopped) return false;
    isPolling = true;
    try {
      const found = readNew();
      for (let next = found.next(); ; next = found.next()) {
        if (stopped) return false;
        if (next.done) return next.value;
        notifyListener(listener, next.value.event, next.value.position, warn);
      }
    } finally {
      isPolling = false;
    }
  };
  const remove = poller.add(poll);
  return () => {
    stopped = true;
    remove();
  };
}

/** Calls back when a version changed. Returns the function that stops it. */
export function watchVersion(version: () => string, onChange: () => void): () => void {
  let known = version();
  const timer = setInterval(() => {
    try {
      const current = version();
      if (current === known) return;
      known = current;
    } catch {
      // It may change again once it can be read.
      return;
    }
    onChange();
  }, VERSION_EVERY);
  timer.unref();
  return () => clearInterval(timer);
}
