import { phaseIn } from "../files/fields.ts";
import type { SharedFields } from "../files/merge.ts";
import { editOp, moveOp } from "../files/ops.ts";
import type { Task, TaskOp, TaskRefusal, TaskSender } from "../model.ts";
import { openBlockers } from "../rules/decide.ts";
import { taskAt } from "../rules/task-at.ts";
import type { TaskStore } from "../store.ts";

/** The tasks of a store, as they were when a sync began and as its ops left them. */
export interface TaskTable {
  readonly now: number;
  readonly byId: Map<string, Task>;
}

export async function readTasks(store: TaskStore): Promise<TaskTable> {
  const [now, tasks] = [await store.now(), await store.list()];
  return { now, byId: new Map(tasks.map((task) => [task.id, taskAt(task, now)])) };
}

export const SENDER = { by: "user", via: "files" } as const satisfies TaskSender;

/** A change of a task that follows from its file. */
export interface TaskChange {
  readonly id: string;
  readonly from: SharedFields;
  readonly to: SharedFields;
}

/** Applies an op and keeps its result in the table. Returns why it was refused. */
export async function send(
  store: TaskStore,
  table: TaskTable,
  op: TaskOp,
): Promise<TaskRefusal | undefined> {
  const answer = await store.apply(op, SENDER);
  if (!answer.ok) return answer.refused;
  for (const task of answer.tasks) table.byId.set(task.id, taskAt(task, table.now));
  return undefined;
}

/** Why a task was not changed, by id. Only the rules of the store decide. */
export type Refused = ReadonlyMap<string, string>;

/**
 * Changes tasks as their files say. Moves are repeated while any succeeds: a task may be finished in
 * the same sync as its blocker.
 */
export async function changeTasks(
  store: TaskStore,
  table: TaskTable,
  changes: readonly TaskChange[],
): Promise<{ readonly changed: ReadonlySet<string>; readonly refused: Refused }> {
  const changed = new Set<string>();
  const refused = new Map<string, string>();
  const apply = async (id: string, op: TaskOp): Promise<boolean> => {
    const why = await send(store, table, op);
    if (why) refused.set(id, why.short ?? why.message);
    else changed.add(id);
    return why === undefined;
  };
  for (const { id, from, to } of changes) {
    const task = table.byId.get(id);
    const op = task && editOp(task, from, to);
    if (op) await apply(id, op);
  }
  const edits = new Map(refused);
  let left = changes.filter(({ from, to }) => from.texts.state !== to.texts.state);
  for (let isMoving = true; isMoving && left.length > 0; ) {
    isMoving = false;
    const waiting: TaskChange[] = [];
    for (const change of left) {
      const end = await moveOne(table, change, apply, refused, edits);
      if (end === "moved") isMoving = true;
      else waiting.push(change);
    }
    left = waiting;
  }
  return { changed, refused };
}

/** A reopened task may have to be claimed or finished, too. */
const MOST_MOVES = 4;

async function moveOne(
  table: TaskTable,
  { id, from, to }: TaskChange,
  apply: (id: string, op: TaskOp) => Promise<boolean>,
  refused: Map<string, string>,
  edits: Refused,
): Promise<"moved" | "refused"> {
  const before = edits.get(id);
  if (before === undefined) refused.delete(id);
  for (let move = 0; move < MOST_MOVES; move++) {
    const task = table.byId.get(id);
    if (!task) return "moved";
    const waits = openBlockers(task, table.byId);
    if (phaseIn(to.texts.state) === "done" && task.status !== "done" && waits.length > 0) {
      // Only a person who names the task skips its blockers: `waymark task done --force`.
      refused.set(id, `${id} is blocked by ${waits.join(", ")}.`);
      return "refused";
    }
    const op = moveOp(task, from.texts.state, to.texts.state);
    if (!op) return "moved";
    if (!(await apply(id, op))) return "refused";
  }
  return "moved";
}
