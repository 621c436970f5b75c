import { denyCall } from "./activity/activity.ts";
import { trackAfter } from "./activity/apply-observations.ts";
import { withFocus } from "./activity/usage.ts";
import { collisionsAfter, collisionsNotified } from "./collisions/collision.ts";
import { emptyGuide, guideAfterReminder, guideAfterWrite } from "./guidance/counters.ts";
import { refusalReasons } from "./guidance/refusal.ts";
import type { Author, Change, Event, Patch, Todo, Track, TrackId, UnseenEdit } from "./model.ts";
import { markPlanShown, planAfter } from "./plan/plan.ts";
import { stallsAfter, stallsMessaged } from "./stalls/stall.ts";
import { same } from "./values.ts";
import type { Writable } from "./writable.ts";

/** Version of the fold. Increment it when the same events fold into a different track: stores cache folded tracks. */
export const FOLD_VERSION = 7;

/** The track before its first event. */
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

/** Folds the events of a track, from the first one on. */
export function foldEvents(id: TrackId, events: Iterable<Event>): Track {
  let track = emptyTrack(id);
  for (const event of events) track = evolve(track, event);
  return track;
}

/** A private copy of a track, changed in place until `evolve` returns it. */
type OwnTrack = Writable<Omit<Track, "todos">> & { todos: Todo[] };

/** Yields the empty track, then the track after each event. */
export function* trackVersions(id: TrackId, events: Iterable<Event>): Generator<Track> {
  let track = emptyTrack(id);
  yield track;
  for (const event of events) {
    track = evolve(track, event);
    yield track;
  }
}

/** Applies one event. Never refuses: `decide` has accepted the event already. */
export function evolve(track: Track, event: Event): Track {
  const next = ownCopy(track);
  next.version = event.seq;
  if (event.changes.some(touchesList)) next.revision++;
  if (track.version === 0) next.openedAt = event.at;
  // A stalled agent and its list did not change.
  if (track.version === 0 || !event.changes.every(({ type }) => type === "stall.handled"))
    next.updatedAt = event.at;
  if (event.by === "agent" || event.changes.some(({ type }) => type === "observed"))
    next.agentAt = event.at;
  if (next.guide && isWrite(event)) next.guide = guideAfterWrite(next.guide);
  if (isWrite(event)) noteRefusals(next, event);
  if (event.by === "agent") explain(next, event);
  for (const change of event.changes) apply(next, change, event);
  if (next.usage) next.usage = withFocus(next.usage, event.at, next.todos);
  return next;
}

function ownCopy(track: Track): OwnTrack {
  return { ...track, todos: [...track.todos] };
}

/** Whether a change counts as a change of the list. A verification does not. */
function touchesList({ type }: Change): boolean {
  return (
    type !== "todo.verified" &&
    type !== "list.passed" &&
    (type.startsWith("todo.") || type.startsWith("list."))
  );
}

/** Whether the event is a list write by the agent, even one that changed nothing. */
function isWrite({ by, changes }: Event): boolean {
  if (by !== "agent" || changes.some(({ type }) => NO_WRITE.has(type))) return false;
  return changes.length === 0 || changes.some(({ type }) => type !== "edits.shown");
}

/** An accepted write clears the last refusal; a partly applied one becomes the last refusal. */
function noteRefusals(track: OwnTrack, { at, rejected = [] }: Event): void {
  if (rejected.length === 0) delete track.refused;
  else track.refused = { at, why: refusalReasons(rejected), partial: true };
}

/** An explanation stays until the next one, or until the agent adds or removes todos. */
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

