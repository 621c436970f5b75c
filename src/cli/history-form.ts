import type { Transition } from "../core/history.ts";
import type { HistoryRow } from "../surfaces/text/index.ts";

/** A transition as programs are given it. */
export function transitionForm(transition: Transition) {
  return { ...transition, at: new Date(transition.at).toISOString() };
}

/** A transition as it is drawn: where a status changed, that says it all. */
export function historyRow({ change, ...row }: Transition): HistoryRow {
  const moves = change === "added" || change === "moved" || change === "removed";
  return moves ? row : { ...row, change };
}
