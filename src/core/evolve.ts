import { emptyGuide, guideAfterReminder, guideAfterWrite } from "./guide.ts";
import type { By, Change, Event, Patch, Todo, Track, TrackId, UnseenEdit } from "./model.ts";
import { trackAfter } from "./observe.ts";
import { planAfter, planTold } from "./plan.ts";

/** Changes whenever the same events would fold into another track: folded states are kept on disk. */
export const FOLD_VERSION = 2;

export function emptyTrack(id: TrackId): Track {
  return {
    session: id.session,
    agent: id.agent,
    version: 0,
    revision: 0,
    list: 1,
    todos: [],
    nextId: 1,
    mode: "work",
    unseen: [],
    unseenOrder: false,
    openedAt: 0,
    updatedAt: 0,
  };
}

export function foldEvents(id: TrackId, events: Iterable<Event>): Track {
  let track = emptyTrack(id);
  for (const event of events) track = evolve(track, event);
  return track;
}

/** Folds one event in. No judgement here: what the event says has happened. */
export function evolve(track: Track, event: Event): Track {
  let next: Track = {
    ...track,
    version: event.seq,
    revision: track.revision + (event.changes.some(touchesList) ? 1 : 0),
    openedAt: track.version === 0 ? event.at : track.openedAt,
    updatedAt: event.at,
  };
  if (next.guide && isWrite(event)) next = { ...next, guide: guideAfterWrite(next.guide) };
  for (const change of event.changes) next = applyChange(next, change, event);
  return next;
}

/** A completion that turns out to be backed leaves the list as it is. */
function touchesList({ type }: Change): boolean {
  return type !== "todo.verified" && (type.startsWith("todo.") || type.startsWith("list."));
}

/** The agent wrote its list, even if that changed nothing of it. */
function isWrite({ by, changes }: Event): boolean {
  if (by !== "agent" || changes.some(({ type }) => NO_WRITE.has(type))) return false;
  return changes.length === 0 || changes.some(({ type }) => type !== "edits.shown");
}

const NO_WRITE: ReadonlySet<Change["type"]> = new Set([
  "observed",
  "plan.drafted",
  "plan.proposed",
  "plan.commented",
  "plan.adopted",
]);

/** Folds one change of an event in. */
export function applyChange(
  track: Track,
  change: Change,
  { at, by }: Pick<Event, "at" | "by">,
): Track {
  switch (change.type) {
    case "track.opened": {
      const { type: _, ...origin } = change;
      return { ...track, ...origin };
    }
    case "list.started":
      return { ...track, list: change.list, todos: [], unseen: [], unseenOrder: false };
    case "list.reordered": {
      const places = new Map(change.order.map((id, place) => [id, place]));
      const place = (todo: Todo) => places.get(todo.id) ?? change.order.length;
      return {
        ...track,
        todos: track.todos.toSorted((a, b) => place(a) - place(b)),
        unseenOrder: track.unseenOrder || by === "user",
      };
    }
    case "todo.added": {
      const todo = enter({ ...change.todo, createdAt: at, movedBy: by }, at, by);
      return {
        ...track,
        todos: [...track.todos, todo],
        nextId: Math.max(track.nextId, Number(todo.id) + 1),
        unseen: by === "user" ? note(track, todo, { added: true }) : track.unseen,
      };
    }
    case "todo.removed": {
      const gone = track.todos.find((todo) => todo.id === change.id);
      if (!gone) return track;
      return {
        ...track,
        todos: track.todos.filter((todo) => todo !== gone),
        unseen: by === "user" ? noteRemoval(track, gone) : track.unseen,
      };
    }
    case "todo.moved":
      return update(track, change.id, by, { status: change.to }, (todo) =>
        enter({ ...todo, status: change.to }, at, by),
      );
    case "todo.edited":
      return update(track, change.id, by, { set: change.set }, (todo) => patch(todo, change.set));
    case "todo.noted":
      return update(track, change.id, by, { notes: [change.note] }, (todo) => ({
        ...todo,
        notes: [...(todo.notes ?? []), change.note],
      }));
    case "todo.evidenced":
      return update(track, change.id, by, {}, (todo) => ({
        ...todo,
        evidence: [...(todo.evidence ?? []), change.evidence],
      }));
    case "todo.verified":
      return {
        ...track,
        todos: track.todos.map((todo) =>
          todo.id === change.id ? { ...todo, check: change.check } : todo,
        ),
      };
    case "mode.changed":
      return { ...track, mode: change.mode };
    case "edits.shown":
      return {
        ...track,
        unseen: [],
        unseenOrder: false,
        ...(track.plan && { plan: planTold(track.plan) }),
      };
    case "observed":
      return trackAfter(track, change.observations);
    case "reminded":
      return {
        ...track,
        guide: guideAfterReminder(track.guide ?? emptyGuide(), change.kind, track),
      };
    case "plan.drafted":
    case "plan.proposed":
    case "plan.decided":
    case "plan.commented":
    case "plan.adopted":
      return { ...track, plan: planAfter(track.plan, change, { at, by }) };
    default:
      // An event of a newer program: what this one does not know, it leaves alone.
      change satisfies never;
      return track;
  }
}

