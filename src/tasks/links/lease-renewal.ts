import type { Awaitable } from "../../core/awaitable.ts";
import type { TaskStore } from "../store.ts";

/** Renews the leases of active agents without a call from them. */
export interface ActivityMonitor {
  /** Records that an owner is active; cheap (`at` in milliseconds, default: now). */
  noteActive(owner: string, at?: number): void;
  /** Resolves when everything recorded so far reached the tasks. */
  settled(): Promise<void>;
}

export interface ActivityMonitorOptions {
  /** The task store, if there is one. */
  readonly tasks: () => Awaitable<TaskStore | undefined>;
  /** Milliseconds between two renewals for the same agent. */
  readonly every?: number;
  readonly onProblem: (error: unknown) => void;
}

/** Far shorter than any useful lease. */
const EVERY = 1_000;
const MOST_OWNERS = 2_000;

export function createActivityMonitor({
  tasks,
  every = EVERY,
  onProblem,
}: ActivityMonitorOptions): ActivityMonitor {
  const seen = new Map<string, number>();
  /** Monotonic time. */
  const renewed = new Map<string, number>();
  let renewing: Promise<void> | undefined;
  let later: NodeJS.Timeout | undefined;

  async function renew(): Promise<void> {
    const all = [...seen];
    seen.clear();
    try {
      const store = await tasks();
      for (const [owner, at] of store ? all : []) {
        renewed.set(owner, performance.now());
        // A time in the future comes from a wrong clock.
        await store?.renewByObservation(owner, Math.max(0, Date.now() - at));
      }
    } catch (error) {
      // A failed renewal must not fail the agent's call.
      onProblem(error);
    }
    if (renewed.size > MOST_OWNERS) renewed.clear();
  }

  function start(): void {
    clearTimeout(later);
    later = undefined;
    renewing ??= renew().finally(() => {
      renewing = undefined;
      if (seen.size > 0) wait();
    });
  }
  function wait(): void {
    const next = Math.min(
      ...[...seen.keys()].map((owner) => (renewed.get(owner) ?? Number.NEGATIVE_INFINITY) + every),
    );
    const delay = next - performance.now();
    if (delay <= 0) start();
    else later ??= setTimeout(start, delay).unref();
  }

  return {
    noteActive(owner, at = Date.now()) {
      seen.set(owner, Math.max(at, seen.get(owner) ?? 0));
      if (!renewing) wait();
    },
    async settled() {
      for (let round = 0; round < 2 && (renewing || seen.size > 0); round++) {
        start();
        await renewing;
      }
    },
  };
}
