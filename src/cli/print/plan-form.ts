import type { Plan } from "../../core/plan/plan.ts";
import { stepsOf } from "../../core/plan/steps.ts";
import { timeForm } from "../../core/views/json.ts";

/** A plan as programs are given it. */
export function planForm(plan: Plan) {
  const { at, decidedAt, adoptedAt, comments, ...rest } = plan;
  return {
    ...rest,
    steps: stepsOf(plan.text),
    at: timeForm(at),
    ...(decidedAt !== undefined && { decidedAt: timeForm(decidedAt) }),
    ...(adoptedAt !== undefined && { adoptedAt: timeForm(adoptedAt) }),
    comments: (comments ?? []).map((comment) => ({ ...comment, at: timeForm(comment.at) })),
  };
}
