import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import { trackKey } from "../../core/text/ids.ts";
import { byAppearance, joinTracks } from "../../core/views/merged.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import { type CloseLook, lookClosely, readAgents } from "../../sessions/transcripts/agents.ts";
import type { Call } from "../io/command.ts";
import { listToRead, type READ_OPTIONS } from "./which-track.ts";

/** One track with everything around it. */
export interface OneTrack {
  readonly list: ReadList;
  /** Nothing where the session has no such track. */
  readonly found: AnyTrack | undefined;
  readonly children: readonly AnyTrack[];
  /**
   * What the agent's own files say, read line by line, whoever keeps the list: other readings pass
   * over what cannot change a list and do not count every call.
   */
  closely?(): CloseLook;
}

type OneCall = Pick<Call<typeof READ_OPTIONS>, "values" | "terminal" | "home" | "env">;

export async function findTrack(call: OneCall, now: number): Promise<OneTrack> {
  const { home: userHome } = call.values;
  const list = await listToRead(call, { ofCaller: true });
  const { session } = list.id;
  if (list.family) return withinFamily(list, await list.family());
  const agents = await readAgents(call, userHome);
  const hosted =
    userHome === undefined ? await (await call.home.reading()).tracks({ session }) : [];
  const foreign = agents.tracks.filter(({ live }) => live.session === session);
  const one = withinFamily(list, joinTracks(hosted, foreign, now, stallPolicyFromEnv(call.env)));
  const source = one.found?.foreign;
  if (one.closely || !source) return one;
  let look: CloseLook | undefined;
  const closely = (): CloseLook => {
    look ??= lookClosely(source, agents.driver);
    return look;
  };
  return { ...one, closely };
}

function withinFamily(list: ReadList, family: readonly AnyTrack[]): OneTrack {
  const { agent } = list.id;
  return {
    list,
    found: family.find(({ track }) => trackKey(track) === trackKey(list.id)),
    ...(list.closely && { closely: list.closely }),
    children: family
      .filter(({ track }) => track.parentAgent === agent && track.agent !== agent)
      .sort(byAppearance),
  };
}
