import type { Author, Event } from "../model.ts";
import { stepsAfter } from "./diff.ts";
import type { PlanChange, PlanComment } from "./plan.ts";

/** One proposal of a plan. A plan that the user rejected, or that the agent replaced, has a next revision. */
export interface PlanRevision {
  /** From 1. */
  readonly number: number;
  readonly planId: string;
  /** Markdown. */
  readonly text: string;
  readonly at: number;
  /** Comments that were made on this revision. */
  readonly comments: readonly PlanComment[];
  readonly decision?: {
    readonly decision: "approved" | "rejected";
    readonly at: number;
    readonly by: Author;
    readonly comment?: string;
  };
}

/** The newest revisions are kept. */
const MAX_REVISIONS = 20;
const MAX_TEXT = 600_000;

/** The revisions of a plan after a change. After an approval, the next proposal is a new plan. */
export function revisionsAfter(
  known: readonly PlanRevision[],
  change: PlanChange,
  { at, by }: { readonly at: number; readonly by: Author },
): readonly PlanRevision[] {
  const last = known.at(-1);
  switch (change.type) {
    case "plan.proposed": {
      const { planId, text } = change;
      if (!last || last.decision?.decision === "approved")
        return [{ number: 1, planId, text, at, comments: [] }];
      // Proposed again, unchanged.
      if (!last.decision && last.planId === planId && last.text === text) return known;
      return bounded([...known, { number: last.number + 1, planId, text, at, comments: [] }]);
    }
    case "plan.decided": {
      if (last?.planId !== change.planId) return known;
      const { decision, comment } = change;
      const decided = { decision, at, by, ...(comment !== undefined && { comment }) };
      return [...known.slice(0, -1), { ...last, decision: decided }];
    }
    case "plan.commented": {
      if (last?.planId !== change.planId) return known;
      const { text, step } = change;
      const comment = { text, at, by, ...(step !== undefined && { step }) };
      return [...known.slice(0, -1), { ...last, comments: [...last.comments, comment] }];
    }
    default:
      return known;
  }
}

function bounded(revisions: readonly PlanRevision[]): readonly PlanRevision[] {
  let size = 0;
  const first = revisions.findLastIndex(({ text }, index) => {
    size += text.length;
    return size > MAX_TEXT || index < revisions.length - MAX_REVISIONS;
  });
  return revisions.slice(first + 1);
}

/** The revisions of the last plan in the events of a track. */
export function planRevisions(events: Iterable<Event>): readonly PlanRevision[] {
  let revisions: readonly PlanRevision[] = [];
  for (const { at, by, changes } of events)
    for (const change of changes)
      if (change.type.startsWith("plan."))
        revisions = revisionsAfter(revisions, change as PlanChange, { at, by });
  return revisions;
}

/** A comment and the step that it is about, in each revision since. */
export interface PlacedComment extends PlanComment {
  /** The revision that it was made on. */
  readonly revision: number;
  /** The number of its step by number of the revision; absent where the step was removed. */
  readonly places: ReadonlyMap<number, number>;
}

/** The comments of all revisions. Those on a step follow it through later revisions. */
export function placedComments(revisions: readonly PlanRevision[]): readonly PlacedComment[] {
  let placed: readonly (PlacedComment & { readonly now: number | undefined })[] = [];
  let before: PlanRevision | undefined;
  for (const revision of revisions) {
    const { number } = revision;
    if (before && placed.some(({ now }) => now !== undefined)) {
      const moves = stepsAfter(before.text, revision.text);
      placed = placed.map((comment) => {
        const now = comment.now === undefined ? undefined : moves.get(comment.now);
        const places =
          now === undefined ? comment.places : new Map([...comment.places, [number, now]]);
        return { ...comment, places, now };
      });
    }
    const own = revision.comments.map((comment) => ({
      ...comment,
      revision: number,
      places: new Map(comment.step === undefined ? [] : [[number, comment.step]]),
      now: comment.step,
    }));
    placed = [...placed, ...own];
    before = revision;
  }
  return placed.map(({ now: _, ...comment }) => comment);
}
