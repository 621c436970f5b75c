import { useEffect, useRef, useState } from "preact/hooks";
import type { TrackId } from "../../../core/model.ts";
import { planFingerprint } from "../../../core/plan/decide.ts";
import { type Plan, revisionOf } from "../../../core/plan/plan.ts";
import type { PlanRevision } from "../../../core/plan/revisions.ts";
import { trackKey } from "../../../core/text/ids.ts";
import { fetchRevisions } from "../connection/api.ts";

/** The revisions of a plan, oldest first; read when a plan has more than one, and again when it changes. */
export function useRevisions(id: TrackId, plan: Plan): readonly PlanRevision[] {
  const [revisions, setRevisions] = useState<readonly PlanRevision[]>([]);
  const isRevised = revisionOf(plan) > 1;
  const comments = plan.comments?.length ?? 0;
  useEffect(() => {
    if (!isRevised) {
      setRevisions([]);
      return;
    }
    let isStale = false;
    fetchRevisions(id).then(
      (found) => !isStale && setRevisions(found),
      // Without them the plan is shown without a comparison.
      () => undefined,
    );
    return () => {
      isStale = true;
    };
  }, [trackKey(id), planFingerprint(plan), plan.state, comments, isRevised]);
  return revisions;
}

export interface ShownPlan {
  /** The plan on display. */
  readonly plan: Plan;
  /** A newer revision that the user has not seen: the one on display can no longer be decided. */
  readonly arrived: Plan | undefined;
  show(): void;
}

/** Keeps a plan that waits for a decision on display when the agent replaces it: the user is reading it. */
export function useShownPlan(newest: Plan): ShownPlan {
  const [shown, setShown] = useState(newest);
  const isReading = useRef(false);
  const isSame = planFingerprint(shown) === planFingerprint(newest);
  const isKept = !isSame && shown.state === "proposed" && isReading.current;
  useEffect(() => {
    isReading.current = true;
  }, []);
  useEffect(() => {
    if (!isKept) setShown(newest);
  }, [newest, isKept]);
  return isKept
    ? { plan: shown, arrived: newest, show: () => setShown(newest) }
    : { plan: newest, arrived: undefined, show: () => undefined };
}
