import type { CallDetail } from "../core/activity/calls/call-detail.ts";
import type { Awaitable } from "../core/awaitable.ts";
import { foldEvents } from "../core/evolve.ts";
import type { Event, Track, TrackId } from "../core/model.ts";
import { type PlanRevision, planRevisions } from "../core/plan/revisions.ts";
import type { HandledStall } from "../core/stalls/stall.ts";
import {
  type Remark,
  remarksOf,
  stallRemarks,
  type Transition,
  transitionsOf,
} from "../core/views/history.ts";
import { titleOf } from "../core/views/title.ts";
import type { Driver } from "../engines/sqlite/driver.ts";
import type { List } from "../tracker.ts";
import type { AnyTrack } from "./any-track.ts";
import type { WantedCall } from "./calls/found-call.ts";
import type { ExternalTrack } from "./transcripts/catalog.ts";
import type { FullRead } from "./transcripts/machine.ts";

/** One list with its history. Every track it returns has the title that all surfaces show. */
export interface ReadList {
  readonly id: TrackId;
  read(): Awaitable<Track>;
  /** The list at a time. */
  at(time: number): Awaitable<Track>;
  /** Its events, oldest first. */
  events(): Awaitable<readonly Event[]>;
  history(): Awaitable<readonly Transition[]>;
  /** Reminders and refusals that the model received, and plan decisions. */
  remarks(): Awaitable<readonly Remark[]>;
  /** Reads the agent's own files line by line; undefined without such files. */
  readInFull?(): Awaitable<FullRead>;
  /** The revisions of the plan, oldest first. */
  revisions(): Awaitable<readonly PlanRevision[]>;
  /** One tool call with its output, from the agent's own files; undefined without such files. */
  call?: ReadCall;
}

/** Resolves with undefined if the files do not have the call. `isWhole` reads more of its output. */
export type ReadCall = (wanted: WantedCall, isWhole?: boolean) => Promise<CallDetail | undefined>;

/** A list of our store. `merged` is its track merged with the transcript. */
export function hostedList(list: List, merged?: AnyTrack, driver?: Driver): ReadList {
  const { prompt, track: { title } = {}, external } = merged ?? {};
  const titled = (track: Track): Track => ({
    ...track,
    title: titleOf({
      track: { ...track, ...(title !== undefined && { title }) },
      ...(prompt !== undefined && { prompt }),
    }),
  });
  return {
    id: list.id,
    read: async () =>
      merged ? { ...merged.track, title: titleOf(merged) } : titled(await list.read()),
    at: async (time) => titled(await list.at(time)),
    events: () => list.events(),
    history: () => list.history(),
    remarks: () => list.remarks(),
    async revisions() {
      const own = planRevisions(await list.events());
      return own.length === 0 && external ? (await fullRead(external, driver)()).revisions : own;
    },
    ...(external && {
      readInFull: fullRead(external, driver),
      call: callReader(external, driver),
    }),
  };
}

/** The list of an agent on another machine, as it was relayed. */
export function relayedList(found: AnyTrack, past: () => Promise<readonly Event[]>): ReadList {
  const { track } = found;
  const id = { session: track.session, agent: track.agent };
  let known: Promise<readonly Event[]> | undefined;
  const events = () => {
    known ??= past();
    return known;
  };
  return {
    id,
    read: () => ({ ...track, title: titleOf(found) }),
    events,
    history: async () => transitionsOf(await events()),
    remarks: async () => remarksOf(await events()),
    revisions: async () => planRevisions(await events()),
    at: async (time) => ({
      ...foldEvents(
        id,
        (await events()).filter((event) => event.at <= time),
      ),
      title: titleOf(found),
    }),
  };
}

/** A list of a transcript, and what Waymark did when its agent stalled. */
export function externalList(
  found: ExternalTrack,
  driver: Driver | undefined,
  stalls: readonly HandledStall[] = [],
): ReadList {
  const { session, agent } = found.live;
  const id = { session, agent };
  const track = { ...found.live.track, title: titleOf(found.live) };
  const closely = fullRead(found, driver);
  return {
    id,
    read: () => track,
    readInFull: closely,
    call: callReader(found, driver),
    revisions: async () => (await closely()).revisions,
    events: async () => (await closely()).events,
    history: async () => transitionsOf((await closely()).events),
    async remarks() {
      const { events, refusals } = await closely();
      return [...remarksOf(events), ...refusals, ...stallRemarks(stalls)].sort(byTime);
    },
    async at(time) {
      const { cwd, title, agentType, parentAgent } = track;
      const { events } = await closely();
      return {
        ...foldEvents(
          id,
          events.filter((event) => event.at <= time),
        ),
        ...(cwd !== undefined && { cwd }),
        title,
        ...(agentType !== undefined && { agentType }),
        ...(parentAgent !== undefined && { parentAgent }),
      };
    },
  };
}

/** Reads the files once, on first use. */
function fullRead(found: ExternalTrack, driver: Driver | undefined): () => Promise<FullRead> {
  let known: Promise<FullRead> | undefined;
  const read = async () => {
    const { readInFull: lookClosely } = await import("./transcripts/machine.ts");
    return lookClosely(found, driver);
  };
  return () => {
    known ??= read();
    return known;
  };
}

function callReader(found: ExternalTrack, driver: Driver | undefined): ReadCall {
  return async (wanted, isWhole) => {
    const { readCall } = await import("./calls/read-call.ts");
    return readCall(found, wanted, { driver, isWhole });
  };
}

function byTime(a: Remark, b: Remark): number {
  return a.at - b.at;
}
