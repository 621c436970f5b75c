import type { Held, Task, TaskAnswer, TaskOp, TaskRefusal } from "../../tasks/model.ts";
import { canonical } from "../../tasks/rules/needs.ts";
import type { TaskCall, TaskDesk } from "./task-tool.ts";

/** Claims that are remembered at most; the store knows the others. */
const MOST_CLAIMS = 1_000;

interface Holding {
  readonly owner: string;
  readonly held: readonly [Held];
}

/** The claim that a call means: as it says, as it was given out here, or as the store has it. */
export async function holdingOf(desk: TaskDesk, id: string, epoch?: number): Promise<Holding> {
  const known = desk.claims.get(canonical(id));
  const { owner } = known ?? desk;
  if (epoch !== undefined) return { owner, held: [{ id, epoch }] };
  if (known) return { owner, held: [{ id, epoch: known.epoch }] };
  const task = await (await desk.store("reading")).get(id);
  const isOwn = task?.owner === owner || task?.lapsed?.owner === owner;
  return { owner, held: [{ id, ...(task && isOwn && { epoch: task.epoch }) }] };
}

/** As whom, and for how long, a task is claimed. */
export function claimant({ owner, lease }: TaskDesk, as = owner) {
  return { owner: as, ...(lease !== undefined && { lease }) };
}

/** Carries out an op for the agent and remembers what it holds by it. */
export async function send(
  { desk, key }: TaskCall,
  op: TaskOp,
  part = "",
): Promise<
  | { readonly ok: true; readonly tasks: readonly Task[] }
  | { readonly ok: false; readonly refused: TaskRefusal }
> {
  const store = await desk.store("writing");
  const apply = (withKey: boolean) =>
    store.apply(op, {
      by: "agent",
      via: "tasks",
      actor: desk.owner,
      ...(withKey && key !== undefined && { key: `${key}${part}` }),
    });
  let answer: TaskAnswer = await apply(true);
  // Some models count their calls anew: what was claimed then and is over is no answer to this one.
  if (op.op === "claim" && answer.ok && answer.duplicate && !(await isHeld(desk, answer.tasks)))
    answer = await apply(false);
  if (!answer.ok) return answer;
  for (const task of answer.tasks) {
    if (task.status === "claimed" && task.owner !== undefined && isMine(op, desk, task))
      remember(desk, task.id, { owner: task.owner, epoch: task.epoch });
    else if (task.status !== "claimed") desk.claims.delete(task.id);
  }
  return answer;
}

async function isHeld(desk: TaskDesk, tasks: readonly Task[]): Promise<boolean> {
  const store = await desk.store("reading");
  for (const { id, epoch } of tasks) {
    const now = await store.get(id);
    if (now?.status !== "claimed" || now.epoch !== epoch) return false;
  }
  return true;
}

/** What was given to another is not ours to write to. */
function isMine(op: TaskOp, desk: TaskDesk, { owner }: Task): boolean {
  return op.op === "claim" || owner === desk.owner;
}

export function remember({ claims }: TaskDesk, id: string, claim: Claim): void {
  claims.delete(id);
  claims.set(id, claim);
  const [oldest] = claims.keys();
  if (claims.size > MOST_CLAIMS && oldest !== undefined) claims.delete(oldest);
}

type Claim = TaskDesk["claims"] extends Map<string, infer C> ? C : never;
