/** A decision that takes effect when its time is up, unless it is taken back. */
export interface HeldDecision<T> {
  readonly key: string;
  readonly decision: T;
  /** When it is delivered. */
  readonly until: number;
}

export interface HeldDecisions<T> {
  /** Holds a decision. An earlier one with the same key is dropped: the user changed the decision. */
  hold(key: string, decision: T, now: number): void;
  /** Takes a decision back. False if it was delivered already. */
  undo(key: string): boolean;
  all(): readonly HeldDecision<T>[];
  /** Delivers everything now and waits for it. */
  flush(): Promise<void>;
}

/**
 * Delays decisions by `ms`: an agent that has received one cannot be made to forget it. A process that is killed
 * delivers nothing; the request then still waits for the user.
 */
export function holdDecisions<T>(
  ms: number,
  deliver: (decision: T) => Promise<void>,
): HeldDecisions<T> {
  const held = new Map<string, HeldDecision<T> & { readonly timer: NodeJS.Timeout }>();
  const running = new Set<Promise<void>>();
  const send = (key: string): void => {
    const found = held.get(key);
    if (!found) return;
    clearTimeout(found.timer);
    held.delete(key);
    const sending = deliver(found.decision).finally(() => running.delete(sending));
    running.add(sending);
  };
  return {
    hold(key, decision, now) {
      clearTimeout(held.get(key)?.timer);
      const timer = setTimeout(() => send(key), ms);
      held.set(key, { key, decision, until: now + ms, timer });
    },
    undo(key) {
      clearTimeout(held.get(key)?.timer);
      return held.delete(key);
    },
    all: () => [...held.values()].map(({ timer: _, ...each }) => each),
    async flush() {
      for (const key of [...held.keys()]) send(key);
      await Promise.allSettled(running);
    },
  };
}