/** Applies one change of an event. */
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
    case "list.taken":
      track.list = change.list;
      track.todos = [...change.todos];
      track.nextId = Math.max(track.nextId, change.nextId);
      track.takenFrom = change.from;
      return;
    case "list.passed":
      track.passedTo = change.to;
      return;
    case "list.reordered": {
      const positions = new Map(change.order.map((id, index) => [id, index]));
      const position = (todo: Todo) => positions.get(todo.id) ?? change.order.length;
      track.todos.sort((a, b) => position(a) - position(b));
      track.unseenOrder ||= by === "user";
      return;
    }
    case "todo.added": {
      // Steps of a plan were written by the agent, even if the user approved them.
      const added = by === "user" && change.todo.planStep === undefined ? { addedBy: by } : {};
      const todo = enter({ ...change.todo, createdAt: at, ...added, movedBy: by }, at, by);
      track.todos.push(todo);
      track.nextId = Math.max(track.nextId, Number(todo.id) + 1);
      if (by === "user") track.unseen = note(track, todo, { added: true });
      return;
    }
    case "todo.removed": {
      const index = track.todos.findIndex((todo) => todo.id === change.id);
      const [removed] = index === -1 ? [] : track.todos.splice(index, 1);
      if (removed && by === "user") track.unseen = noteRemoval(track, removed);
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
      if (track.plan) track.plan = markPlanShown(track.plan);
      return;
    case "observed":
      replaceWith(track, trackAfter(track, change.observations));
      return;
    case "reminded":
      track.guide = guideAfterReminder(track.guide ?? emptyGuide(), change, track);
      if (change.kind === "collision" && track.collisions)
        track.collisions = collisionsNotified(track.collisions, change.about ?? [], at);
      if (change.kind === "stalled" && track.stalls)
        track.stalls = stallsMessaged(track.stalls, change.about ?? [], at);
      if (change.denied && track.activity) {
        track.activity = { ...track.activity };
        denyCall(track.activity, change.denied);
      }
      return;
    case "collision.found":
      track.collisions = collisionsAfter(track.collisions, change.collision);
      return;
    case "stall.handled":
      track.stalls = stallsAfter(track.stalls, change.stall, change.step, at);
      return;
    case "plan.drafted":
    case "plan.proposed":
    case "plan.decided":
    case "plan.commented":
    case "plan.adopted":
      track.plan = planAfter(track.plan, change, { at, by });
      return;
    default:
      // Written by a newer version: unknown changes are ignored.
      change satisfies never;
  }
}

function replaceWith(track: OwnTrack, next: Track): void {
  if (!next.refused) delete track.refused;
  if (!next.collisions) delete track.collisions;
  Object.assign(track, next);
}

/** Remembers the check of a completion that the user undoes; a status change by the agent discards it. */
function setAside(track: OwnTrack, id: string, by: Author): void {
  const check = by === "user" ? track.todos.find((todo) => todo.id === id)?.check : undefined;
  if (check) track.setAside = { ...track.setAside, [id]: check };
  else if (by !== "user" && track.setAside) {
    const { [id]: _, ...rest } = track.setAside;
    if (Object.keys(rest).length > 0) track.setAside = rest;
    else delete track.setAside;
  }
}

/** Sets the timestamps of the new status. */
function enter(todo: Todo, at: number, by: Author): Todo {
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

/** Sets fields; `null` removes one. */
export function patch<T extends object>(todo: T, set: Patch): T {
  const patched = { ...todo, ...set } as Record<string, unknown>;
  for (const [field, value] of Object.entries(set)) if (value === null) delete patched[field];
  return patched as T;
}

function update(
  track: OwnTrack,
  id: string,
  by: Author,
  edit: Partial<UnseenEdit>,
  change: (todo: Todo) => Todo,
): void {
  const index = track.todos.findIndex((known) => known.id === id);
  const todo = track.todos[index];
  if (!todo) return;
  track.todos[index] = change(todo);
  if (by === "user") track.unseen = note(track, todo, edit);
}

/** Records a user edit until the agent has seen it. */
function note(track: Track, todo: Todo, given: Partial<UnseenEdit>): readonly UnseenEdit[] {
  const known = track.unseen.find((unseen) => unseen.id === todo.id);
  const { former, edit } = withoutWithdrawn(known, todo, given);
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
  const others = track.unseen.filter((unseen) => unseen !== known);
  // Back to the status that the agent knows: nothing left to report.
  if (status !== undefined && status !== merged.knownStatus)
    return [...others, { ...merged, status }];
  return merged.added || merged.set || merged.notes ? [...others, merged] : others;
}

/** Notes that the user added and removed again before the agent saw them are no edit. */
function withoutWithdrawn(
  former: UnseenEdit | undefined,
  { notes = [] }: Todo,
  edit: Partial<UnseenEdit>,
): { readonly former: UnseenEdit | undefined; readonly edit: Partial<UnseenEdit> } {
  const added = former?.notes?.length ?? 0;
  if (!former || added === 0 || former.set?.notes !== undefined) return { former, edit };
  if (edit.set?.notes === undefined || !same(edit.set.notes ?? [], notes.slice(0, -added)))
    return { former, edit };
  const { notes: _, ...rest } = former;
  const { notes: __, ...set } = edit.set;
  const { set: ___, ...other } = edit;
  return { former: rest, edit: Object.keys(set).length > 0 ? { ...other, set } : other };
}

function noteRemoval(track: Track, removed: Todo): readonly UnseenEdit[] {
  const former = track.unseen.find((unseen) => unseen.id === removed.id);
  const others = track.unseen.filter((unseen) => unseen !== former);
  // Added and removed before the agent saw it.
  if (former?.added) return others;
  return [
    ...others,
    {
      id: removed.id,
      knownText: former?.knownText ?? removed.text,
      knownStatus: former?.knownStatus ?? removed.status,
      removed,
    },
  ];
}
