import type { AddedTodo, Change, Patch, Todo, Track } from "../model.ts";
import { same } from "../values.ts";

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
  "planStep",
  "sentText",
  "sentPhase",
  "task",
] as const;

type Wanted = Pick<Track, "list" | "todos" | "mode">;

/** The changes that turn a track into the wanted list. */
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
  const {
    createdAt: _,
    startedAt: __,
    finishedAt: ___,
    movedBy: ____,
    check: _____,
    addedBy: ______,
    ...rest
  } = todo;
  return rest;
}

function changesOf(known: Todo, wanted: Todo): Change[] {
  if (known === wanted) return [];
  const changes: Change[] = [];
  const set: Record<string, unknown> = {};
  const was: Record<string, unknown> = {};
  const note = (field: (typeof FIELDS)[number] | "notes" | "evidence") => {
    set[field] = wanted[field] ?? null;
    was[field] = known[field] ?? null;
  };
  for (const field of FIELDS) if (!same(known[field], wanted[field])) note(field);
  const notes = appended(known.notes, wanted.notes);
  const evidence = appended(known.evidence, wanted.evidence);
  if (!notes) note("notes");
  if (!evidence) note("evidence");
  if (Object.keys(set).length > 0)
    changes.push({ type: "todo.edited", id: known.id, set: set as Patch, was: was as Patch });
  for (const text of notes ?? []) changes.push({ type: "todo.noted", id: known.id, note: text });
  for (const text of evidence ?? [])
    changes.push({ type: "todo.evidenced", id: known.id, evidence: text });
  if (known.status !== wanted.status)
    changes.push({ type: "todo.moved", id: known.id, from: known.status, to: wanted.status });
  return changes;
}

/** The appended entries; undefined if the known ones changed. */
function appended(
  known: readonly string[] = [],
  wanted: readonly string[] = [],
): readonly string[] | undefined {
  return same(wanted.slice(0, known.length), known) ? wanted.slice(known.length) : undefined;
}
