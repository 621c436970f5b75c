import type { ModelText } from "../../core/text/model-text.ts";
import type {
  ClaimRef,
  Task,
  TaskAnswer,
  TaskOp,
  TaskRefusal,
  TaskSender,
} from "../../tasks/model.ts";
import { applyWithProofs } from "../../tasks/prove.ts";
import { canonical } from "../../tasks/rules/needs.ts";
import { ownEpoch } from "../../tasks/rules/task-at.ts";
import { refusalText, type TaskHints, unprovenText } from "./refusals.ts";
import type { Claim, TaskAgent, TaskCall } from "./task-tool.ts";
import { lastLines } from "./text.ts";

/** Limit on remembered claims; the store has the others. */
const MAX_CLAIMS = 1_000;

interface OwnedClaim {
  readonly owner: string;
  readonly held: readonly [ClaimRef];
}

/** The claim that a call is about: the epoch it names, the one remembered here, or the one in the store. */
export async function claimOf(agent: TaskAgent, id: string, epoch?: number): Promise<OwnedClaim> {
  const known = agent.claims.get(canonical(id));
  const { owner } = known ?? agent;
  if (epoch !== undefined) return { owner, held: [{ id, epoch }] };
  if (known) return { owner, held: [{ id, epoch: known.epoch }] };
  const task = await (await agent.store("reading")).get(id);
  const own = ownEpoch(task, owner);
  return { owner, held: [{ id, ...(own !== undefined && { epoch: own }) }] };
}

/** Owner and lease of a new claim. */
export function claimFieldsOf({ owner, lease }: TaskAgent, as = owner) {
  return { owner: as, ...(lease !== undefined && { lease }) };
}

export interface RefusedOp {
  readonly ok: false;
  readonly refused: TaskRefusal;
  /** The reason, for the model. */
  readonly text: ModelText;
}

/** Applies an op for the agent and remembers the claims that it makes. */
export async function send(
  { agent, key, prove }: TaskCall,
  op: TaskOp,
  hints: TaskHints,
  part = "",
): Promise<{ readonly ok: true; readonly tasks: readonly Task[] } | RefusedOp> {
  const store = await agent.store("writing");
  const senderWith = (withKey: boolean): TaskSender => ({
    by: "agent",
    via: "tasks",
    actor: agent.owner,
    ...(withKey && key !== undefined && { key: `${key}${part}` }),
  });
  const { answer: first, unproven } = await applyWithProofs(store, op, senderWith(true), prove);
  let answer: TaskAnswer = first;
  // Some models restart their call ids. A claim under a known key that is no longer current is a new claim.
  if (
    op.op === "claim" &&
    answer.ok &&
    answer.duplicate &&
    !(await areCurrent(agent, answer.tasks))
  )
    answer = await store.apply(op, senderWith(false));
  if (!answer.ok) {
    const { refused } = answer;
    if (unproven) {
      const { reason, output = "" } = unproven;
      return { ok: false, refused, text: unprovenText(refused, reason, lastLines(output)) };
    }
    const text = await refusalText(refused, { owner: agent.owner, op, store, hints });
    return { ok: false, refused, text };
  }
  for (const task of answer.tasks) {
    if (task.status === "claimed" && task.owner !== undefined && isMine(op, agent, task))
      rememberClaim(agent, task.id, { owner: task.owner, epoch: task.epoch });
    else if (task.status !== "claimed") agent.claims.delete(task.id);
  }
  return answer;
}

/** Whether the tasks are still claimed with the epochs of then. */
async function areCurrent(agent: TaskAgent, tasks: readonly Task[]): Promise<boolean> {
  const store = await agent.store("reading");
  for (const { id, epoch } of tasks) {
    const now = await store.get(id);
    if (now?.status !== "claimed" || now.epoch !== epoch) return false;
  }
  return true;
}

/** A task assigned to another owner is not remembered: only its owner may write to it. */
function isMine(op: TaskOp, agent: TaskAgent, { owner }: Task): boolean {
  return op.op === "claim" || owner === agent.owner;
}

export function rememberClaim({ claims }: TaskAgent, id: string, claim: Claim): void {
  claims.delete(id);
  claims.set(id, claim);
  const [oldest] = claims.keys();
  if (claims.size > MAX_CLAIMS && oldest !== undefined) claims.delete(oldest);
}
