import type { Task } from "../../../tasks/model.ts";
import { byHand, doneByHand } from "../../../tasks/rules/by-hand.ts";
import type { PersonTaskOp } from "../../../tasks/wire.ts";
import { Refused, sendTask } from "../connection/api.ts";
import type { App } from "../state/app-context.ts";
import { later, takeBack } from "../state/later.ts";

/** Why something cannot be, in words. */
export interface Problem {
  readonly problem: string;
  /** Somebody else changed what the person wanted to change. */
  readonly isConflict: boolean;
}

type Tried = Problem | { readonly task: Task | undefined };

function subjectOf(id: string): string {
  return `task:${id}`;
}

/** The tasks whose holder or state an op changes. */
function decidedBy(op: PersonTaskOp): readonly string[] {
  if (op.op === "add" || op.op === "edit") return [];
  return "held" in op ? op.held.map(({ id }) => id) : [op.id];
}

export async function send(app: App, op: PersonTaskOp): Promise<Tried> {
  for (const id of decidedBy(op)) takeBack(subjectOf(id));
  try {
    const [task] = await app.store.tasks.send(op);
    return { task };
  } catch (error) {
    const isConflict = error instanceof Refused && error.code === "conflict";
    return { problem: (error as Error).message, isConflict };
  }
}

/** Sends what a person wants of a task; answers why it cannot be. */
export async function tryOn(app: App, op: PersonTaskOp): Promise<string | undefined> {
  const tried = await send(app, op);
  return "problem" in tried ? tried.problem : undefined;
}

/** The same, and what came of it is said to them; most edits are seen where they are made. */
export async function actOn(app: App, op: PersonTaskOp, undo?: () => void): Promise<boolean> {
  const tried = await send(app, op);
  if ("problem" in tried) app.tell({ text: tried.problem, isProblem: true });
  else if (tried.task && (op.op !== "edit" || undo))
    app.tell({ text: doneByHand(op, tried.task), ...(undo && { undo }) });
  return !("problem" in tried);
}

export async function drop(app: App, task: Task): Promise<void> {
  const op = byHand.cancel(task);
  if (task.status === "claimed")
    actLater(app, task, op, `${task.id} is dropped, and ${task.owner} loses it.`);
  else await actOn(app, op, () => void actOn(app, byHand.reopen(task)));
}

export function reopen(app: App, task: Task): Promise<boolean> {
  return actOn(app, byHand.reopen(task));
}

export function release(app: App, task: Task): Promise<boolean> {
  return actOn(app, byHand.release(task));
}

export function giveLonger(app: App, task: Task): Promise<boolean> {
  return actOn(app, byHand.renew(task));
}

export async function handOver(app: App, task: Task, owner: string): Promise<string | undefined> {
  const op = byHand.handOver(task, owner);
  if (task.status !== "claimed") return tryOn(app, op);
  actLater(app, task, op, `${task.id} goes to ${owner}.`);
  return undefined;
}

/** Who works on it loses it at once, so it can be taken back for a while before it is sent. */
function actLater(app: App, { id }: Task, op: PersonTaskOp, said: string): void {
  later(app, {
    subject: subjectOf(id),
    said,
    async send(isLeaving) {
      if (isLeaving) await sendTask(op, true);
      else await actOn(app, op);
    },
  });
}

export function setPriority(app: App, task: Task, priority: Task["priority"]): void {
  void actOn(app, byHand.setPriority(task, priority));
}
