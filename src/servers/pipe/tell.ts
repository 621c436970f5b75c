import { refusalLine } from "../../core/guidance/refusal.ts";
import type { Change, Event, Status, Track } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import type { Live } from "../../core/stream/fold.ts";
import { duration } from "../../core/text/duration.ts";
import { cutBytes, oneLine } from "../../core/text/escape.ts";
import { isOpen, viewOf } from "../../core/views/view.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";

type Said = Omit<LogEntry, "at" | "agentType">;

/** What an event is worth in a log; most are worth nothing. */
export function tellEvent(event: StreamEvent, live: Live | undefined): readonly Said[] {
  switch (event.type) {
    case "turn.completed": {
      const { todos } = live?.track ?? { todos: [] };
      if (todos.length === 0) return [];
      const open = todos.filter(isOpen).length;
      return [plain(open > 0 ? `turn ended with ${open} open` : "turn ended")];
    }
    case "turn.failed":
      return [watch(`turn failed: ${short(event.message)}`)];
    case "turn.cancelled":
      return [watch("turn cancelled")];
    case "session.ended":
      return [
        plain(event.reason === undefined ? "session ended" : `session ended: ${event.reason}`),
      ];
    case "session.compacted":
      return [plain("conversation compacted")];
    case "plan.proposed":
      return [plain("plan proposed", `${event.text.split("\n").length} lines`)];
    case "plan.decided":
      return [
        plain(`plan ${event.decision}`, ...(event.comment === undefined ? [] : [event.comment])),
      ];
    case "warning":
      return [watch(warningText(event))];
    default:
      return [];
  }
}

export function warningText(event: StreamEvent & { readonly type: "warning" }): string {
  const where = event.line === undefined ? "" : `line ${event.line}`;
  const message = short(event.message);
  switch (event.code) {
    case "bad_line":
    case "too_large":
    case "unknown_record":
    case "unreadable":
      return `${where || "a line"} skipped: ${message}`;
    case "list_rejected":
      return `list refused: ${message}`;
    case "list_unknown":
      return `list written, but not known: ${message}`;
    case "bad_item":
      return where ? `${where}: ${message}` : message;
  }
}

const MAX_MESSAGE = 300;

/** Programs explain at length what a log needs a line of. */
function short(message: string): string {
  return cutBytes(oneLine(message), MAX_MESSAGE);
}

/** What happened to a list. */
export function tellList(
  event: Pick<Event, "at" | "changes" | "comment" | "rejected">,
  before: Track,
  after: Track,
): readonly Said[] {
  const { comment = "", rejected = [] } = event;
  return [
    ...tellWrite(event, before, after),
    ...(comment === "" ? [] : [plain("explanation", short(comment))]),
    ...event.changes.flatMap(refusedIn).map((why) => watch(`list refused: ${short(why)}`)),
    ...(rejected.length > 0 ? [watch(`list partly refused: ${short(refusalLine(rejected))}`)] : []),
  ];
}

/** Why list writes were refused, of those that a host or tool reported. */
function refusedIn(change: Change): readonly string[] {
  if (change.type !== "observed") return [];
  return change.observations.flatMap((seen) =>
    seen.type === "list.refused" && !seen.partial ? [seen.why ?? ""] : [],
  );
}

function tellWrite(
  event: Pick<Event, "at" | "changes">,
  before: Track,
  after: Track,
): readonly Said[] {
  if (after.todos.length === 0) return before.todos.length > 0 ? [plain("list cleared")] : [];
  const isNew = before.todos.length === 0 || after.list !== before.list;
  if (isNew) {
    const first = plain(
      `${before.list < after.list ? "new list" : "list"} of ${after.todos.length}`,
    );
    const begun = after.todos.filter(({ status }) => status === "in_progress");
    return [first, ...begun.map(({ text }): Said => ({ mark: "in_progress", text }))];
  }
  const moved = new Set(
    event.changes.flatMap((change) => (change.type === "todo.moved" ? change.id : [])),
  );
  return event.changes
    .filter((change) => change.type !== "todo.verified" || !moved.has(change.id))
    .flatMap((change) => tellChange(change, before, after, event.at));
}

function tellChange(change: Change, before: Track, after: Track, now: number): readonly Said[] {
  const todo = (track: Track, id: string) => track.todos.find((known) => known.id === id);
  switch (change.type) {
    case "todo.added":
      return [said(change.todo.status, change.todo.text, "added")];
    case "todo.removed":
      return [said("cancelled", todo(before, change.id)?.text ?? change.id, "removed")];
    case "todo.moved":
      return [moved(change.id, change.to, after, now)];
    case "todo.edited": {
      const known = todo(after, change.id);
      if (typeof change.set.text !== "string" || !known) return [];
      return [said(known.status, known.text, `was: ${change.was.text ?? ""}`)];
    }
    case "todo.noted": {
      const known = todo(after, change.id);
      return known ? [said(known.status, known.text, `note: ${change.note}`)] : [];
    }
    case "list.reordered":
      return [plain("list reordered")];
    case "todo.evidenced":
    case "track.opened":
    case "list.started":
    case "mode.changed":
    case "edits.shown":
    case "observed":
    case "reminded":
    case "plan.drafted":
    case "plan.proposed":
    case "plan.decided":
    case "plan.commented":
    case "plan.adopted":
      return [];
    case "todo.verified": {
      const known = todo(after, change.id);
      return known ? [said("verified", known.text, change.check.command)] : [];
    }
  }
}

function moved(id: string, to: Status, after: Track, now: number): Said {
  const row = viewOf(after, now, -1).rows.find(({ todo }) => todo.id === id);
  const text = row?.todo.text ?? id;
  const time = row?.elapsed === undefined ? [] : [duration(row.elapsed)];
  switch (to) {
    case "completed":
      return row?.todo.check
        ? said("verified", text, ...time, row.todo.check.command)
        : said(to, text, ...time, row?.proof ?? "claimed");
    case "cancelled":
      return said(to, text, ...time, "dropped");
    case "blocked":
      return said(to, text, row?.todo.blocker ?? "blocked");
    case "pending":
      return said(to, text, "open again");
    case "in_progress":
      return said(to, text);
  }
}

function said(mark: Status | "verified", text: string, ...meta: readonly string[]): Said {
  return { mark, text, meta };
}

export function plain(text: string, ...meta: readonly string[]): Said {
  return { mark: "none", text, meta };
}

export function watch(text: string, ...meta: readonly string[]): Said {
  return { mark: "watch", text, meta };
}
