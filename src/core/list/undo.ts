import type { Draft, Op, Patch, Todo, TodoTarget } from "../model.ts";
import { same } from "../values.ts";

/** The ops that restore the status of a todo after the user finished, reopened or dropped it. */
export function restoreOps(
  { status, blocker }: Pick<Todo, "status" | "blocker">,
  target: TodoTarget,
): readonly Op[] {
  switch (status) {
    case "pending":
      return [{ op: "reopen", target }];
    case "in_progress":
      return [
        { op: "reopen", target },
        { op: "start", target },
      ];
    case "blocked":
      return [
        { op: "reopen", target },
        { op: "block", target, ...(blocker !== undefined && { reason: blocker }) },
      ];
    case "completed":
      return [{ op: "finish", target }];
    case "cancelled":
      return [{ op: "drop", target }];
  }
}

/** Fields that an undo restores; ids and times stay as they are. */
const FIELDS = [
  "text",
  "activeText",
  "phase",
  "notes",
  "priority",
  "parent",
  "blockedBy",
  "blocker",
  "owner",
] as const satisfies readonly (keyof Patch & keyof Todo)[];

/**
 * The ops that take a user's change back: the list was `before`, is `after`. A removed todo is added again, with a new
 * id, at the end.
 */
export function revertOps(before: readonly Todo[], after: readonly Todo[]): readonly Op[] {
  const known = new Map(before.map((todo) => [todo.id, todo]));
  const left = new Set(after.map(({ id }) => id));
  const ops: Op[] = [];
  for (const todo of after) {
    const target = { ref: todo.ref ?? todo.id };
    const old = known.get(todo.id);
    if (!old) {
      ops.push({ op: "remove", target });
      continue;
    }
    if (old.status !== todo.status) ops.push(...restoreOps(old, target));
    const set = Object.fromEntries(
      FIELDS.flatMap((field) =>
        same(old[field], todo[field]) ? [] : [[field, old[field] ?? null]],
      ),
    );
    if (Object.keys(set).length > 0) ops.push({ op: "edit", target, set });
  }
  for (const { id: _, createdAt: __, ...todo } of before.filter(({ id }) => !left.has(id)))
    ops.push({ op: "add", todos: [draftOf(todo)] });
  const order = before.filter(({ id }) => left.has(id));
  const now = after.filter(({ id }) => known.has(id));
  if (order.some(({ id }, index) => now[index]?.id !== id))
    ops.push(
      ...order.map((todo, to): Op => ({ op: "move", target: { ref: todo.ref ?? todo.id }, to })),
    );
  return ops;
}

function draftOf(todo: Omit<Todo, "id" | "createdAt">): Draft {
  const { text, status, ref } = todo;
  const fields = FIELDS.flatMap((field) =>
    field === "text" || todo[field] === undefined ? [] : [[field, todo[field]]],
  );
  return { text, status, ...(ref !== undefined && { ref }), ...Object.fromEntries(fields) };
}

/** Whether the todos that a user changed are still as the change left them. */
export function isUntouched(
  before: readonly Todo[],
  after: readonly Todo[],
  now: readonly Todo[],
): boolean {
  const old = new Map(before.map((todo) => [todo.id, todo]));
  const current = new Map(now.map((todo) => [todo.id, todo]));
  const changed = after.filter((todo) => !same(old.get(todo.id), todo));
  const shown = ({ text, status, notes }: Todo) => ({ text, status, notes });
  return changed.every((todo) => {
    const there = current.get(todo.id);
    return there !== undefined && same(shown(there), shown(todo));
  });
}
