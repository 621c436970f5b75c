/** Shortest and longest wait before an empty queue is asked again. */
export interface GateTimes {
  readonly shortest: number;
  readonly longest: number;
}

/**
 * Holds the workers of an empty queue. One of them asks again after a while, or soon after a wake;
 * if it gets a task, it opens the gate for the next one. So a full queue is claimed by all workers,
 * and an empty one costs a single call.
 */
export interface Gate {
  /** Waits while the queue is known to be empty. */
  pass(): Promise<void>;
  /** The queue had no task for a worker. */
  foundNone(): void;
  /** The queue had a task. */
  foundOne(): void;
  /** Something changed: ask again soon. */
  wake(): void;
  /** Ask again at this time of the process's own clock. */
  wakeAt(at: number): void;
  /** Lets everyone through, now and later. */
  open(): void;
}

/** A wake is spread over this time, so that many processes do not ask at the same moment. */
const SPREAD = 50;
/** Node runs a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export function createGate({ shortest, longest }: GateTimes): Gate {
  const waiting: (() => void)[] = [];
  let isEmpty = false;
  let isOpen = false;
  let wait = shortest;
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;

  function letOne(): void {
    clearTimeout(timer);
    timer = undefined;
    due = Number.POSITIVE_INFINITY;
    waiting.shift()?.();
  }
  function askIn(ms: number): void {
    const at = performance.now() + ms;
    if (timer && at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(letOne, Math.min(ms, LONGEST_TIMER));
  }

  return {
    pass() {
      if (isOpen || !isEmpty) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push(resolve);
        // Between half and the whole of the wait.
        if (!timer) askIn(wait * (0.5 + Math.random() / 2));
      });
    },
    foundNone() {
      wait = isEmpty ? Math.min(longest, wait * 2) : shortest;
      isEmpty = true;
    },
    foundOne() {
      wait = shortest;
      isEmpty = waiting.length > 0;
      if (isEmpty) letOne();
    },
    wake() {
      wait = shortest;
      if (isEmpty && waiting.length > 0) askIn(Math.random() * SPREAD);
    },
    wakeAt(at) {
      if (isEmpty && waiting.length > 0)
        askIn(Math.max(0, at - Date.now()) + Math.random() * SPREAD);
    },
    open() {
      isOpen = true;
      clearTimeout(timer);
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
