import type { TrackId } from "../../../core/model.ts";
import { planMark } from "../../../core/plan/decide.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { type PlanRequest, trackPath } from "../../../core/wire.ts";
import { sendPlan } from "../connection/api.ts";
import type { App } from "../state/app-context.ts";
import { later, takeBack } from "../state/later.ts";

/** A plan as it is shown: what a person decides is about this one, and none in its place. */
interface Shown {
  readonly track: TrackId;
  readonly plan?: Plan;
}

/** What a person says about a plan. */
export interface Word {
  readonly comment: string;
  readonly step?: number;
  onSent?(): void;
}

const NOTHING: Word = { comment: "" };

export async function approvePlan(app: App, shown: Shown, word = NOTHING): Promise<void> {
  const subject = subjectOf(shown);
  takeBack(subject);
  const requests = decisionOn(shown, "approve", word);
  const isDone = await decide(app, shown, requests, word, "Plan approved. The agent is told.");
  // It was too late for one that came while this was under way.
  if (isDone) takeBack(subject);
}

export function rejectLater(app: App, shown: Shown, word = NOTHING): void {
  const requests = decisionOn(shown, "reject", word);
  later(app, {
    subject: subjectOf(shown),
    said: "Plan rejected.",
    async send(isLeaving) {
      // Nobody waits for an answer any more, and the agent is told of both in any order.
      if (isLeaving) await Promise.all(requests.map((each) => sendPlan(shown.track, each, true)));
      else await decide(app, shown, requests, word, "Plan rejected. The agent is told.");
    },
  });
}

export async function commentOn(app: App, shown: Shown, word: Word): Promise<void> {
  await decide(app, shown, [remarkOn(shown, word)], word, "The agent is told.");
}

export async function adoptSteps(app: App, shown: Shown): Promise<void> {
  await decide(app, shown, [{ decision: "adopt" }], NOTHING, "Its steps are todos now.");
}

/** What was sent and not answered yet. */
const underWay = new Set<string>();

/**
 * Sends what a person decided, and says what became of it. Sent once, however often and wherever
 * on the page they press before the answer is there.
 */
async function decide(
  app: App,
  shown: Shown,
  requests: readonly PlanRequest[],
  word: Word,
  done: string,
): Promise<boolean> {
  const act = `${requests.at(-1)?.decision} ${subjectOf(shown)}`;
  if (underWay.has(act)) return false;
  underWay.add(act);
  try {
    for (const request of requests) {
      await sendPlan(shown.track, request);
      if (request.comment !== undefined) word.onSent?.();
    }
    app.tell({ text: done });
    return true;
  } catch (error) {
    app.tell({ text: (error as Error).message, isProblem: true });
    return false;
  } finally {
    underWay.delete(act);
  }
}

function subjectOf({ track }: Shown): string {
  return `plan:${trackPath(track)}`;
}

function seenOf({ plan }: Shown): Pick<PlanRequest, "seen"> {
  return plan ? { seen: planMark(plan) } : {};
}

/** What is about a step is said on its own, so that it stays with the step. */
function decisionOn(
  shown: Shown,
  decision: "approve" | "reject",
  word: Word,
): readonly PlanRequest[] {
  const own = { decision, ...seenOf(shown) };
  if (word.comment === "") return [own];
  if (word.step === undefined) return [{ ...own, comment: word.comment }];
  return [remarkOn(shown, word), own];
}

/** What is about the whole plan is so whatever became of it. */
function remarkOn(shown: Shown, { comment, step }: Word): PlanRequest {
  const about = step === undefined ? {} : { step, ...seenOf(shown) };
  return { decision: "comment", comment, ...about };
}
