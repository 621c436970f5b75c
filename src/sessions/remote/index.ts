import type { Event, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { relayedSession } from "../../core/views/relayed.ts";
import type { Context } from "../../home/open.ts";
import { relayedList } from "../read-list.ts";
import type { SessionSource } from "../source.ts";
import type { FollowedMachines } from "./machines.ts";
import type { RelayedTrack } from "./received.ts";

/** Sessions that other machines relay to a shared server. Their ids are `SESSION@MACHINE`. */
export function remoteSource(
  call: Pick<Context, "home" | "terminal" | "env">,
  store: string,
): SessionSource<RelayedTrack> {
  let following: FollowedMachines | undefined;
  // Most users have only one machine.
  const machines = () => import("./machines.ts");
  const list = async () => following?.list() ?? (await machines()).readOthers(call, store);
  const find = async (id: TrackId) =>
    (await list()).find((each) => trackKey(remoteId(each)) === trackKey(id));
  const past = async ({ row }: RelayedTrack): Promise<readonly Event[]> =>
    following ? following.readEvents(row) : (await machines()).readRemoteEvents(store, row);
  return {
    list,
    async read(id) {
      const found = await find(id);
      if (!found) return undefined;
      const { mergeRelayed } = await import("./merge.ts");
      const [merged] = mergeRelayed([found], Date.now());
      return merged && relayedList(merged, () => past(found));
    },
    async history(id) {
      const found = await find(id);
      return found ? past(found) : [];
    },
    async subscribe(subscriber) {
      following = (await machines()).followOthers(call, store, subscriber);
      return following;
    },
  };
}

/** The id under which a session of another machine is known here. */
export function remoteId({ live, machine }: RelayedTrack): TrackId {
  return { session: relayedSession(live.session, machine), agent: live.agent };
}
