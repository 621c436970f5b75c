import type { Awaitable } from "../core/awaitable.ts";
import { foldEvents } from "../core/evolve.ts";
import { type Remark, remarksOf, type Transition, transitionsOf } from "../core/history.ts";
import type { Event, Track, TrackId } from "../core/model.ts";
import type { ForeignTrack } from "../follow/roster.ts";
import type { Driver } from "../sqlite/driver.ts";
import { pastOf } from "./agents.ts";

/** A list that can be looked at, as it is and as it was. */
export interface ReadList {
  readonly id: TrackId;
  read(): Awaitable<Track>;
  history(): Awaitable<readonly Transition[]>;
  /** What the model was told, and what happened to plans. */
  remarks(): Awaitable<readonly Remark[]>;
  /** As it was at a time. */
  at(time: number): Awaitable<Track>;
}

/** The list of an agent that keeps it in files of its own. */
export function foreignList(found: ForeignTrack, driver: Driver | undefined): ReadList {
  const { track, session, agent } = found.live;
  const id = { session, agent };
  let known: readonly Event[] | undefined;
  const past = (): readonly Event[] => {
    known ??= pastOf(found, driver);
    return known;
  };
  return {
    id,
    read: () => track,
    history: () => transitionsOf(past()),
    remarks: () => remarksOf(past()),
    at: (time) => {
      const { cwd, title, agentType, parentAgent } = track;
      return {
        ...foldEvents(
          id,
          past().filter((event) => event.at <= time),
        ),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
        ...(agentType !== undefined && { agentType }),
        ...(parentAgent !== undefined && { parentAgent }),
      };
    },
  };
}
