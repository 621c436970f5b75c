import { setTimeout } from "node:timers/promises";
import { inspect } from "node:util";

interface UntilOptions {
  /** Milliseconds before it gives up. Generous: only a condition that never holds gets there. */
  readonly timeout?: number;
  /** Milliseconds between two attempts. */
  readonly interval?: number;
}

type Truthy<T> = Exclude<T, false | 0 | 0n | "" | null | undefined>;

/**
 * Polls a condition and returns its first truthy value. A condition that throws does not hold yet.
 * On timeout it throws an error that names what it waited for and the last value or error.
 *
 * Every test that waits for something without an event of its own uses this, or `expect.poll` where
 * a matcher says it better. Tests never sleep for a fixed time.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string,
  { timeout = 30_000, interval = 20 }: UntilOptions = {},
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeout;
  for (;;) {
    // Checked before the attempt, so that the last attempt begins after the deadline: a process that
    // was not scheduled for a while still gets to look.
    const isLast = performance.now() >= deadline;
    let last: string;
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as Truthy<T>;
      last = `last value: ${inspect(value, { depth: 4 })}`;
    } catch (error) {
      cause = error;
      last = `last error: ${error instanceof Error ? error.message : inspect(error)}`;
    }
    if (isLast) throw new Error(`Timed out after ${timeout} ms: ${what} (${last})`, { cause });
    await setTimeout(interval);
  }
}

/**
 * Sleeps. Only for a stimulus that takes time by itself (load that is spread over a second, a worker
 * that keeps a lock for a while), never to wait for an effect; the reason says which.
 */
export function pause(milliseconds: number, _reason: string): Promise<void> {
  return setTimeout(milliseconds);
}
