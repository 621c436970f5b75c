import { createHash } from "node:crypto";
import { emptyTrack } from "../../core/evolve.ts";
import { diff } from "../../core/list/diff.ts";
import type { Event, Track, TrackId } from "../../core/model.ts";
import type { RelayPayload } from "../../core/views/relayed.ts";
import type { RelayHead, RelayUpdate } from "./connection.ts";

/** A track of this machine. */
export interface LocalTrack {
  readonly id: TrackId;
  readonly state: RelayPayload;
  /** Reads all events of its list. Needed if the events received live have gaps. */
  readEvents(): Promise<readonly Event[]>;
}

/** The update that the server needs for a track; undefined if it is up to date. */
export async function relayUpdateOf(
  { id, state, readEvents }: LocalTrack,
  head: RelayHead | undefined,
  received: readonly Event[],
): Promise<RelayUpdate | undefined> {
  const hash = createHash("sha256")
    .update(JSON.stringify(sorted(state)))
    .digest("base64url");
  if (head?.hash === hash) return undefined;
  const { track } = state.live;
  const { events, replacesHistory } = await historyOf(track, head, received, readEvents);
  const eventCount = (replacesHistory ? 0 : (head?.eventCount ?? 0)) + events.length;
  const lastKey = events.at(-1)?.key ?? (replacesHistory ? undefined : head?.lastKey);
  return {
    id,
    state: JSON.stringify(state),
    updatedAt: state.updatedAt,
    hash,
    version: track.version,
    eventCount,
    ...(lastKey !== undefined && { lastKey }),
    events,
    replacesHistory,
  };
}

/** Sorts the keys of objects: the same state has another key order when it comes from the index. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

type History = Pick<RelayUpdate, "events" | "replacesHistory">;

async function historyOf(
  track: Track,
  head: RelayHead | undefined,
  received: readonly Event[],
  readEvents: () => Promise<readonly Event[]>,
): Promise<History> {
  if (head?.version === track.version) return { events: [], replacesHistory: false };
  if (track.version === 0) return { events: [], replacesHistory: head !== undefined };
  if (head) {
    const next = received.filter(({ seq }) => seq > head.version && seq <= track.version);
    const isGapless = next.every(({ seq }, index) => seq === head.version + index + 1);
    if (isGapless && next.length === track.version - head.version)
      return { events: after(sharedEvents(next), head.lastKey), replacesHistory: false };
  }
  // Events that are added during the read belong to the next update.
  const all = sharedEvents(until(track.updatedAt, await readEvents()));
  if (all.length === 0) return { events: [initialEvent(track)], replacesHistory: true };
  const known = all.some(({ key }) => key === head?.lastKey);
  return known
    ? { events: after(all, head?.lastKey), replacesHistory: false }
    : { events: all, replacesHistory: true };
}

/**
 * The events up to the last one at or before `time`. Cut by position, because a clock that was set back
 * makes earlier events look later; not by number, because a full read finds more events than a scan.
 */
function until(time: number, events: readonly Event[]): readonly Event[] {
  return events.slice(0, events.findLastIndex(({ at }) => at <= time) + 1);
}

function after(events: readonly Event[], key: string | undefined): readonly Event[] {
  return events.slice(events.findLastIndex((event) => event.key === key) + 1);
}

/** The changes of lists and plans. Observed calls and reminders stay on this machine. */
function sharedEvents(events: readonly Event[]): readonly Event[] {
  return events.flatMap((event) => {
    const changes = event.changes.filter(({ type }) => type !== "observed" && type !== "reminded");
    return changes.length > 0 ? [{ ...event, changes }] : [];
  });
}

/** Without known events, the history starts with the current list. */
function initialEvent(track: Track): Event {
  const { session, agent, updatedAt, version } = track;
  return {
    seq: 1,
    key: `found ${version} ${updatedAt}`,
    at: updatedAt,
    by: "system",
    via: "relay",
    // Proofs are never part of an event.
    changes: diff(emptyTrack({ session, agent }), {
      ...track,
      todos: track.todos.map(({ proof: _, ...todo }) => todo),
    }),
  };
}
