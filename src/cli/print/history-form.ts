import type { Remark, Transition } from "../../core/views/history.ts";
import type { HistoryRow } from "../../surfaces/text/index.ts";

/** A transition as programs are given it. */
export function transitionForm(row: Transition | Remark) {
  return { ...row, at: new Date(row.at).toISOString() };
}

/** What happened, in the order in which it did. */
export function inOrder(
  transitions: readonly Transition[],
  remarks: readonly Remark[],
): readonly (Transition | Remark)[] {
  return [...transitions, ...remarks].sort((a, b) => a.seq - b.seq);
}

export function isTransition(row: Transition | Remark): row is Transition {
  return "change" in row;
}

/** A remark as it is drawn: what was told in one line, and how much it was. */
function remarkRow({ at, by, via, what, text }: Remark): HistoryRow {
  const told = what === "reminded";
  // The first line of a block is its mark.
  const line = (told ? text.split("\n")[1] : text.split("\n")[0]) ?? "";
  const size = told ? ` (${text.length} characters)` : "";
  return { at, by, via, text: `${what}${line === "" ? "" : `: ${line}`}${size}` };
}

/** A transition as it is drawn: where a status changed, that says it all. */
export function historyRow(entry: Transition | Remark): HistoryRow {
  if (!isTransition(entry)) return remarkRow(entry);
  const { change, detail, ...row } = entry;
  if (change === "verified") return { ...row, change: `verified: ${detail ?? ""}` };
  const moves = change === "added" || change === "moved" || change === "removed";
  return moves ? row : { ...row, change: (change === "reordered" && detail) || change };
}
