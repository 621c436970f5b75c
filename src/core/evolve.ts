import { trackAfter } from "./activity/observe.ts";
import { emptyGuide, guideAfterReminder, guideAfterWrite } from "./guidance/counters.ts";
import { refusalLine } from "./guidance/refusal.ts";
import type { By, Change, Event, Patch, Todo, Track, TrackId, UnseenEdit } from "./model.ts";
import { planAfter, planTold } from "./plan/plan.ts";
import type { Writable } from "./writable.ts";

/** Changes whenever the same events would fold into another track: folded states are kept on disk. */
export const FOLD_VERSION = 6;

/** A track that nothing was written to. */
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

/** Applies events to an empty track. */
export function foldEvents(id: TrackId, events: Iterable<Event>): Track {
  let track = emptyTrack(id);
  for (const event of events) track = evolve(track, event);
  return track;
}

/** A track of which nobody else knows yet, with a list of its own. */
type OwnTrack = Writable<Omit<Track, "todos">> & { todos: Todo[] };

/** The track as it was at first and after each event. */
export function* everyTrack(id: TrackId, events: Iterable<Event>): Generator<Track> {
  let track = emptyTrack(id);
  yield track;
  for (const event of events) {
    track = evolve(track, event);
    yield track;
  }
}

/** Folds one event in. No judgement here: what the event says has happened. */
export function evolve(track: Track, event: Event): Track {
  const next = ownCopy(track);
  next.version = event.seq;
  if (event.changes.some(touchesList)) next.revision++;
  if (track.version === 0) next.openedAt = event.at;
  next.updatedAt = event.at;
  if (event.by === "agent" || event.changes.some(({ type }) => type === "observed"))
    next.agentAt = event.at;
  if (next.guide && isWrite(event)) next.guide = guideAfterWrite(next.guide);
  if (isWrite(event)) noteRefusals(next, event);
  if (event.by === "agent") explain(next, event);
  for (const change of event.changes) apply(next, change, event);
  return next;
}

function ownCopy(track: Track): OwnTrack {
  return { ...track, todos: [...track.todos] };
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

/** An accepted write ends the warning about a refused one; a partly applied write is one. */
function noteRefusals(track: OwnTrack, { at, rejected = [] }: Event): void {
  if (rejected.length === 0) delete track.refused;
  else track.refused = { at, why: refusalLine(rejected), partial: true };
}

/** An explanation stays until the next one, or until the agent changes what is in the list. */
function explain(track: OwnTrack, { comment, changes }: Event): void {
  if (comment !== undefined && comment !== "") track.explanation = comment;
  else if (changes.some(({ type }) => REPLANS.has(type))) delete track.explanation;
}

const REPLANS: ReadonlySet<Change["type"]> = new Set([
  "list.started",
  "todo.added",
  "todo.removed",
]);

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
  const next = ownCopy(track);
  apply(next, change, { at, by });
  return next;
}

function apply(track: OwnTrack, change: Change, { at, by }: Pick<Event, "at" | "by">): void {
  switch (change.type) {
    case "track.opened": {
      const { type: _, ...origin } = change;
      Object.assign(track, origin);
      return;
    }
    case "list.started":
      track.list = change.list;
      track.todos = [];
      track.unseen = [];
      track.unseenOrder = false;
      delete track.setAside;
      return;
    case "list.reordered": {
      const places = new Map(change.order.map((id, place) => [id, place]));
      const place = (todo: Todo) => places.get(todo.id) ?? change.order.length;
      track.todos.sort((a, b) => place(a) - place(b));
      track.unseenOrder ||= by === "user";
      return;
    }
    case "todo.added": {
      // The steps of a plan are the agent's own words, whoever approved it.
      const added = by === "user" && change.todo.planStep === undefined ? { addedBy: by } : {};
      const todo = enter({ ...change.todo, createdAt: at, ...added, movedBy: by }, at, by);
      track.todos.push(todo);
      track.nextId = Math.max(track.nextId, Number(todo.id) + 1);
      if (by === "user") track.unseen = note(track, todo, { added: true });
      return;
    }
    case "todo.removed": {
      const place = track.todos.findIndex((todo) => todo.id === change.id);
      const [gone] = place === -1 ? [] : track.todos.splice(place, 1);
      if (gone && by === "user") track.unseen = noteRemoval(track, gone);
      return;
    }
    case "todo.moved":
      setAside(track, change.id, by);
      update(track, change.id, by, { status: change.to }, (todo) =>
        enter({ ...todo, status: change.to }, at, by),
      );
      return;
    case "todo.edited":
      update(track, change.id, by, { set: change.set }, (todo) => patch(todo, change.set));
      return;
    case "todo.noted":
      update(track, change.id, by, { notes: [change.note] }, (todo) => ({
        ...todo,
        notes: [...(todo.notes ?? []), change.note],
      }));
      return;
    case "todo.evidenced":
      update(track, change.id, by, {}, (todo) => ({
        ...todo,
        evidence: [...(todo.evidence ?? []), change.evidence],
      }));
      return;
    case "todo.verified":
      update(track, change.id, "system", {}, (todo) => ({ ...todo, check: change.check }));
      return;
    case "mode.changed":
      track.mode = change.mode;
      return;
    case "edits.shown":
      track.unseen = [];
      track.unseenOrder = false;
      if (track.plan) track.plan = planTold(track.plan);
      return;
    case "observed":
      replaceWith(track, trackAfter(track, change.observations));
      return;
    case "reminded":
      track.guide = guideAfterReminder(track.guide ?? emptyGuide(), change.kind, track);
      return;
    case "plan.drafted":
    case "plan.proposed":
    case "plan.decided":
    case "plan.commented":
    case "plan.adopted":
      track.plan = planAfter(track.plan, change, { at, by });
      return;
    default:
      // An event of a newer program: what this one does not know, it leaves alone.
      change satisfies never;
  }
}

function replaceWith(track: OwnTrack, next: Track): void {
  if (!next.refused) delete track.refused;
  Object.assign(track, next);
}

/** Keeps the proof of a completion that a person takes back; a move of the agent ends it. */
function setAside(track: OwnTrack, id: string, by: By): void {
  const check = by === "user" ? track.todos.find((todo) => todo.id === id)?.check : undefined;
  if (check) track.setAside = { ...track.setAside, [id]: check };
  else if (by !== "user" && track.setAside) {
    const { [id]: _, ...rest } = track.setAside;
    if (Object.keys(rest).length > 0) track.setAside = rest;
    else delete track.setAside;
  }
}

/** Sets the times that go with the status. */
function enter(todo: Todo, at: number, by: By): Todo {
  const open = todo.finishedAt === undefined && !todo.check ? todo : unfinished(todo);
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

function unfinished({ finishedAt: _, check: __, ...open }: Todo): Todo {
  return open;
}

/** Sets the given fields; `null` takes a field away. */
export function patch<T extends object>(todo: T, set: Patch): T {
  const patched = { ...todo, ...set } as Record<string, unknown>;
  for (const [field, value] of Object.entries(set)) if (value === null) delete patched[field];
  return patched as T;
}

function update(
  track: OwnTrack,
  id: string,
  by: By,
  edit: Partial<UnseenEdit>,
  change: (todo: Todo) => Todo,
): void {
  const place = track.todos.findIndex((known) => known.id === id);
  const todo = track.todos[place];
  if (!todo) return;
  track.todos[place] = change(todo);
  if (by === "user") track.unseen = note(track, todo, edit);
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
