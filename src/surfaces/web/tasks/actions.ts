import type { Task } from "../../../tasks/model.ts";
import { userOpResult, userOps } from "../../../tasks/rules/user-ops.ts";
import type { QueueRequest, UserTaskOp } from "../../../tasks/wire.ts";
import { Refused, sendQueue, sendTask } from "../connection/api.ts";
import type { App } from "../state/app-context.ts";
import { cancelPending, sendAfterUndo } from "../state/undo.ts";

/** A refused change. */
export interface Problem {
  readonly problem: string;
  /** The task was changed concurrently. */
  readonly isConflict: boolean;
}

type SendResult = Problem | { readonly task: Task | undefined };

function subjectOf(id: string): string {
  return `task:${id}`;
}

/** The tasks whose owner or state an op changes. */
function affectedTasks(op: UserTaskOp): readonly string[] {
  if (op.op === "add" || op.op === "edit") return [];
  return "held" in op ? op.held.map(({ id }) => id) : [op.id];
}

export async function send(app: App, op: UserTaskOp): Promise<SendResult> {
  for (const id of affectedTasks(op)) cancelPending(subjectOf(id));
  try {
    const [task] = await app.store.tasks.send(op);
    return { task };
  } catch (error) {
    const isConflict = error instanceof Refused && error.code === "conflict";
    return { problem: (error as Error).message, isConflict };
  }
}

/** Sends an op; returns the reason if it was refused. */
export async function sendOrProblem(app: App, op: UserTaskOp): Promise<string | undefined> {
  const tried = await send(app, op);
  return "problem" in tried ? tried.problem : undefined;
}

/** Sends an op and shows the result as a toast, except for edits, which are visible in place. */
export async function sendAndNotify(app: App, op: UserTaskOp, undo?: () => void): Promise<boolean> {
  const tried = await send(app, op);
  if ("problem" in tried) app.notify({ text: tried.problem, isProblem: true });
  else if (tried.task && (op.op !== "edit" || undo))
    app.notify({ text: userOpResult(op, tried.task), ...(undo && { undo }) });
  return !("problem" in tried);
}

export async function cancelTask(app: App, task: Task): Promise<void> {
  const op = userOps.cancel(task);
  if (task.status === "claimed")
    sendLater(app, task, op, `Cancelled ${task.id}. ${task.owner} can no longer update it.`);
  else await sendAndNotify(app, op, () => void sendAndNotify(app, userOps.reopen(task)));
}

export function reopen(app: App, task: Task): Promise<boolean> {
  return sendAndNotify(app, userOps.reopen(task));
}

/** Nothing takes a retry back once an agent may claim the task, so it is sent after the undo period. */
export function retry(app: App, task: Task): void {
  sendLater(app, task, userOps.reopen(task), `Retrying ${task.id}.`);
}

/** Pauses the queue, or resumes it. Undo brings the former reason back. */
export async function pauseQueue(app: App, request: QueueRequest): Promise<void> {
  const { reason } = app.store.get().tasks.queue.paused ?? {};
  try {
    await sendQueue(request);
  } catch (error) {
    app.notify({ text: (error as Error).message, isProblem: true });
    return;
  }
  const undo: QueueRequest = {
    paused: !request.paused,
    ...(!request.paused && reason !== undefined && { reason }),
  };
  app.notify({
    text: request.paused ? "Paused the queue." : "Resumed the queue.",
    undo: () => void pauseQueue(app, undo),
  });
}

export function release(app: App, task: Task): Promise<boolean> {
  return sendAndNotify(app, userOps.release(task));
}

export function extendLease(app: App, task: Task): Promise<boolean> {
  return sendAndNotify(app, userOps.renew(task));
}

export async function assign(app: App, task: Task, owner: string): Promise<string | undefined> {
  const op = userOps.handOver(task, owner);
  if (task.status !== "claimed") return sendOrProblem(app, op);
  sendLater(app, task, op, `Assigned ${task.id} to ${owner}.`);
  return undefined;
}

/** Sent after the undo period: once sent, the current owner loses the task. */
function sendLater(app: App, { id }: Task, op: UserTaskOp, message: string): void {
  sendAfterUndo(app, {
    subject: subjectOf(id),
    message,
    async send(isLeaving) {
      if (isLeaving) await sendTask(op, true);
      else await sendAndNotify(app, op);
    },
  });
}

export function setPriority(app: App, task: Task, priority: Task["priority"]): void {
  void sendAndNotify(app, userOps.setPriority(task, priority));
}
