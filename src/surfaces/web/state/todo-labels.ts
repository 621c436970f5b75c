import type { Finding } from "../../../core/activity/detect.ts";
import { findingFor, findingsOf } from "../../../core/activity/session-state.ts";
import type { Todo } from "../../../core/model.ts";
import { evidenceCounts, evidenceFacts, evidenceLevelOf } from "../../../core/views/evidence.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import type { IconName } from "../ui/icons.tsx";

/** The icon of a todo and its label for screen readers. */
export function todoMark(todo: Todo): { readonly icon: IconName; readonly label: string } {
  switch (todo.status) {
    case "completed":
      return {
        icon: todo.check ? "verified" : "done",
        label: `done, ${evidenceLevelOf(todo)}`,
      };
    case "in_progress":
      return { icon: "active", label: "in progress" };
    case "cancelled":
      return { icon: "cancelled", label: "cancelled" };
    case "blocked":
      return { icon: "blocked", label: "blocked" };
    case "pending":
      return { icon: "pending", label: "pending" };
  }
}

/** `5 verified, 2 unverified`. */
export function evidenceLabel(todos: readonly Todo[]): string {
  return evidenceFacts(evidenceCounts(todos)).join(", ");
}

/** The finding with its current duration; the server reports only when it starts and ends. */
export function findingNow(
  { activity, state, findings }: MergedTrack,
  now: number,
): Finding | undefined {
  return findingFor(activity ? findingsOf(activity, state, now) : findings, state);
}

export function isLoop({ kind }: Finding): boolean {
  return kind !== "stalled";
}
