import type { TrackId } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { planMark } from "../../core/planning.ts";
import type { PlanRequest } from "../../core/wire.ts";
import { sendPlan } from "./api.ts";
import type { App } from "./app-context.ts";
import { later } from "./later.ts";

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

export function approvePlan(app: App, shown: Shown, comment = ""): Promise<boolean> {
  const request = decisionOn(shown, "approve", comment);
  return decidePlan(app, shown, request, "Plan approved. The agent is told.");
}

export function rejectLater(app: App, shown: Shown, comment = ""): void {
  const request = decisionOn(shown, "reject", comment);
  later(app, "Plan rejected.", async (isLeaving) => {
    if (isLeaving) await sendPlan(shown.track, request, true);
    else await decidePlan(app, shown, request, "Plan rejected. The agent is told.");
  });
}

function decisionOn({ plan }: Shown, decision: "approve" | "reject", comment: string): PlanRequest {
  return {
    decision,
    ...(comment !== "" && { comment }),
    ...(plan && { seen: planMark(plan) }),
  };
}
