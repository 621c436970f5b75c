import type { Random } from "./random.ts";

/** A computer with a wall clock of its own. */
export interface Machine {
  readonly name: string;
  /** The home directory of its user. */
  readonly home: string;
  /** How far its wall clock is ahead of the monotonic clock. */
  wallAhead: number;
  /** Probability that a call on its files fails. */
  failingFiles: number;
  /** How many calls failed so far, and how often its wall clock jumped. */
  failures: number;
  jumps: number;
}

/** A simulated process. Killing it drops its pending operations; stored data stays. */
export interface Process {
  readonly pid: number;
  /** The pid of the process that started it. */
  readonly parent: number;
  readonly name: string;
  /** The name of its program. */
  readonly command: string;
  readonly startTime: number;
  readonly machine: Machine;
  isAlive: boolean;
  /** The process is killed at this many further calls on files. */
  callsToLive: number;
}

/** Thrown by every call on files of a killed process: its code runs on, but has no effect. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** Whether an error, or its cause, comes from a killed process. */
export function isOfKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && isOfKilled(error.cause));
}

export interface Timer {
  readonly at: number;
  readonly order: number;
  readonly process: Process | undefined;
  readonly label: string;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Runs one event at a time in virtual time. An event is a timer, or the completion of an operation, of one process;
 * its process is the current one until all its microtasks have run.
 */
export interface Scheduler {
  /** Monotonic time in milliseconds. */
  now(): number;
  current(): Process | undefined;
  later(delay: number, label: string, run: () => void, process?: Process | undefined): Timer;
  /**
   * The same for work that is done at once, without promises: it may also run between two calls on files of another
   * process, in `interrupt`.
   */
  interrupting(delay: number, label: string, run: () => void, process: Process): void;
  /** Runs interrupting work of another process, if there is some. */
  interrupt(): void;
  /** Runs `work` as a process, within the current event. */
  as(process: Process | undefined, work: () => void): void;
  /** Runs events until there are none before `until`, or `isOver` says so. */
  run(until: number, afterEach: () => void): Promise<void>;
  /** Number of events that ran. */
  steps(): number;
}

/** Resolves when all microtasks have run. The global, because the bundle replaces the name. */
const drained = (): Promise<void> => new Promise((resolve) => globalThis.setImmediate(resolve));

export function createScheduler(random: Random, trace: (line: string) => void): Scheduler {
  const queue = createQueue();
  let now = 0;
  let order = 0;
  let steps = 0;
  let current: Process | undefined;
  let waiting: Timer[] = [];
  const later: Scheduler["later"] = (delay, label, run, process = current) => {
    // Events of the same time run in any order.
    const timer = {
      at: now + Math.max(0, delay),
      order: random.next() + order++ * 1e-9,
      process,
      label,
      run,
      isCancelled: false,
    };
    queue.add(timer);
    return timer;
  };
  const as: Scheduler["as"] = (process, work) => {
    const former = current;
    current = process;
    try {
      work();
    } finally {
      current = former;
    }
  };
  const runTimer = ({ process, label, run }: Timer): void => {
    steps++;
    trace(
      `${now.toFixed(1).padStart(10)}  ${process ? `${process.name} #${process.pid}` : "-"}  ${label}`,
    );
    try {
      run();
    } catch (error) {
      if (process?.isAlive !== false) throw error;
    }
  };
  return {
    now: () => now,
    current: () => current,
    steps: () => steps,
    later,
    interrupting(delay, label, run, process) {
      const timer = later(delay, label, run, process);
      waiting.push(timer);
    },
    interrupt() {
      waiting = waiting.filter(({ isCancelled }) => !isCancelled);
      const next = waiting.find(({ process }) => process?.isAlive && process !== current);
      if (!next) return;
      next.isCancelled = true;
      as(next.process, () => runTimer({ ...next, label: `${next.label} (interrupting)` }));
    },
    as,
    async run(until, afterEach) {
      for (;;) {
        const next = queue.next();
        if (!next || next.at > until) break;
        queue.remove();
        if (next.isCancelled || next.process?.isAlive === false) continue;
        now = Math.max(now, next.at);
        next.isCancelled = true;
        current = next.process;
        runTimer(next);
        await drained();
        current = undefined;
        afterEach();
      }
      now = Math.max(now, until);
    },
  };
}

/** A binary heap by time. */
function createQueue() {
  const heap: Timer[] = [];
  const isBefore = (a: Timer, b: Timer): boolean =>
    a.at < b.at || (a.at === b.at && a.order < b.order);
  const at = (index: number): Timer => heap[index] as Timer;
  const swap = (a: number, b: number): void => {
    const former = at(a);
    heap[a] = at(b);
    heap[b] = former;
  };
  return {
    next: (): Timer | undefined => heap[0],
    add(timer: Timer): void {
      let index = heap.push(timer) - 1;
      while (index > 0) {
        const above = (index - 1) >> 1;
        if (!isBefore(at(index), at(above))) break;
        swap(index, above);
        index = above;
      }
    },
    remove(): void {
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      heap[0] = last;
      for (let index = 0; ; ) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2])
          if (child < heap.length && isBefore(at(child), at(least))) least = child;
        if (least === index) return;
        swap(index, least);
        index = least;
      }
    },
  };
}
