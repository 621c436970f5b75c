import { type Task, type TaskOp, taskId, taskNumber } from "../model.ts";
import type { Edges } from "./graph.ts";

/** What has to be known before an op can be judged. */
export interface Needs {
  /** Ids, or refs of tasks that are there. */
  readonly names: readonly string[];
  /** Refs that new tasks come with. */
  readonly refs: readonly string[];
  /** The graph may get new edges: nobody else may add any meanwhile. */
  readonly edges: boolean;
  /** The blockers of the named tasks count. */
  readonly blockers: boolean;
}

/** What is known when an op is judged: tasks as they are on paper. */
export interface Slice {
  readonly now: number;
  readonly byId: ReadonlyMap<string, Task>;
  readonly byRef: ReadonlyMap<string, Task>;
  /** Blockers of everything that can be reached from the named tasks; when edges are needed. */
  readonly blockers: Edges;
  /** The same for parents. */
  readonly parents: Edges;
  /** The numbers that new tasks get. */
  readonly numberAt: (place: number) => number;
}

/** An id as the store spells it; what is no id stays as it is. */
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
    case "renew":
    case "release":
    case "finish":
    case "fail":
      return { ...none, names: op.held.map(({ id }) => id) };
    case "edit": {
      const { parent, addBlockedBy = [], addBlocks = [], removeBlockedBy = [] } = op.set;
      const added = [...(parent == null ? [] : [parent]), ...addBlockedBy, ...addBlocks];
      // Whoever finishes a blocker at this moment counts it off, and must know whether it still is one.
      return { ...none, names: [op.id, ...added, ...removeBlockedBy], edges: added.length > 0 };
    }
    case "assign":
      return { ...none, names: [op.id], blockers: true };
    case "cancel":
    case "reopen":
      return { ...none, names: [op.id] };
  }
}
