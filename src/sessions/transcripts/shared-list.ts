import type { Todo, Track } from "../../core/model.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import type { FoundSource } from "./discover.ts";

/** Whether a source has the present list of one session, and none of its activity. */
export function hasOnlyList({ kind, session }: Pick<FoundSource, "kind" | "session">): boolean {
  return kind === "document" || (kind === "sqlite" && session !== undefined);
}

/**
 * Completes the list of a session file with the database of the same list. The file has the times of the changes, but its
 * calls may not show their effect. The list of the file counts if it is the same as in the database, or newer.
 */
export function withDatabase(live: LiveTrack, database: Track): LiveTrack {
  const { track } = live;
  const isOlder = track.todos.some((todo) => movedAt(todo) > database.updatedAt);
  if (isOlder || isSame(track.todos, database.todos)) return live;
  const { todos, nextId, updatedAt } = database;
  return {
    ...live,
    track: { ...track, todos, nextId, updatedAt: Math.max(track.updatedAt, updatedAt) },
  };
}

function isSame(ours: readonly Todo[], theirs: readonly Todo[]): boolean {
  const refs = (todos: readonly Todo[]) => new Map(todos.map(({ id, ref }) => [id, ref ?? id]));
  const [ourRefs, theirRefs] = [refs(ours), refs(theirs)];
  const blockers = ({ blockedBy = [] }: Todo, of: ReadonlyMap<string, string>) =>
    blockedBy.map((id) => of.get(id) ?? id).join("\n");
  return (
    ours.length === theirs.length &&
    ours.every((todo, index) => {
      const other = theirs[index];
      return (
        other !== undefined &&
        (todo.ref ?? todo.text) === (other.ref ?? other.text) &&
        todo.text === other.text &&
        todo.status === other.status &&
        blockers(todo, ourRefs) === blockers(other, theirRefs)
      );
    })
  );
}

/**
 * Merges the list of a session file with the documents of the same list. A session file has the
 * steps of one agent; where subagents work on the list too, only the documents have all of it. Todos
 * that the file does not have are added, and a status counts if it is newer.
 */
export function withDocument(live: LiveTrack, document: Track): LiveTrack {
  const { track } = live;
  const theirs = new Map(document.todos.flatMap((todo) => (todo.ref ? [[todo.ref, todo]] : [])));
  if (!live.stepwise || theirs.size < document.todos.length) return live;
  const ours = new Map(track.todos.flatMap((todo) => (todo.ref ? [[todo.ref, todo.id]] : [])));
  const isNewer = (todo: Todo): boolean => document.updatedAt >= movedAt(todo);
  const kept = track.todos.map((todo) => {
    const other = todo.ref === undefined ? undefined : theirs.get(todo.ref);
    return other && isNewer(todo) && other.status !== todo.status ? withStatus(todo, other) : todo;
  });
  const missing = document.todos.filter(({ ref = "" }) => !ours.has(ref));
  for (const [index, { ref = "" }] of missing.entries())
    ours.set(ref, String(track.nextId + index));
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
      todos: inOrder([...kept, ...added]),
      nextId: track.nextId + added.length,
      updatedAt: Math.max(track.updatedAt, document.updatedAt),
    },
  };
}

/** When the session file last changed the status. */
function movedAt({ createdAt, startedAt = createdAt, finishedAt = createdAt }: Todo): number {
  return Math.max(createdAt, startedAt, finishedAt);
}

/** Sorts numbered tasks by number, as the agent lists them. */
function inOrder(todos: readonly Todo[]): readonly Todo[] {
  const numberOf = ({ ref }: Todo): number => Number(ref ?? Number.NaN);
  if (todos.some((todo) => Number.isNaN(numberOf(todo)))) return todos;
  return todos.toSorted((a, b) => numberOf(a) - numberOf(b));
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
