const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Interrupts {
  /** The signal that came, if one did. */
  readonly signal: NodeJS.Signals | undefined;
  /** Signals do again what they do by default; one that came does it now, or else the one given. */
  release(instead?: NodeJS.Signals): void;
}

const lastActs: (() => void)[] = [];

/** Does this when a signal ends the program: who waits for its end to tidy up would never get there. */
export function beforeInterrupted(act: () => void): void {
  lastActs.push(act);
}

/**
 * Catches the signals that end programs: `first` for the first, `again` for every other. Whoever asks
 * twice does not want to wait for what is still open: that ends the program, unless told otherwise.
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
      for (const act of lastActs) act();
    } finally {
      // Whoever started the program is to see that it was ended by a signal.
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