/** Sets the times that go with the status. */
function enter(todo: Todo, at: number, by: By): Todo {
  const { finishedAt: _, check: __, ...open } = todo;
  switch (todo.status) {
    case "in_progress":
      return { ...open, startedAt: at, movedBy: by };
    case "completed":
    case "cancelled":
      return { ...open, finishedAt: at, movedBy: by };
    case "pending":
    case "blocked":
      return { ...open, movedBy: by };
  }
}

/** Sets the given fields; `null` takes a field away. */
export function patch<T extends object>(todo: T, set: Patch): T {
  const patched = { ...todo, ...set } as Record<string, unknown>;
  for (const [field, value] of Object.entries(set)) if (value === null) delete patched[field];
  return patched as T;
}

function update(
  track: Track,
  id: string,
  by: By,
  edit: Partial<UnseenEdit>,
  change: (todo: Todo) => Todo,
): Track {
  const todo = track.todos.find((known) => known.id === id);
  if (!todo) return track;
  return {
    ...track,
    todos: track.todos.map((known) => (known === todo ? change(known) : known)),
    unseen: by === "user" ? note(track, todo, edit) : track.unseen,
  };
}

/** Remembers what a person did to a todo until the agent was told. */
function note(track: Track, todo: Todo, edit: Partial<UnseenEdit>): readonly UnseenEdit[] {
  const former = track.unseen.find((unseen) => unseen.id === todo.id);
  const set = former?.set || edit.set ? { set: { ...former?.set, ...edit.set } } : {};
  const notes = edit.notes ? { notes: [...(former?.notes ?? []), ...edit.notes] } : {};
  const { status, ...merged }: UnseenEdit = {
    id: todo.id,
    knownText: todo.text,
    knownStatus: todo.status,
    ...former,
    ...edit,
    ...set,
    ...notes,
  };
  const others = track.unseen.filter((unseen) => unseen !== former);
  // Back to the status that the agent knows: there is nothing to tell of it.
  if (status !== undefined && status !== merged.knownStatus)
    return [...others, { ...merged, status }];
  return merged.added || merged.set || merged.notes ? [...others, merged] : others;
}

function noteRemoval(track: Track, gone: Todo): readonly UnseenEdit[] {
  const former = track.unseen.find((unseen) => unseen.id === gone.id);
  const others = track.unseen.filter((unseen) => unseen !== former);
  // Added and removed before the agent saw it: for the agent it never was.
  if (former?.added) return others;
  return [
    ...others,
    {
      id: gone.id,
      knownText: former?.knownText ?? gone.text,
      knownStatus: former?.knownStatus ?? gone.status,
      removed: gone,
    },
  ];
}
