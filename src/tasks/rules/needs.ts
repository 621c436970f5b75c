import { type QueueState, type Task, type TaskOp, taskId, taskNumber } from "../model.ts";
import type { Edges } from "./graph.ts";

/** The data that deciding an op needs. */
export interface Needs {
  /** Ids, or refs of existing tasks. */
  readonly names: readonly string[];
  /** Refs of the tasks to add. */
  readonly refs: readonly string[];
  /** The op may add edges, so no other process may add any until it is decided. */
  readonly edges: boolean;
  /** Needs the blockers of the named tasks. */
  readonly blockers: boolean;
}

/** The data that an op is decided with: tasks as stored, without expiry. */
export interface Slice {
  readonly now: number;
  readonly queue: QueueState;
  readonly byId: ReadonlyMap<string, Task>;
  readonly byRef: ReadonlyMap<string, Task>;
  /** Blockers of every task reachable from the named ones; only if edges are needed. */
  readonly blockers: Edges;
  /** The same for parents. */
  readonly parents: Edges;
  /** The numbers of the tasks to add. */
  readonly numberAt: (place: number) => number;
}

/** An id in canonical form; other names unchanged. */
export function canonical(name: string): string {
  const number = taskNumber(name);
  return number === undefined ? name : taskId(number);
}

export function needsOf(op: TaskOp): Needs {
  const none = { names: [], refs: [], edges: false, blockers: false };
  switch (op.op) {
    case "add": {
      const refs = op.tasks.flatMap(({ ref }) => ref ?? []);
      const own = new Set([...refs, ...op.tasks.flatMap(({ name }) => name ?? [])]);
      const names = op.tasks.flatMap(({ parent, blockedBy = [] }) =>
        parent === undefined ? blockedBy : [parent, ...blockedBy],
      );
      const others = [...new Set(names)].filter((name) => !own.has(name));
      return { ...none, names: others, refs, edges: names.length > 0 };
    }
    case "claim":
      return op.id === undefined ? none : { ...none, names: [op.id], blockers: true };
    case "finish":
      return { ...none, names: op.held.map(({ id }) => id), blockers: true };
    case "renew":
    case "release":
    case "fail":
      return { ...none, names: op.held.map(({ id }) => id) };
    case "edit": {
      const { parent, addBlockedBy = [], addBlocks = [], removeBlockedBy = [] } = op.set;
      const added = [...(parent == null ? [] : [parent]), ...addBlockedBy, ...addBlocks];
      // A finish at the same moment counts down its blocked tasks, so it must see whether this edge
      // exists.
      return { ...none, names: [op.id, ...added, ...removeBlockedBy], edges: added.length > 0 };
    }
    case "assign":
      return { ...none, names: [op.id], blockers: true };
    case "cancel":
    case "reopen":
      return { ...none, names: [op.id] };
  }
}
