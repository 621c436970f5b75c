import { setTimeout } from "node:timers/promises";
import { inspect } from "node:util";

interface UntilOptions {
  /** Milliseconds until it fails. Generous: only a condition that never holds takes that long. */
  readonly timeout?: number;
  /** Milliseconds between two attempts. */
  readonly interval?: number;
}

type Truthy<T> = Exclude<T, false | 0 | 0n | "" | null | undefined>;

/**
 * Polls a condition and returns its first truthy value. A condition that throws is tried again. On
 * timeout, the error names the condition and the last value or error.
 *
 * Tests use it, or `expect.poll` with a matcher, for every condition without an event. They never sleep
 * for a fixed time.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string,
  { timeout = 30_000, interval = 20 }: UntilOptions = {},
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeout;
  for (;;) {
    // Checked before the attempt, so the last attempt starts after the deadline: a process that was not
    // scheduled for a while still gets one.
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
 * Sleeps. Only for a stimulus that takes time by itself (load spread over a second, a worker that keeps a
 * lock for a while), never to wait for an effect. The reason says which.
 */
export function pause(milliseconds: number, _reason: string): Promise<void> {
  return setTimeout(milliseconds);
}
