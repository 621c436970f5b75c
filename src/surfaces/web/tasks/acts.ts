import type { Task } from "../../../tasks/model.ts";
import type { PageTaskOp } from "../../../tasks/wire.ts";
import { sendTask } from "../api.ts";
import type { App } from "../app-context.ts";
import { later } from "../later.ts";

export function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}

/** Sends what a person wants of a task; answers why it cannot be. */
export async function tryOn(app: App, op: PageTaskOp): Promise<string | undefined> {
  try {
    app.store.tasks.take(await sendTask(op));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The same, and what came of it is said to them. */
export async function actOn(
  app: App,
  op: PageTaskOp,
  said?: { readonly text: string; readonly undo?: () => void },
): Promise<boolean> {
  const problem = await tryOn(app, op);
  if (problem !== undefined) app.tell({ text: problem, isProblem: true });
  else if (said) app.tell(said);
  return problem === undefined;
}

export function drop(app: App, { id }: Task, reason = ""): Promise<boolean> {
  return actOn(
    app,
    { op: "cancel", id, ...(reason !== "" && { reason }) },
    { text: `Dropped ${id}.`, undo: () => void actOn(app, { op: "reopen", id }) },
  );
}

export function reopen(app: App, { id }: Task): Promise<boolean> {
  return actOn(app, { op: "reopen", id }, { text: `${id} is open again.` });
}

/** As the holder would, with the claim that the person saw: a newer one is not touched. */
export function release(app: App, { id, owner = "", epoch }: Task): Promise<boolean> {
  return actOn(
    app,
    { op: "release", owner, held: [{ id, epoch }] },
    { text: `${id} is free. ${owner} is refused when it writes to it.` },
  );
}

export function giveLonger(app: App, { id, owner = "", epoch }: Task): Promise<boolean> {
  return actOn(
    app,
    { op: "renew", owner, held: [{ id, epoch }] },
    { text: `${owner} keeps ${id} for another while.` },
  );
}

/** Who works on it loses it at once, so it can be taken back for a while before it is sent. */
export async function handOver(
  app: App,
  { id, status }: Task,
  owner: string,
): Promise<string | undefined> {
  const op: PageTaskOp = { op: "assign", id, owner };
  if (status !== "claimed") return tryOn(app, op);
  later(app, `${id} goes to ${owner}.`, async (isLeaving) => {
    if (isLeaving) await sendTask(op, true);
    else await actOn(app, op, { text: `${owner} has ${id} now.` });
  });
  return undefined;
}

export function setPriority(app: App, { id }: Task, priority: Task["priority"]): void {
  void actOn(app, { op: "edit", id, set: { priority } });
}
