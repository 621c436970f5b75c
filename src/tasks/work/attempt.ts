import { setTimeout as pause } from "node:timers/promises";
import { formatDuration } from "../../core/text/duration.ts";
import type { Task, TaskAnswer, TaskOp, TaskSender } from "../model.ts";
import { applyWithProofs } from "../prove.ts";
import type { TaskStore } from "../store.ts";
import type { WorkContext, WorkEvent, WorkHandler, WorkResult } from "./model.ts";
import { reasonOf, storedText } from "./text.ts";

export interface AttemptOptions {
  readonly store: TaskStore;
  readonly owner: string;
  readonly worker: number;
  readonly lease: number;
  readonly timeout: number | undefined;
  readonly retryIn: (task: Task, error: unknown) => number;
  readonly onError: (error: unknown, task: Task) => void;
  /** Aborts when running tasks are to be released at once. */
  readonly ending: AbortSignal;
}

/** How long a handler may take to return after its signal aborted. */
const GRACE = 10_000;
/** Between two tries to write the outcome while the store cannot be reached. */
const FIRST_TRY = 100;
const LAST_TRY = 5_000;

type Ended = Extract<WorkEvent, { ms: number }>;
type Settled = { readonly result: WorkResult | undefined } | { readonly error: unknown };

/**
 * Runs the handler on a claimed task, renews the lease meanwhile, and writes the outcome. Only the
 * epoch of the claim counts: if the task was claimed again, nothing is written.
 */
export async function attempt(
  task: Task,
  handler: WorkHandler,
  options: AttemptOptions,
): Promise<Ended> {
  const { store, owner, worker, lease, timeout, onError, ending } = options;
  const held = [{ id: task.id, epoch: task.epoch }];
  const sender: TaskSender = { by: "agent", via: "work", actor: owner };
  const start = performance.now();
  const stop = new AbortController();
  /** Why the attempt was aborted. */
  let cut: { readonly why: "timeout" | "lost" | "ending"; readonly reason: string } | undefined;
  const abort = (why: "timeout" | "lost" | "ending", reason: string) => {
    cut ??= { why, reason };
    stop.abort(new Error(reason));
  };
  const onEnding = () => abort("ending", "The worker was stopped.");
  if (ending.aborted) onEnding();
  ending.addEventListener("abort", onEnding, { once: true });
  const limit =
    timeout === undefined
      ? undefined
      : setTimeout(() => abort("timeout", `Stopped after ${formatDuration(timeout)}.`), timeout);

  /** The outcome of an op; a store that cannot be reached is asked until it answers or time is up. */
  async function write(op: TaskOp, prove?: WorkResult["prove"]) {
    let wait = FIRST_TRY;
    for (;;) {
      try {
        return await applyWithProofs(store, op, sender, prove);
      } catch (error) {
        onError(error, task);
        // A later write would find the claim taken over; the lease frees the task then.
        if (performance.now() - renewedAt > lease) throw error;
        await pause(wait);
        wait = Math.min(LAST_TRY, wait * 2);
      }
    }
  }

  let renewedAt = start;
  let renewing: Promise<void> | undefined;
  async function renew(): Promise<void> {
    const at = performance.now();
    try {
      const answer = await store.apply({ op: "renew", owner, held, lease }, sender);
      if (answer.ok) renewedAt = at;
      else abort("lost", answer.refused.message);
    } catch (error) {
      // The next renewal is due long before the lease expires.
      onError(error, task);
    }
  }
  const heartbeat = setInterval(
    () => {
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
    },
    Math.max(10, lease / 3),
  );

  async function run(context: WorkContext): Promise<Settled> {
    try {
      return { result: (await handler(task, context)) ?? undefined };
    } catch (error) {
      return { error };
    }
  }
  const aborted = new Promise<Settled>((resolve) => {
    const after = () =>
      void pause(GRACE, undefined, { ref: false }).then(() => resolve({ error: cut }));
    if (stop.signal.aborted) after();
    else stop.signal.addEventListener("abort", after, { once: true });
  });

  const ms = () => Math.round(performance.now() - start);
  const base = { task, worker };
  const lost = (reason: string): Ended => ({ type: "lost", ...base, ms: ms(), reason });
  const ended = (
    type: "done" | "failed" | "released",
    answer: TaskAnswer,
    reason?: string,
  ): Ended => {
    if (!answer.ok) return lost(answer.refused.message);
    const [after = task] = answer.tasks;
    return { type, task: after, worker, ms: ms(), ...(reason !== undefined && { reason }) };
  };
  const fail = async (reason: string, error: unknown): Promise<Ended> => {
    const retryIn = Math.max(0, Math.round(options.retryIn(task, error)));
    const { answer } = await write({ op: "fail", owner, held, reason, retryIn });
    return ended("failed", answer, reason);
  };

  try {
    const settled = await Promise.race([run({ signal: stop.signal, worker }), aborted]);
    clearTimeout(limit);
    await renewing;
    if (cut?.why === "lost") return lost(cut.reason);
    if (cut?.why === "ending") {
      const { answer } = await write({ op: "release", owner, held, reason: cut.reason });
      return ended("released", answer);
    }
    if (cut) return await fail(cut.reason, stop.signal.reason);
    if ("error" in settled) return await fail(reasonOf(settled.error), settled.error);
    const { evidence, prove } = settled.result ?? {};
    const texts = evidence?.map(storedText).filter((text) => text !== "") ?? [];
    const finish = {
      op: "finish",
      owner,
      held,
      ...(texts.length > 0 && { evidence: texts }),
    } as const;
    const { answer, unproven } = await write(finish, prove);
    if (answer.ok || answer.refused.code !== "unproven") return ended("done", answer);
    const why = [unproven?.reason ?? answer.refused.short ?? answer.refused.message];
    return await fail(storedText([...why, unproven?.output ?? ""].join("\n")), answer.refused);
  } catch (error) {
    return lost(reasonOf(error));
  } finally {
    clearInterval(heartbeat);
    clearTimeout(limit);
    ending.removeEventListener("abort", onEnding);
  }
}
