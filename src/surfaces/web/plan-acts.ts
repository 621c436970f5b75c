import type { TrackId } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { planMark } from "../../core/planning.ts";
import { type PlanRequest, trackPath } from "../../core/wire.ts";
import { sendPlan } from "./api.ts";
import type { App } from "./app-context.ts";
import { later, takeBack } from "./later.ts";

/** A plan as it is shown: what a person decides is about this one, and none in its place. */
interface Shown {
  readonly track: TrackId;
  readonly plan?: Plan;
}

/** Sends what a person decided, and says what became of it. */
export async function decidePlan(
  app: App,
  { track }: Shown,
  request: PlanRequest,
  said: string,
): Promise<boolean> {
  try {
    await sendPlan(track, request);
    app.tell({ text: said });
    return true;
  } catch (error) {
    app.tell({ text: (error as Error).message, isProblem: true });
    return false;
  }
}

export async function approvePlan(app: App, shown: Shown, comment = ""): Promise<boolean> {
  const subject = subjectOf(shown);
  takeBack(subject);
  const request = decisionOn(shown, "approve", comment);
  const isDone = await decidePlan(app, shown, request, "Plan approved. The agent is told.");
  // It was too late for one that came while this was under way.
  if (isDone) takeBack(subject);
  return isDone;
}

export function rejectLater(app: App, shown: Shown, comment = ""): void {
  const request = decisionOn(shown, "reject", comment);
  later(app, {
    subject: subjectOf(shown),
    said: "Plan rejected.",
    async send(isLeaving) {
      if (isLeaving) await sendPlan(shown.track, request, true);
      else await decidePlan(app, shown, request, "Plan rejected. The agent is told.");
    },
  });
}

function subjectOf({ track }: Shown): string {
  return `plan:${trackPath(track)}`;
}

function decisionOn({ plan }: Shown, decision: "approve" | "reject", comment: string): PlanRequest {
  return {
    decision,
    ...(comment !== "" && { comment }),
    ...(plan && { seen: planMark(plan) }),
  };
}
