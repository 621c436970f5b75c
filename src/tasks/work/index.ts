/**
 * Workers for tasks: `work` claims tasks, runs a handler on each and writes the outcome. `attempt`
 * runs one task, `gate` holds workers while the queue is empty, `model` has the types.
 */
import { argumentError, hasMethods } from "../../core/argument.ts";
import { LONGEST_LEASE, type Task, type TaskEvent } from "../model.ts";
import { retryDelay } from "../rules/queue/retry.ts";
import { isDelayed } from "../rules/queue/state.ts";
import type { TaskStore } from "../store.ts";
import { attempt } from "./attempt.ts";
import { createGate } from "./gate.ts";
import type { Work, WorkEvent, WorkHandler, WorkOptions, WorkSummary } from "./model.ts";

export type {
  Work,
  WorkContext,
  WorkEvent,
  WorkHandler,
  WorkOptions,
  WorkResult,
  WorkSummary,
} from "./model.ts";

/** Shorter than the default of a claim: it is renewed by a timer, and a dead worker is noticed sooner. */
const LEASE = 60_000;
/** Node runs a longer timer at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
const IDLE = { shortest: 200, longest: 5_000 };
const MOST_WORKERS = 1_000;
const WAY = 'Call work(store, { owner: "ann" }, async (task) => { … }).';

/** Events after which a task may be ready that was not before. */
const MAKES_READY: ReadonlySet<TaskEvent["type"]> = new Set([
  "added",
  "edited",
  "released",
  "retried",
  "done",
  "reopened",
]);

/**
 * Works on tasks until it is stopped: claims the most urgent ones, runs `handler` on each, renews the
 * lease meanwhile, and finishes or fails the task. A process that dies loses nothing: its leases
 * expire, and other workers claim the tasks.
 *
 * @param store the tasks
 * @param options the owner, and how many tasks run at the same time
 * @param handler does one task
 * @returns the running workers
 * @throws TypeError if an argument is invalid
 */
