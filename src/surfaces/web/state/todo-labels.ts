import type { Finding } from "../../../core/activity/detect.ts";
import { hasMuted, muteKindOf } from "../../../core/activity/mute.ts";
import { findingFor, findingsOf } from "../../../core/activity/session-state.ts";
import {
  doneCount,
  EVIDENCE_STATES,
  type EvidenceState,
  evidenceStateOf,
  evidenceStates,
} from "../../../core/checks/evidence-state.ts";
import type { Todo } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import type { IconName } from "../ui/icons.tsx";

/** Each mark adds a stroke to the one below it. Only those of proven todos are solid. */
const MARKS: Readonly<Record<EvidenceState, { readonly icon: IconName; readonly label: string }>> =
  {
    reproduced: { icon: "reproduced", label: "done, reproduced" },
    verified: { icon: "verified", label: "done, verified" },
    reported: { icon: "reported", label: "done, reported" },
    unverified: { icon: "unverified", label: "done, unverified" },
    stale: { icon: "stale", label: "done, evidence is stale" },
    warned: { icon: "warned", label: "done, check passed with warnings" },
    failed: { icon: "failed", label: "check failed" },
  };

/** The icon of a todo and its label for screen readers. */
export function todoMark(todo: Todo): { readonly icon: IconName; readonly label: string } {
  switch (todo.status) {
    case "completed":
      return MARKS[evidenceStateOf(todo)];
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

const FACTS: Readonly<Record<EvidenceState, string>> = {
  reproduced: "reproduced",
  verified: "verified",
  reported: "reported",
  unverified: "unverified",
  stale: "stale",
  warned: "with warnings",
  failed: "failing",
};

/** `5 verified, 2 unverified`, without failed checks. */
export function evidenceLabel(todos: readonly Todo[]): string {
  const counts = evidenceStates(todos);
  return EVIDENCE_STATES.filter((mark) => mark !== "failed" && counts[mark])
    .map((mark) => `${counts[mark]} ${FACTS[mark]}`)
    .join(", ");
}

/** `1 check failing`, or empty if there is none or the user muted it. */
export function failingLabel(merged: Pick<MergedTrack, "track" | "muted">): string {
  const failing = evidenceStates(merged.track.todos).failed ?? 0;
  return failing === 0 || hasMuted(merged, "failing") ? "" : `${counted(failing, "check")} failing`;
}

/** The weakest mark among the completed todos, for a finished list. */
export function weakestMark(todos: readonly Todo[]): IconName {
  const counts = evidenceStates(todos);
  const weakest = EVIDENCE_STATES.findLast((mark) => counts[mark]);
  return weakest === undefined ? "done" : MARKS[weakest].icon;
}

/** Done and all todos; a todo whose check failed is not done. */
export function progressLabel(todos: readonly Todo[]): string {
  const total = todos.filter(({ status }) => status !== "cancelled").length;
  return `${doneCount(todos)} of ${total}`;
}

/** The finding with its current duration; the server reports only when it starts and ends. */
export function findingNow(merged: MergedTrack, now: number): Finding | undefined {
  const { activity, state, findings } = merged;
  const all = activity ? findingsOf(activity, state, now) : findings;
  return findingFor(
    all.filter((finding) => !hasMuted(merged, muteKindOf(finding))),
    state,
  );
}

export function isLoop({ kind }: Finding): boolean {
  return kind !== "stalled";
}
