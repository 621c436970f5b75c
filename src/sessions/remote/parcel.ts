import { createHash } from "node:crypto";
import { emptyTrack } from "../../core/evolve.ts";
import { diff } from "../../core/list/diff.ts";
import type { Event, Track, TrackId } from "../../core/model.ts";
import type { Relayed } from "../../core/views/relayed.ts";
import type { Head, Parcel } from "./connection.ts";

/** A track of this machine, as it is now. */
export interface Sending {
  readonly id: TrackId;
  readonly state: Relayed;
  /** Everything that happened to its list; read if the events received live are not enough. */
  past(): Promise<readonly Event[]>;
}

/** What has to be sent of a track, so that the server has it as it is; nothing if it does. */
export async function parcelOf(
  { id, state, past }: Sending,
  head: Head | undefined,
  received: readonly Event[],
): Promise<Parcel | undefined> {
  const hash = createHash("sha256")
    .update(JSON.stringify(sorted(state)))
    .digest("base64url");
  if (head?.hash === hash) return undefined;
  const { track } = state.live;
  const { events, anew } = await historyOf(track, head, received, past);
  const places = (anew ? 0 : (head?.places ?? 0)) + events.length;
  const lastKey = events.at(-1)?.key ?? (anew ? undefined : head?.lastKey);
  return {
    id,
    state: JSON.stringify(state),
    updatedAt: state.updatedAt,
    hash,
    version: track.version,
    places,
    ...(lastKey !== undefined && { lastKey }),
    events,
    anew,
  };
}

/** The same facts may come in another order: from a file, or from what is kept of it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, held]) => [name, sorted(held)]),
  );
}

type History = Pick<Parcel, "events" | "anew">;

async function historyOf(
  track: Track,
  head: Head | undefined,
  received: readonly Event[],
  past: () => Promise<readonly Event[]>,
): Promise<History> {
  if (head?.version === track.version) return { events: [], anew: false };
  if (track.version === 0) return { events: [], anew: head !== undefined };
  if (head) {
    const next = received.filter(({ seq }) => seq > head.version && seq <= track.version);
    const leads = next.every(({ seq }, place) => seq === head.version + place + 1);
    if (leads && next.length === track.version - head.version)
      return { events: after(shown(next), head.lastKey), anew: false };
  }
  // What happens to the list while it is read belongs to the next parcel.
  const all = shown(until(track.updatedAt, await past()));
  if (all.length === 0) return { events: [foundAs(track)], anew: true };
  const known = all.some(({ key }) => key === head?.lastKey);
  return known ? { events: after(all, head?.lastKey), anew: false } : { events: all, anew: true };
}

/**
 * By place, since a clock that was set back makes what came before look later; and not by number,
 * since more is found where every line of a file is read.
 */
function until(time: number, events: readonly Event[]): readonly Event[] {
  return events.slice(0, events.findLastIndex(({ at }) => at <= time) + 1);
}

function after(events: readonly Event[], key: string | undefined): readonly Event[] {
  return events.slice(events.findLastIndex((event) => event.key === key) + 1);
}

/** What happened to lists and plans. What a host saw of calls, and what the model was told, stays here. */
function shown(events: readonly Event[]): readonly Event[] {
  return events.flatMap((event) => {
    const changes = event.changes.filter(({ type }) => type !== "observed" && type !== "reminded");
    return changes.length > 0 ? [{ ...event, changes }] : [];
  });
}

/** Where the past is not known, history begins with the list as it was found. */
function foundAs(track: Track): Event {
  const { session, agent, updatedAt, version } = track;
  return {
    seq: 1,
    key: `found ${version} ${updatedAt}`,
    at: updatedAt,
    by: "system",
    via: "relay",
    changes: diff(emptyTrack({ session, agent }), track),
  };
}
