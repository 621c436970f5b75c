import type { TrackId } from "../../../core/model.ts";
import { planFingerprint } from "../../../core/plan/decide.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { type PlanRequest, trackPath } from "../../../core/wire.ts";
import { sendPlan } from "../connection/api.ts";
import type { App } from "../state/app-context.ts";
import { announceDecision } from "../state/decisions.ts";
import { cancelPending, sendAfterUndo } from "../state/undo.ts";

/** A plan as shown. Decisions name it, so that a newer plan is never decided by accident. */
interface Shown {
  readonly track: TrackId;
  readonly plan?: Plan;
}

/** A comment of the user on a plan. */
export interface PlanMessage {
  readonly comment: string;
  readonly step?: number;
  onSent?(): void;
}

const NO_COMMENT: PlanMessage = { comment: "" };

type Decision = "approve" | "reject";
const STATES = { approve: "approved", reject: "rejected" } as const;

export function approveWithUndo(app: App, shown: Shown, word = NO_COMMENT): void {
  decideWithUndo(app, shown, "approve", word);
}

export function rejectWithUndo(app: App, shown: Shown, word = NO_COMMENT): void {
  decideWithUndo(app, shown, "reject", word);
}

function decideWithUndo(app: App, shown: Shown, decision: Decision, word: PlanMessage): void {
  const requests = decisionOn(shown, decision, word);
  const { track, plan } = shown;
  const subject = subjectOf(shown);
  const state = STATES[decision];
  const message = `Plan ${state}.`;
  cancelPending(subject);
  const onSettled = plan && announceDecision(track, { plan: planFingerprint(plan), state });
  sendAfterUndo(app, {
    ...(onSettled && { onSettled }),
    subject,
    message,
    async send(isLeaving) {
      // The page is closing: send without waiting. The order does not matter.
      if (isLeaving) await Promise.all(requests.map((each) => sendPlan(track, each, true)));
      // Also cancel a decision that was started during the request.
      else if (await decide(app, shown, requests, word, message)) cancelPending(subject);
    },
  });
}

export async function sendComment(app: App, shown: Shown, word: PlanMessage): Promise<void> {
  await decide(app, shown, [commentOn(shown, word)], word, "Comment sent.");
}

export async function adoptSteps(app: App, shown: Shown): Promise<void> {
  await decide(app, shown, [{ decision: "adopt" }], NO_COMMENT, "Steps added as todos.");
}

/** Requests in progress. */
const underWay = new Set<string>();

/** Sends a decision and reports the result. Ignores repeated clicks while the request is in progress. */
async function decide(
  app: App,
  shown: Shown,
  requests: readonly PlanRequest[],
  word: PlanMessage,
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
    app.notify({ text: done });
    return true;
  } catch (error) {
    app.notify({ text: (error as Error).message, isProblem: true });
    return false;
  } finally {
    underWay.delete(act);
  }
}

function subjectOf({ track }: Shown): string {
  return `plan:${trackPath(track)}`;
}

function seenOf({ plan }: Shown): Pick<PlanRequest, "seen"> {
  return plan ? { seen: planFingerprint(plan) } : {};
}

/** A comment on a step is sent separately, so that it stays with the step. */
function decisionOn(shown: Shown, decision: Decision, word: PlanMessage): readonly PlanRequest[] {
  const own = { decision, ...seenOf(shown) };
  if (word.comment === "") return [own];
  if (word.step === undefined) return [{ ...own, comment: word.comment }];
  return [commentOn(shown, word), own];
}

/** Only a comment on a step names the plan: a general comment also applies to a newer plan. */
function commentOn(shown: Shown, { comment, step }: PlanMessage): PlanRequest {
  const about = step === undefined ? {} : { step, ...seenOf(shown) };
  return { decision: "comment", comment, ...about };
}