export function work(store: TaskStore, options: WorkOptions, handler: WorkHandler): Work {
  checkCall(store, options, handler);
  const { owner, concurrency = 1, labels = [], lease = LEASE, until = "stopped" } = options;
  const { timeout, signal, onEvent } = options;
  const retryIn = options.retryIn ?? ((task: Task) => retryDelay(task.attempts, Math.random()));
  const onError = (error: unknown, task?: Task): void => {
    try {
      options.onError?.(error, task);
    } catch {
      // A broken listener must not end the work.
    }
  };
  const gate = createGate(options.idle ?? IDLE);
  const ending = new AbortController();
  const summary = { done: 0, retried: 0, failed: 0, released: 0, lost: 0 };
  let isStopping = signal?.aborted === true;
  let running = 0;
  let nextLabel = 0;

  const tell = (event: WorkEvent): void => {
    try {
      onEvent?.(event);
    } catch (error) {
      onError(error, event.task);
    }
  };

  /** The next task for a worker; undefined if none is ready. */
  async function claim(name: string): Promise<Task | undefined> {
    const sender = { by: "agent", via: "work", actor: name } as const;
    // Each label has its turn to be first.
    const first = nextLabel++;
    for (let n = 0; n < Math.max(1, labels.length); n++) {
      const label = labels[(first + n) % labels.length];
      const op = {
        op: "claim",
        owner: name,
        lease,
        ...(label !== undefined && { label }),
      } as const;
      const answer = await store.apply(op, sender);
      if (answer.ok && answer.tasks[0]) return answer.tasks[0];
      if (!answer.ok && answer.refused.code === "invalid_input")
        throw new TypeError(`work(store, options, handler): ${answer.refused.message}`);
    }
    return undefined;
  }

  /** True if a task may still become ready without anyone else's doing. */
  async function isAnyLeft(): Promise<boolean> {
    if (running > 0) return true;
    if (labels.length === 0) {
      const { ready, delayed } = await store.counts();
      return ready + delayed > 0;
    }
    const now = await store.now();
    for (const label of labels) {
      if ((await store.ready({ label, limit: 1 })).length > 0) return true;
      const open = await store.list({ status: "open", label });
      if (open.some((task) => isDelayed(task, now))) return true;
    }
    return false;
  }

  async function worker(number: number): Promise<void> {
    const name = concurrency === 1 ? owner : `${owner}/${number}`;
    const sender = { by: "agent", via: "work", actor: name } as const;
    while (!isStopping) {
      await gate.pass();
      if (isStopping) return;
      let task: Task | undefined;
      try {
        task = await claim(name);
      } catch (error) {
        onError(error);
        if (error instanceof TypeError) {
          stopClaiming();
          return;
        }
      }
      if (!task) {
        gate.foundNone();
        if (until === "first") return;
        if (until === "left" && !(await anyLeftOrUnknown())) stopClaiming();
        continue;
      }
      gate.foundOne();
      if (isStopping) {
        await release(task, name, sender);
        return;
      }
      running += 1;
      tell({ type: "claimed", task, worker: number });
      const event = await attempt(task, handler, {
        store,
        owner: name,
        worker: number,
        lease,
        timeout,
        retryIn,
        onError,
        ending: ending.signal,
      });
      running -= 1;
      count(event);
      tell(event);
      gate.wake();
      if (until === "first") return;
    }
  }

  async function anyLeftOrUnknown(): Promise<boolean> {
    try {
      return await isAnyLeft();
    } catch (error) {
      onError(error);
      return true;
    }
  }

  /** Claimed while the work was being stopped. */
  async function release(
    task: Task,
    name: string,
    sender: Parameters<TaskStore["apply"]>[1],
  ): Promise<void> {
    const held = [{ id: task.id, epoch: task.epoch }];
    try {
      await store.apply({ op: "release", owner: name, held }, sender);
      summary.released += 1;
    } catch (error) {
      // Its lease expires.
      onError(error, task);
    }
  }

  function count(event: WorkEvent): void {
    if (event.type === "claimed") return;
    if (event.type === "failed")
      summary[event.task.status === "failed" ? "failed" : "retried"] += 1;
    else summary[event.type] += 1;
  }

  function stopClaiming(): void {
    isStopping = true;
    gate.open();
  }

  const unwatch = store.watch((event) => {
    if (!MAKES_READY.has(event.type)) return;
    const { notBefore } = event.set;
    if (notBefore != null && notBefore > event.at) gate.wakeAt(Date.now() + notBefore - event.at);
    else gate.wake();
  });
  signal?.addEventListener("abort", stopClaiming, { once: true });
  const workers = Array.from({ length: concurrency }, (_, n) => worker(n + 1));
  const ended = Promise.all(workers).then((): WorkSummary => {
    unwatch();
    gate.open();
    signal?.removeEventListener("abort", stopClaiming);
    return { ...summary };
  });

  return {
    ended,
    stop() {
      stopClaiming();
      return ended;
    },
    abort() {
      stopClaiming();
      ending.abort();
      return ended;
    },
  };
}

function checkCall(store: TaskStore, options: WorkOptions, handler: WorkHandler): void {
  const fail = (what: string, expected: string, given: unknown): never => {
    throw argumentError(`work(store, options, handler): ${what}`, expected, given, WAY);
  };
  if (!hasMethods(store, ["apply", "watch", "ready"])) fail("store", "a task store", store);
  if (typeof options !== "object" || options === null) fail("options", "an object", options);
  const { owner, concurrency = 1, lease = 1, timeout = 1 } = options;
  if (typeof owner !== "string" || owner.trim() === "") fail("owner", "a name", owner);
  const isWhole = (value: unknown, most: number) =>
    Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
  if (!isWhole(concurrency, MOST_WORKERS))
    fail("concurrency", `a whole number from 1 to ${MOST_WORKERS}`, concurrency);
  if (!isWhole(lease, LONGEST_LEASE)) fail("lease", "milliseconds, at most 30 days", lease);
  if (!isWhole(timeout, LONGEST_TIMEOUT)) fail("timeout", "milliseconds, at most 24 days", timeout);
  if (typeof handler !== "function") fail("handler", "a function", handler);
}
