import { type Plan, revisionOf } from "../../core/plan/plan.ts";
import { stepsOf } from "../../core/plan/steps.ts";
import { isoTime } from "../../core/views/json.ts";

/** JSON form of a plan. */
export function planForm(plan: Plan) {
  const { at, decidedAt, adoptedAt, comments, ...rest } = plan;
  return {
    ...rest,
    revision: revisionOf(plan),
    steps: stepsOf(plan.text),
    at: isoTime(at),
    ...(decidedAt !== undefined && { decidedAt: isoTime(decidedAt) }),
    ...(adoptedAt !== undefined && { adoptedAt: isoTime(adoptedAt) }),
    comments: (comments ?? []).map((comment) => ({ ...comment, at: isoTime(comment.at) })),
  };
}
