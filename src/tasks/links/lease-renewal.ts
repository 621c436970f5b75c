import type { Awaitable } from "../../core/awaitable.ts";
import type { TaskStore } from "../store.ts";

/** Sees agents at work and renews the leases of what they hold: nobody has to call for that. */
export interface Witness {
  /** Cheap, and may be called for whatever is seen; `at` in milliseconds, else now. */
  saw(owner: string, at?: number): void;
  /** What was seen is told. */
  settled(): Promise<void>;
}

export interface WitnessOptions {
  /** The tasks, where there are any. */
  readonly tasks: () => Awaitable<TaskStore | undefined>;
  /** Milliseconds between two times that the tasks are told of the same agent. */
  readonly every?: number;
  readonly onProblem: (error: unknown) => void;
}

/** Far below any lease that makes sense. */
const EVERY = 1_000;
const MOST_OWNERS = 2_000;

export function createWitness({ tasks, every = EVERY, onProblem }: WitnessOptions): Witness {
  const seen = new Map<string, number>();
  /** By the clock that nobody sets. */
  const told = new Map<string, number>();
  let telling: Promise<void> | undefined;
  let later: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    const all = [...seen];
    seen.clear();
    try {
      const store = await tasks();
      for (const [owner, at] of store ? all : []) {
        told.set(owner, performance.now());
        // What is later than now was written by a clock that is wrong.
        await store?.renewByObservation(owner, Math.max(0, Date.now() - at));
      }
    } catch (error) {
      // What an agent does must not fail because its leases cannot be renewed.
      onProblem(error);
    }
    if (told.size > MOST_OWNERS) told.clear();
  }

  function start(): void {
    clearTimeout(later);
    later = undefined;
    telling ??= tell().finally(() => {
      telling = undefined;
      if (seen.size > 0) wait();
    });
  }
  function wait(): void {
    const next = Math.min(
      ...[...seen.keys()].map((owner) => (told.get(owner) ?? Number.NEGATIVE_INFINITY) + every),
    );
    const delay = next - performance.now();
    if (delay <= 0) start();
    else later ??= setTimeout(start, delay).unref();
  }

  return {
    saw(owner, at = Date.now()) {
      seen.set(owner, Math.max(at, seen.get(owner) ?? 0));
      if (!telling) wait();
    },
    async settled() {
      for (let round = 0; round < 2 && (telling || seen.size > 0); round++) {
        start();
        await telling;
      }
    },
  };
}
