import { emptyTrack, evolve } from "../../../src/core/evolve.ts";
import type { Event, ReminderKind, Track } from "../../../src/core/model.ts";
import { trackKey } from "../../../src/core/text/ids.ts";
import type { Database } from "../stores/database.ts";
import { Violation } from "../world.ts";

/** How often each reminder was sent to an agent since something happened. */
interface Sent {
  track: Track;
  /** Since the list was written. */
  edits: number;
  /** Since the user prompted. */
  stops: number;
  /** Steps at the last write, and at the last reminder about the list. */
  written: number;
  reminded: number;
  /** Starts and compactions that a reminder may follow. */
  starts: number;
  userEdits: number;
  refusals: number;
  readonly once: Set<string>;
}

const ONCE: readonly ReminderKind[] = ["introduction", "initial", "empty"];
const ABOUT_LIST: readonly ReminderKind[] = ["stale", "edits", "empty"];

/** Every reminder is sent at most as often as `docs/reference/reminders.md` says. */
export function checkReminders({ listLog }: Database): () => void {
  const all = new Map<string, Sent>();
  let checked = 0;
  return () => {
    for (; checked < listLog.length; checked++) {
      const { track: id, event } = listLog[checked] as (typeof listLog)[number];
      const sent = all.get(trackKey(id)) ?? {
        track: emptyTrack(id),
        edits: 0,
        stops: 0,
        written: 0,
        reminded: 0,
        starts: 0,
        userEdits: 0,
        refusals: 0,
        once: new Set<string>(),
      };
      all.set(trackKey(id), sent);
      checkEvent(sent, event);
    }
  };
}

const LIST = /^(?:todo|list|plan)\./;

function checkEvent(sent: Sent, event: Event): void {
  const { by, changes } = event;
  for (const change of changes) {
    if (change.type === "observed") for (const { type } of change.observations) observe(sent, type);
    sent.track = evolve(sent.track, {
      ...event,
      seq: sent.track.version + 1,
      changes: [change],
    });
    const { steps = 0, wroteAt = 0 } = sent.track.guide ?? {};
    if (by === "user" && LIST.test(change.type)) sent.userEdits++;
    if (by === "agent" && wroteAt !== sent.written) sent.written = wroteAt;
    if (change.type === "reminded") remind(sent, change.kind, steps, event);
  }
  if (by === "agent" && changes.some(({ type }) => LIST.test(type))) sent.edits = 0;
  sent.track = { ...sent.track, version: event.seq };
}

function observe(sent: Sent, type: string): void {
  if (type === "turn.started") sent.stops = 0;
  if (type === "list.written") sent.edits = 0;
  if (type === "list.refused") sent.refusals++;
  if (type === "session.started" || type === "session.compacted") sent.starts++;
  // The first prompt of a new process resumes the session.
  if (type === "turn.started") sent.starts++;
}

function remind(sent: Sent, kind: ReminderKind, steps: number, { key }: Event): void {
  const wrong = (what: string): never => {
    throw new Violation(`${what}: ${key} of ${sent.track.session}.`);
  };
  const once = kind === "evidence" ? `evidence ${sent.track.list}` : kind;
  if (ONCE.includes(kind) || kind === "evidence") {
    if (sent.once.has(once)) wrong(`The reminder ${once} was repeated`);
    sent.once.add(once);
  }
  if (kind === "stale" || kind === "empty") {
    if (steps - sent.reminded < 10)
      wrong(`${kind} followed a reminder ${steps - sent.reminded} steps before`);
    if (steps - sent.written < 10)
      wrong(`${kind} followed a write ${steps - sent.written} steps before`);
  }
  if (kind === "edits" && ++sent.edits > 2)
    wrong("A third reminder about edits was sent between two writes");
  if (kind === "stop" && ++sent.stops > 2) wrong("A third stop was answered for one prompt");
  if (kind === "recovery" && sent.starts-- === 0)
    wrong("The list was recovered without an occurrence");
  if (kind === "changed") {
    if (sent.userEdits === 0) wrong("A change of the user was sent twice");
    sent.userEdits = 0;
  }
  if (kind === "refused" && sent.refusals-- === 0) wrong("A refusal was sent twice");
  if (ABOUT_LIST.includes(kind)) sent.reminded = steps;
}
