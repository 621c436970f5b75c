import type { TrackId } from "../../core/model.ts";
import type { Transition } from "../../core/views/history.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { Feed } from "../../sessions/feed.ts";
import { foreignList, type ReadList, relayedList } from "../../sessions/read-list.ts";
import type { Past } from "../../surfaces/terminal/state.ts";
import type { Call } from "../io/command.ts";

async function listOf(
  { home }: Pick<Call, "home">,
  found: AnyTrack,
  { driver, pastElsewhere }: Pick<Feed, "driver" | "pastElsewhere">,
): Promise<ReadList> {
  const { track, hosted, foreign, relayed } = found;
  const id: TrackId = { session: track.session, agent: track.agent };
  if (relayed) return relayedList(found, [], () => pastElsewhere(found));
  if (hosted || !foreign) return (await home.reading()).list(id);
  return foreignList(foreign, driver);
}

/** One change of the list of a track, and the list after it; nothing where nothing ever happened. */
export async function pastAt(
  call: Pick<Call, "home">,
  found: AnyTrack,
  feed: Pick<Feed, "driver" | "pastElsewhere">,
  key: string,
  wanted: number,
): Promise<Past | undefined> {
  const list = await listOf(call, found, feed);
  const changes = await list.history();
  const bySeq = new Map<number, Transition[]>();
  for (const change of changes) bySeq.set(change.seq, [...(bySeq.get(change.seq) ?? []), change]);
  const moments = [...bySeq.values()];
  const step = Math.max(0, Math.min(moments.length - 1, wanted));
  const moment = moments[step];
  const [first] = moment ?? [];
  if (!moment || !first) return undefined;
  return {
    key,
    step,
    count: moments.length,
    at: first.at,
    by: first.by,
    words: wordsOf(moment, first),
    track: { ...found.track, ...(await list.at(first.at)) },
  };
}

const WHO = { agent: "the agent", user: "you", system: "Waymark" } as const;

function wordsOf(moment: readonly Transition[], { by, change, to, text }: Transition): string {
  const did = change === "moved" && to ? to.replace("_", " ") : change;
  const more = moment.length > 1 ? `, and ${moment.length - 1} more` : "";
  return `${WHO[by]}: ${did} ${text}${more}`;
}
