import type { Op, Status, Todo, TodoTarget, Track } from "../model.ts";
import { same } from "../values.ts";
import type { EditBase } from "../wire.ts";
import { findTargets } from "./target.ts";

/** A todo that changed while the user was editing it. */
export interface Conflict {
  /** The todo as the user saw it. */
  readonly yours: Partial<Todo>;
  /** The todo as it is now. */
  readonly theirs: Todo;
}

/** The first todo of which an op would overwrite a concurrent change. */
export function conflictOf(
  { todos }: Pick<Track, "todos">,
  ops: readonly Op[],
  base: EditBase,
): Conflict | undefined {
  for (const op of ops) {
    if (!("target" in op)) continue;
    const found = findTargets(todos, op.target satisfies TodoTarget, {});
    if (!found.ok) continue;
    for (const theirs of found.todos) {
      const yours = base[theirs.id];
      if (yours && clashes(op, yours, theirs)) return { yours, theirs };
    }
  }
  return undefined;
}

/** Whether an op overwrites a concurrent change. Equal changes do not conflict. */
function clashes(op: Op, yours: Partial<Todo>, theirs: Todo): boolean {
  switch (op.op) {
    case "edit":
      return Object.entries(op.set).some(([name, wanted]) => {
        const field = name as keyof Todo;
        const now = theirs[field];
        return !same(now ?? null, yours[field] ?? null) && !same(now ?? null, wanted ?? null);
      });
    case "remove":
      return theirs.text !== yours.text || theirs.status !== yours.status;
    case "note":
    case "move":
      return false;
    default: {
      const wanted = RESULTING_STATUS[op.op];
      return theirs.status !== yours.status && theirs.status !== wanted;
    }
  }
}

const RESULTING_STATUS: Readonly<Record<string, Status>> = {
  start: "in_progress",
  finish: "completed",
  drop: "cancelled",
  reopen: "pending",
  block: "blocked",
  unblock: "pending",
};
