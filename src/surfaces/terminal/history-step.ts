import type { Awaitable } from "../../core/awaitable.ts";
import type { Track } from "../../core/model.ts";
import type { Transition } from "../../core/views/history.ts";
import type { HistoryStep } from "./state.ts";

/** A list with its history. */
interface ListWithHistory {
  history(): Awaitable<readonly Transition[]>;
  at(time: number): Awaitable<Track>;
}

/** One change of a list and the list after it; undefined for a list without history. */
export async function historyStepAt(
  list: ListWithHistory,
  track: Track,
  key: string,
  wanted: number,
): Promise<HistoryStep | undefined> {
  // A proof is not a change of the list.
  const changes = (await list.history()).filter(({ change }) => change !== "proof");
  const bySeq = new Map<number, Transition[]>();
  for (const change of changes) bySeq.set(change.seq, [...(bySeq.get(change.seq) ?? []), change]);
  const steps = [...bySeq.values()];
  const step = Math.max(0, Math.min(steps.length - 1, wanted));
  const changed = steps[step];
  const [first] = changed ?? [];
  if (!changed || !first) return undefined;
  return {
    key,
    step,
    count: steps.length,
    at: first.at,
    by: first.by,
    summary: summaryOf(changed, first),
    track: { ...track, ...(await list.at(first.at)) },
  };
}

const WHO = { agent: "the agent", user: "you", system: "Waymark" } as const;

function summaryOf(changed: readonly Transition[], { by, change, to, text }: Transition): string {
  const did = change === "moved" && to ? to.replace("_", " ") : change;
  const more = changed.length > 1 ? `, and ${changed.length - 1} more` : "";
  return `${WHO[by]}: ${did} ${text}${more}`;
}
