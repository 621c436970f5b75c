import type { Awaitable } from "../../core/awaitable.ts";
import type { Track } from "../../core/model.ts";
import type { Transition } from "../../core/views/history.ts";
import type { Past } from "./state.ts";

/** A list whose history can be read. */
interface Recorded {
  history(): Awaitable<readonly Transition[]>;
  at(time: number): Awaitable<Track>;
}

/** One change of a list, and the list after it; undefined if nothing ever happened to it. */
export async function pastAt(
  list: Recorded,
  track: Track,
  key: string,
  wanted: number,
): Promise<Past | undefined> {
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
    track: { ...track, ...(await list.at(first.at)) },
  };
}

const WHO = { agent: "the agent", user: "you", system: "Waymark" } as const;

function wordsOf(moment: readonly Transition[], { by, change, to, text }: Transition): string {
  const did = change === "moved" && to ? to.replace("_", " ") : change;
  const more = moment.length > 1 ? `, and ${moment.length - 1} more` : "";
  return `${WHO[by]}: ${did} ${text}${more}`;
}
