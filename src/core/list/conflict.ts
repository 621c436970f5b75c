import type { Op, Status, Target, Todo, Track } from "../model.ts";
import { same } from "../values.ts";
import type { Base } from "../wire.ts";
import { findTargets } from "./target.ts";

/** A todo that is not any more what somebody knew when they began to change it. */
export interface Conflict {
  readonly yours: Partial<Todo>;
  readonly theirs: Todo;
}

/** The first todo that an op would change in a field that somebody else changed meanwhile. */
export function conflictOf(
  { todos }: Pick<Track, "todos">,
  ops: readonly Op[],
  base: Base,
): Conflict | undefined {
  for (const op of ops) {
    if (!("target" in op)) continue;
    const found = findTargets(todos, op.target satisfies Target, {});
    if (!found.ok) continue;
    for (const theirs of found.todos) {
      const yours = base[theirs.id];
      if (yours && clashes(op, yours, theirs)) return { yours, theirs };
    }
  }
  return undefined;
}

/** Nobody minds whoever wanted the same. */
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
      const wanted = WANTED[op.op];
      return theirs.status !== yours.status && theirs.status !== wanted;
    }
  }
}

const WANTED: Readonly<Record<string, Status>> = {
  start: "in_progress",
  finish: "completed",
  drop: "cancelled",
  reopen: "pending",
  block: "blocked",
  unblock: "pending",
};
