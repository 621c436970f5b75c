import type { Awaitable } from "../core/awaitable.ts";
import type { PassedCheck, Task, TaskAnswer, TaskOp, TaskSender } from "./model.ts";
import type { TaskStore } from "./store.ts";

/** The outcome of looking for a proof of a task, or of running its check. */
export type TaskProving =
  | { readonly ok: true; readonly proof: PassedCheck }
  | {
      readonly ok: false;
      /** Why there is no proof, in one sentence; absent to keep the message of the refusal. */
      readonly reason?: string;
      /** The last lines that the check printed. */
      readonly output?: string;
    };

/** Runs the check of a task, or finds a proof that still holds. */
export type ProveTask = (task: Task) => Awaitable<TaskProving>;

/** An answer, and why a task could not be proven if that is the reason for a refusal. */
export interface ProvenAnswer {
  readonly answer: TaskAnswer;
  readonly unproven?: TaskProving & { readonly ok: false };
}

/**
 * Applies an op. A finish of tasks that lack the proof of their check is repeated with the proofs that
 * `prove` returns, so that a proof comes from our own code alone.
 */
export async function applyWithProofs(
  store: Pick<TaskStore, "apply" | "get">,
  op: TaskOp,
  sender: TaskSender,
  prove: ProveTask | undefined,
): Promise<ProvenAnswer> {
  let answer = await store.apply(op, sender);
  if (op.op !== "finish" || !prove) return { answer };
  const proofs = [...(op.proofs ?? [])];
  // Each task of the op may have a check of its own.
  for (let n = 0; n < op.held.length && isUnproven(answer); n++) {
    const task = await store.get((answer.ok ? undefined : answer.refused.id) ?? "");
    const proving = task && (await prove(task));
    if (!proving) break;
    if (!proving.ok) return { answer, unproven: proving };
    proofs.push(proving.proof);
    answer = await store.apply({ ...op, proofs }, sender);
  }
  return { answer };
}

function isUnproven(answer: TaskAnswer): boolean {
  return !answer.ok && answer.refused.code === "unproven";
}
