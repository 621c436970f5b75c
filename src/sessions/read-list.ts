import type { Awaitable } from "../core/awaitable.ts";
import { foldEvents } from "../core/evolve.ts";
import type { Event, Track, TrackId } from "../core/model.ts";
import { type Remark, remarksOf, type Transition, transitionsOf } from "../core/views/history.ts";
import { titleOf } from "../core/views/title.ts";
import type { Driver } from "../engines/sqlite/driver.ts";
import type { AnyTrack } from "./any-track.ts";
import { type CloseLook, lookClosely } from "./transcripts/agents.ts";
import type { ForeignTrack } from "./transcripts/roster.ts";

/** A list that can be looked at, as it is and as it was. */
export interface ReadList {
  readonly id: TrackId;
  read(): Awaitable<Track>;
  history(): Awaitable<readonly Transition[]>;
  /** What the model was told, and what happened to plans. */
  remarks(): Awaitable<readonly Remark[]>;
  /** Of a list that Waymark keeps. */
  events?(): Awaitable<readonly Event[]>;
  /** As it was at a time. */
  at(time: number): Awaitable<Track>;
  /** Of a list that its agent keeps: what its files tell, line by line. */
  closely?(): CloseLook;
  /** Of a list of another machine: every agent of its session. */
  family?(): readonly AnyTrack[];
}

/** The list of an agent on another machine, as it was relayed. */
export function relayedList(
  found: AnyTrack,
  family: readonly AnyTrack[],
  past: () => Promise<readonly Event[]>,
): ReadList {
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
    family: () => family,
    history: async () => transitionsOf(await events()),
    remarks: async () => remarksOf(await events()),
    at: async (time) =>
      foldEvents(
        id,
        (await events()).filter((event) => event.at <= time),
      ),
  };
}

/** The list of an agent that keeps it in files of its own. */
export function foreignList(found: ForeignTrack, driver: Driver | undefined): ReadList {
  const { session, agent } = found.live;
  const id = { session, agent };
  const track = { ...found.live.track, title: titleOf(found.live) };
  let known: CloseLook | undefined;
  const closely = (): CloseLook => {
    known ??= lookClosely(found, driver);
    return known;
  };
  return {
    id,
    read: () => track,
    closely,
    history: () => transitionsOf(closely().events),
    remarks: () => [...remarksOf(closely().events), ...closely().refusals].sort(byTime),
    at: (time) => {
      const { cwd, title, agentType, parentAgent } = track;
      return {
        ...foldEvents(
          id,
          closely().events.filter((event) => event.at <= time),
        ),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
        ...(agentType !== undefined && { agentType }),
        ...(parentAgent !== undefined && { parentAgent }),
      };
    },
  };
}

function byTime(a: Remark, b: Remark): number {
  return a.at - b.at;
}
