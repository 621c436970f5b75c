import type { Finding } from "../../../core/activity/detect.ts";
import { findingFor, findingsOf } from "../../../core/activity/session-state.ts";
import type { Todo } from "../../../core/model.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { proofOf } from "../../../core/views/view.ts";
import type { IconName } from "../ui/icons.tsx";

/** The sign of a todo, its class, and what a reader of the screen hears. */
export function markOf(todo: Todo): { readonly icon: IconName; readonly says: string } {
  switch (todo.status) {
    case "completed":
      return proofOf(todo) === "verified"
        ? { icon: "verified", says: "done, verified" }
        : { icon: "claimed", says: "done, claimed" };
    case "in_progress":
      return { icon: "active", says: "in progress" };
    case "cancelled":
      return { icon: "cancelled", says: "dropped" };
    case "blocked":
      return { icon: "blocked", says: "blocked" };
    case "pending":
      return { icon: "pending", says: "to do" };
  }
}

/** `5 verified, 2 only claimed`. */
export function proofWords(completed: number, verified: number): string {
  const claimed = completed - verified;
  return [
    ...(verified > 0 ? [`${verified} verified`] : []),
    ...(claimed > 0 ? [`${claimed} only claimed`] : []),
  ].join(", ");
}

/** What passes with time is counted here; the server tells when it begins and ends. */
export function findingNow(
  { activity, state, findings }: MergedTrack,
  now: number,
): Finding | undefined {
  return findingFor(activity ? findingsOf(activity, state, now) : findings, state);
}

export function isLoop({ kind }: Finding): boolean {
  return kind !== "stalled";
}
