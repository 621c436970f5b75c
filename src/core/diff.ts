import type { AddedTodo, Change, Patch, Todo, Track } from "./model.ts";

const FIELDS = [
  "text",
  "activeText",
  "rawStatus",
  "phase",
  "priority",
  "parent",
  "blockedBy",
  "blocker",
  "owner",
  "ref",
  "evidence",
] as const;

type Wanted = Pick<Track, "list" | "todos" | "mode">;

/** The changes that lead from a track to the wanted list. */
export function diff(track: Track, wanted: Wanted): Change[] {
  const changes: Change[] = [];
  const restarted = wanted.list !== track.list;
  if (restarted) changes.push({ type: "list.started", list: wanted.list });
  const before = new Map(restarted ? [] : track.todos.map((todo) => [todo.id, todo]));
  const kept = new Set(wanted.todos.map((todo) => todo.id));

  for (const id of before.keys()) if (!kept.has(id)) changes.push({ type: "todo.removed", id });
  for (const todo of wanted.todos) {
    const known = before.get(todo.id);
    if (known) changes.push(...changesOf(known, todo));
    else changes.push({ type: "todo.added", todo: added(todo) });
  }

  const order = wanted.todos.map((todo) => todo.id);
  const folded = [
    ...[...before.keys()].filter((id) => kept.has(id)),
    ...order.filter((id) => !before.has(id)),
  ];
  if (!same(order, folded)) changes.push({ type: "list.reordered", order });
  if (wanted.mode !== track.mode) changes.push({ type: "mode.changed", mode: wanted.mode });
  return changes;
}

function added(todo: Todo): AddedTodo {
  const { createdAt: _, startedAt: __, finishedAt: ___, movedBy: ____, ...rest } = todo;
  return rest;
}

function changesOf(known: Todo, wanted: Todo): Change[] {
  if (known === wanted) return [];
  const changes: Change[] = [];
  const set: Record<string, unknown> = {};
  const was: Record<string, unknown> = {};
  const note = (field: (typeof FIELDS)[number] | "notes") => {
    set[field] = wanted[field] ?? null;
    was[field] = known[field] ?? null;
  };
  for (const field of FIELDS) if (!same(known[field], wanted[field])) note(field);

  const [oldNotes, newNotes] = [known.notes ?? [], wanted.notes ?? []];
  const appended = same(newNotes.slice(0, oldNotes.length), oldNotes);
  if (!appended) note("notes");
  if (Object.keys(set).length > 0)
    changes.push({ type: "todo.edited", id: known.id, set: set as Patch, was: was as Patch });
  if (appended)
    for (const text of newNotes.slice(oldNotes.length))
      changes.push({ type: "todo.noted", id: known.id, note: text });
  if (known.status !== wanted.status)
    changes.push({ type: "todo.moved", id: known.id, from: known.status, to: wanted.status });
  return changes;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
