import type { Task, TaskEvent, TaskOp } from "../../../src/tasks/model.ts";
import type { Database } from "../stores/database.ts";
import { Violation } from "../world.ts";

interface Ownership {
  readonly status: "open" | "claimed" | "closed";
  readonly owner?: string | undefined;
  readonly epoch: number;
  readonly until: number;
  readonly blockedBy: readonly string[];
}

const NEW: Ownership = { status: "open", epoch: 0, until: 0, blockedBy: [] };
const NEXT: Readonly<Partial<Record<TaskEvent["type"], Ownership["status"]>>> = {
  claimed: "claimed",
  assigned: "claimed",
  released: "open",
  retried: "open",
  reopened: "open",
  done: "closed",
  failed: "closed",
  cancelled: "closed",
};

/**
 * Says again, in its own words, who owns each task: a task has one owner at a time, its epoch grows with every claim, and
 * an owner writes only with the epoch of the claim it has.
 *
 * @param calls the ops that were sent, by key
 */
export function checkOwnership(
  { taskLog }: Database,
  calls: ReadonlyMap<string, { readonly op: TaskOp }>,
): () => void {
  const tasks = new Map<string, Ownership>();
  let checked = 0;
  const isDone = (id: string) => taskLog.some(({ task, type }) => task === id && type === "done");

  function check(event: TaskEvent): void {
    const { task: id, type, at, set, key } = event;
    const before = tasks.get(id) ?? NEW;
    const op = key === undefined ? undefined : calls.get(key)?.op;
    const wrong = (what: string): never => {
      throw new Violation(
        `${what}: ${type} ${id} at ${at} with ${key}; before it was ${JSON.stringify(before)}.`,
      );
    };
    if (type === "claimed") {
      if (before.status === "closed") wrong("A closed task was claimed");
      if (before.status === "claimed" && before.until > at)
        wrong("A task with an owner was claimed");
      if (set.epoch !== before.epoch + 1) wrong("A claim did not count as one");
      if (op && "owner" in op && op.owner !== set.owner)
        wrong("A task was claimed for another owner");
      if (!before.blockedBy.every(isDone)) wrong("A blocked task was claimed");
    } else if (op && "held" in op) {
      const claim = op.held.find((each) => each.id === id);
      if (claim?.epoch !== before.epoch) wrong("A write with another epoch was accepted");
      if (before.owner !== op.owner) wrong("A write of a former owner was accepted");
      if (before.status === "closed") wrong("A closed task was changed by its owner");
    }
    tasks.set(id, after(before, event));
  }
  return () => {
    for (; checked < taskLog.length; checked++) check(taskLog[checked] as TaskEvent);
  };
}

function after(before: Ownership, { type, set }: TaskEvent): Ownership {
  const status = NEXT[type] ?? before.status;
  const { owner, epoch, leaseUntil, blockedBy }: Partial<Record<keyof Task, unknown>> = set;
  return {
    status,
    owner: status === "open" ? undefined : ((owner as string | null | undefined) ?? before.owner),
    epoch: (epoch as number | undefined) ?? before.epoch,
    until: (leaseUntil as number | null | undefined) ?? before.until,
    blockedBy: (blockedBy as readonly string[] | undefined) ?? before.blockedBy,
  };
}
