import type { Live } from "../core/live.ts";
import type { Todo, Track } from "../core/model.ts";

/**
 * A session file tells the steps of one agent. Where subagents work on the same list, only the
 * documents have all of it: what the file does not know is added, and what is newer counts.
 */
export function withDocument(live: Live, document: Track): Live {
  const { track } = live;
  const theirs = new Map(document.todos.flatMap((todo) => (todo.ref ? [[todo.ref, todo]] : [])));
  if (!live.stepwise || theirs.size < document.todos.length) return live;
  const ours = new Map(track.todos.flatMap((todo) => (todo.ref ? [[todo.ref, todo.id]] : [])));
  const isNewer = document.updatedAt >= track.updatedAt;
  const kept = track.todos.map((todo) => {
    const other = todo.ref === undefined ? undefined : theirs.get(todo.ref);
    return other && isNewer && other.status !== todo.status ? withStatus(todo, other) : todo;
  });
  const missing = document.todos.filter(({ ref = "" }) => !ours.has(ref));
  for (const [place, { ref = "" }] of missing.entries())
    ours.set(ref, String(track.nextId + place));
  /** The id of a todo of the document in the list of the file. */
  const idOf = (id: string): string => {
    const ref = document.todos.find((todo) => todo.id === id)?.ref ?? id;
    return ours.get(ref) ?? ref;
  };
  const added = missing.map(
    ({ ref = "", blockedBy, ...todo }): Todo => ({
      ...todo,
      ref,
      id: idOf(todo.id),
      ...(blockedBy && { blockedBy: blockedBy.map(idOf) }),
    }),
  );
  return {
    ...live,
    track: {
      ...track,
      todos: [...kept, ...added],
      nextId: track.nextId + added.length,
      updatedAt: Math.max(track.updatedAt, document.updatedAt),
    },
  };
}

function withStatus(todo: Todo, { status, rawStatus, startedAt, finishedAt, movedBy }: Todo): Todo {
  const { rawStatus: _, finishedAt: __, startedAt: began = startedAt, ...rest } = todo;
  return {
    ...rest,
    status,
    movedBy,
    ...(rawStatus !== undefined && { rawStatus }),
    ...(began !== undefined && { startedAt: began }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}
