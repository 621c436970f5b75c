import type { TrackId } from "../../core/model.ts";
import type { PlanRequest } from "../../core/wire.ts";
import { sendPlan } from "./api.ts";
import type { App } from "./app-context.ts";

/** So long a rejection can be taken back. */
export const UNDO = 8_000;

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

/** Sent when nobody took it back, or when the page is left. */
export function rejectLater(app: App, id: TrackId, comment: string): void {
  const request: PlanRequest = { decision: "reject", ...(comment !== "" && { comment }) };
  const finish = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
  };
  const leave = () => {
    finish();
    void sendPlan(id, request, true);
  };
  const timer = setTimeout(() => {
    finish();
    void decidePlan(app, id, request, "Plan rejected. The agent is told.");
  }, UNDO);
  addEventListener("pagehide", leave);
  app.tell({ text: "Plan rejected.", undo: finish });
}
