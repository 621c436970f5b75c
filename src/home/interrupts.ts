const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Interrupts {
  /** The first signal received. */
  readonly signal: NodeJS.Signals | undefined;
  /** Restores the default handling. Raises the received signal again, or else `instead`. */
  release(instead?: NodeJS.Signals): void;
}

const cleanups: (() => void)[] = [];

/** Registers a cleanup for when a signal ends the program: `exit` handlers do not run then. */
export function onInterruptedExit(cleanup: () => void): void {
  cleanups.push(cleanup);
}

/**
 * Handles the signals that end programs: calls `first` for the first one and `again` for each further
 * one (default: ends the program without waiting for open work).
 */
export function catchInterrupts(first: () => void, again?: () => void): Interrupts {
  let caught: NodeJS.Signals | undefined;
  const handler = (signal: NodeJS.Signals) => {
    const isFirst = caught === undefined;
    caught ??= signal;
    if (isFirst) first();
    else (again ?? release)();
  };
  const release: Interrupts["release"] = (instead) => {
    for (const signal of SIGNALS) process.off(signal, handler);
    const signal = caught ?? instead;
    if (!signal) return;
    try {
      for (const cleanup of cleanups) cleanup();
    } finally {
      // The parent process must see that a signal ended the program.
      process.kill(process.pid, signal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, handler);
  return {
    get signal() {
      return caught;
    },
    release,
  };
}
