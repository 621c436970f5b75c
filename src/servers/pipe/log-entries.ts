import { refusalReasons } from "../../core/guidance/refusal.ts";
import type { Change, Event, Status, Track } from "../../core/model.ts";
import { stepText } from "../../core/stalls/text.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { cutBytes, oneLine } from "../../core/text/escape.ts";
import { isOpen, viewOf } from "../../core/views/view.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";

type PipeEntry = Omit<LogEntry, "at" | "agentType">;

/** The log entries of an event; most events have none. */
export function entriesOfEvent(
  event: StreamEvent,
  live: LiveTrack | undefined,
): readonly PipeEntry[] {
  switch (event.type) {
    case "turn.completed": {
      const { todos } = live?.track ?? { todos: [] };
      if (todos.length === 0) return [];
      const open = todos.filter(isOpen).length;
      return [plainEntry(open > 0 ? `turn ended with ${open} open` : "turn ended")];
    }
    case "turn.failed":
      return [alertEntry(`turn failed: ${short(event.message)}`)];
    case "turn.cancelled":
      return [alertEntry("turn cancelled")];
    case "session.ended":
      return [
        plainEntry(event.reason === undefined ? "session ended" : `session ended: ${event.reason}`),
      ];
    case "session.compacted":
      return [plainEntry("conversation compacted")];
    case "plan.proposed":
      return [plainEntry("plan proposed", counted(event.text.split("\n").length, "line"))];
    case "plan.decided":
      return [
        plainEntry(
          `plan ${event.decision}`,
          ...(event.comment === undefined ? [] : [event.comment]),
        ),
      ];
    case "warning":
      return [alertEntry(warningText(event))];
    default:
      return [];
  }
}

export function warningText(event: StreamEvent & { readonly type: "warning" }): string {
  const line = event.line === undefined ? "" : `line ${event.line}`;
  const message = short(event.message);
  switch (event.code) {
    case "bad_line":
    case "too_large":
    case "unknown_record":
    case "unreadable":
      return `skipped ${line || "a line"}: ${message}`;
    case "list_rejected":
      return `list refused: ${message}`;
    case "list_unknown":
      return `list written, content unknown: ${message}`;
    case "bad_item":
      return line ? `${line}: ${message}` : message;
  }
}

const MAX_MESSAGE = 300;

/** Shortens messages of other programs to one line. */
function short(message: string): string {
  return cutBytes(oneLine(message), MAX_MESSAGE);
}

/** The log entries of a list write. */
export function entriesOfList(
  event: Pick<Event, "at" | "changes" | "comment" | "rejected">,
  before: Track,
  after: Track,
): readonly PipeEntry[] {
  const { comment = "", rejected = [] } = event;
  return [
    ...entriesOfWrite(event, before, after),
    ...(comment === "" ? [] : [plainEntry("explanation", short(comment))]),
    ...event.changes.flatMap(stallEntries),
    ...event.changes.flatMap(refusedIn).map((why) => alertEntry(`list refused: ${short(why)}`)),
    ...(rejected.length > 0
      ? [alertEntry(`list partly refused: ${short(refusalReasons(rejected))}`)]
      : []),
  ];
}

/** Steps that Waymark took at a stall. */
function stallEntries(change: Change): readonly PipeEntry[] {
  if (change.type !== "stall.handled") return [];
  return [plainEntry(`${change.stall.kind}: ${short(stepText(change.step))}`)];
}

/** The reasons of refused list writes that a host or tool reported. */
function refusedIn(change: Change): readonly string[] {
  if (change.type !== "observed") return [];
  return change.observations.flatMap((seen) =>
    seen.type === "list.refused" && !seen.partial ? [seen.why ?? ""] : [],
  );
}

function entriesOfWrite(
  event: Pick<Event, "at" | "changes">,
  before: Track,
  after: Track,
): readonly PipeEntry[] {
  if (after.todos.length === 0) return before.todos.length > 0 ? [plainEntry("list cleared")] : [];
  const isNew = before.todos.length === 0 || after.list !== before.list;
  if (isNew) {
    const first = plainEntry(
      `${before.list < after.list ? "new list" : "list"}: ${counted(after.todos.length, "todo")}`,
    );
    const begun = after.todos.filter(({ status }) => status === "in_progress");
    return [first, ...begun.map(({ text }): PipeEntry => ({ mark: "in_progress", text }))];
  }
  const moved = new Set(
    event.changes.flatMap((change) => (change.type === "todo.moved" ? change.id : [])),
  );
  return event.changes
    .filter((change) => change.type !== "todo.verified" || !moved.has(change.id))
    .flatMap((change) => entriesOfChange(change, before, after, event.at));
}

function entriesOfChange(
  change: Change,
  before: Track,
  after: Track,
  now: number,
): readonly PipeEntry[] {
  const todo = (track: Track, id: string) => track.todos.find((known) => known.id === id);
  switch (change.type) {
    case "todo.added":
      return [todoEntry(change.todo.status, change.todo.text, "added")];
    case "todo.removed":
      return [todoEntry("cancelled", todo(before, change.id)?.text ?? change.id, "removed")];
    case "todo.moved":
      return [moved(change.id, change.to, after, now)];
    case "todo.edited": {
      const known = todo(after, change.id);
      if (typeof change.set.text !== "string" || !known) return [];
      return [todoEntry(known.status, known.text, `was: ${change.was.text ?? ""}`)];
    }
    case "todo.noted": {
      const known = todo(after, change.id);
      return known ? [todoEntry(known.status, known.text, `note: ${change.note}`)] : [];
    }
    case "list.taken":
      return [plainEntry(`list taken over from session ${change.from.session}`)];
    case "list.passed":
      return [plainEntry(`list continues in session ${change.to.session}`)];
    case "list.reordered":
      return [plainEntry("list reordered")];
    case "todo.evidenced":
    case "track.opened":
    case "list.started":
    case "mode.changed":
    case "edits.shown":
    case "observed":
    case "reminded":
    case "stall.handled":
    case "plan.drafted":
    case "plan.proposed":
    case "plan.decided":
    case "plan.commented":
    case "plan.adopted":
      return [];
    case "collision.found": {
      const { path, other } = change.collision;
      return [alertEntry(`collision: ${path}`, other.name ?? "another agent", other.session)];
    }
    case "todo.verified": {
      const known = todo(after, change.id);
      return known ? [todoEntry("verified", known.text, change.check.command)] : [];
    }
  }
}

function moved(id: string, to: Status, after: Track, now: number): PipeEntry {
  const row = viewOf(after, now, -1).rows.find(({ todo }) => todo.id === id);
  const text = row?.todo.text ?? id;
  const time = row?.elapsed === undefined ? [] : [formatDuration(row.elapsed)];
  switch (to) {
    case "completed":
      return row?.todo.check
        ? todoEntry("verified", text, ...time, row.todo.check.command)
        : todoEntry(to, text, ...time, row?.evidenceLevel ?? "unverified");
    case "cancelled":
      return todoEntry(to, text, ...time, "cancelled");
    case "blocked":
      return todoEntry(to, text, row?.todo.blocker ?? "blocked");
    case "pending":
      return todoEntry(to, text, "reopened");
    case "in_progress":
      return todoEntry(to, text);
  }
}

function todoEntry(mark: Status | "verified", text: string, ...meta: readonly string[]): PipeEntry {
  return { mark, text, meta };
}

export function plainEntry(text: string, ...meta: readonly string[]): PipeEntry {
  return { mark: "none", text, meta };
}

export function alertEntry(text: string, ...meta: readonly string[]): PipeEntry {
  return { mark: "watch", text, meta };
}
