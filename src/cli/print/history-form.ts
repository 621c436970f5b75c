import { changeLabel, type Remark, type Transition } from "../../core/views/history.ts";
import type { HistoryRow } from "../../surfaces/text/index.ts";

/** JSON form of a history row. */
export function transitionForm(row: Transition | Remark) {
  return { ...row, at: new Date(row.at).toISOString() };
}

/** Merges transitions and remarks in order of their sequence numbers. */
export function inOrder(
  transitions: readonly Transition[],
  remarks: readonly Remark[],
): readonly (Transition | Remark)[] {
  return [...transitions, ...remarks].sort((a, b) => a.seq - b.seq);
}

export function isTransition(row: Transition | Remark): row is Transition {
  return "change" in row;
}

/** A remark as a table row. A reminder is its first sentence and its length. */
function remarkRow({ at, by, via, what, text }: Remark): HistoryRow {
  const isReminder = what === "reminded";
  // The first line of a reminder is its tag.
  const line = (isReminder ? text.split("\n")[1] : text.split("\n")[0]) ?? "";
  const size = isReminder ? ` (${text.length} characters)` : "";
  return { at, by, via, text: `${what}${line === "" ? "" : `: ${line}`}${size}` };
}

/** A history entry as a table row. Status changes need no text. */
export function historyRow(entry: Transition | Remark): HistoryRow {
  if (!isTransition(entry)) return remarkRow(entry);
  const { change, detail, ...row } = entry;
  if (change === "verified") return { ...row, change: `verified: ${detail ?? ""}` };
  if (change === "proof" && detail !== undefined) {
    const isPassed = /^(?:passed|accepted):/.test(detail);
    const isWarned = detail.startsWith("passed with warnings:");
    const proof = isPassed ? "reproduced" : isWarned ? "warned" : "failed";
    return { ...row, change: detail, proof };
  }
  const moves = change === "added" || change === "moved" || change === "removed";
  return moves
    ? row
    : { ...row, change: (change === "reordered" && detail) || changeLabel(change) };
}
