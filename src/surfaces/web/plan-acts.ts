import type { TrackId } from "../../core/model.ts";
import type { PlanRequest } from "../../core/wire.ts";
import { sendPlan } from "./api.ts";
import type { App } from "./app-context.ts";
import { later } from "./later.ts";

/** Sends what a person decided, and says what became of it. */
export async function decidePlan(
  app: App,
  id: TrackId,
  request: PlanRequest,
  said: string,
): Promise<boolean> {
  try {
    await sendPlan(id, request);
    app.tell({ text: said });
    return true;
  } catch (error) {
    app.tell({ text: (error as Error).message, isProblem: true });
    return false;
  }
}

export function rejectLater(app: App, id: TrackId, comment: string): void {
  const request: PlanRequest = { decision: "reject", ...(comment !== "" && { comment }) };
  later(app, "Plan rejected.", async (isLeaving) => {
    if (isLeaving) await sendPlan(id, request, true);
    else await decidePlan(app, id, request, "Plan rejected. The agent is told.");
  });
}
