import { fingerprint } from "../activity/detect.ts";
import { applyOp, workingListOf } from "../list/apply.ts";
import { diff } from "../list/diff.ts";
import { policyFor } from "../list/policy.ts";
import { checkNote } from "../list/validate.ts";
import type { Author, Change, Decision, Draft, Origin, Rejection, Track } from "../model.ts";
import { line, type ModelText, modelText } from "../text/model-text.ts";
import { isOpen } from "../views/view.ts";
import type { Plan } from "./plan.ts";
import { stepsOf, withoutCode } from "./steps.ts";

/** Whether approval turns the steps of a plan into todos. `if free`: only if no todo is open. */
export type Adoption = boolean | "if free";

/** Identifies the plan that the user read (default: the current plan). */
export interface SeenPlan {
  /** The `planFingerprint` of that plan. */
  readonly seen?: string;
}

/** An action on a plan. */
export type PlanAction =
  | { readonly action: "draft"; readonly delta: string }
  | { readonly action: "propose"; readonly text?: string; readonly path?: string }
  | ({
      readonly action: "approve";
      readonly comment?: string;
      readonly adopt?: Adoption;
    } & SeenPlan)
  | ({ readonly action: "reject"; readonly comment?: string } & SeenPlan)
  | ({ readonly action: "comment"; readonly text: string; readonly step?: number } & SeenPlan)
  | { readonly action: "adopt" };

interface EventContext {
  readonly key: string;
  readonly at: number;
  readonly by: Author;
  readonly via: string;
  readonly origin?: Origin;
}

type Changes = { readonly changes: readonly Change[] } | { readonly rejected: Rejection };

/** Maximum length of a plan in characters. It is stored in the track, which is written with every event. */
const MAX_PROPOSED = 60_000;

const CHANGED = modelText`The plan has changed since you read it. Read it again.`;

/** Decides whether an action on the plan of a track takes effect. */
export function decidePlan(track: Track, action: PlanAction, context: EventContext): Decision {
  const { key, at, by, via, origin } = context;
  const result = changesOf(track, action, context);
  if ("rejected" in result) return { ok: false, rejected: [result.rejected] };
  const opened: Change[] = track.version === 0 ? [{ type: "track.opened", ...origin }] : [];
  const changes = [...opened, ...result.changes];
  return { ok: true, event: { seq: track.version + 1, key, at, by, via, changes } };
}

function changesOf(track: Track, action: PlanAction, context: EventContext): Changes {
  const { plan } = track;
  switch (action.action) {
    case "draft":
      return { changes: [{ type: "plan.drafted", planId: draftId(plan), delta: action.delta }] };
    case "propose":
      return propose(track, action);
    case "approve":
    case "reject":
      return decideOn(track, action, context);
    case "comment":
      return comment(track, action);
    case "adopt":
      if (plan?.state !== "approved") return refuse(notApproved(plan));
      return adopt(track, plan, context);
  }
}

function refuse(message: ModelText): Changes {
  return { rejected: { code: "conflict", message } };
}

/** Identifies the text of a plan. A proposal that replaces another keeps its id but has a new fingerprint. */
export function planFingerprint({ id, text }: Pick<Plan, "id" | "text">): string {
  return fingerprint([id, text]);
}

function isAnother(plan: Plan, { seen }: SeenPlan): boolean {
  return seen !== undefined && seen !== planFingerprint(plan);
}

/** The id of the plan that a draft belongs to. After a decision, a new plan starts. */
function draftId(plan: Plan | undefined): string {
  if (!plan) return "p1";
  if (plan.state === "streaming" || plan.state === "proposed") return plan.id;
  const number = /^p(\d+)$/.exec(plan.id)?.[1];
  return `p${number === undefined ? 1 : Number(number) + 1}`;
}

function propose(track: Track, action: PlanAction & { action: "propose" }): Changes {
  const drafted = track.plan?.state === "streaming" ? track.plan.text : "";
  const text = (action.text ?? drafted).trim();
  if (text === "") return refuse(modelText`The plan is empty. Send it as Markdown.`);
  if (text.length > MAX_PROPOSED)
    return refuse(
      modelText`The plan has ${text.length} characters; the limit is ${MAX_PROPOSED}. Leave out details that you decide while you work.`,
    );
  const path = action.path === undefined ? {} : { path: action.path };
  return {
    changes: [
      { type: "plan.proposed", planId: draftId(track.plan), text, ...path },
      ...modeChange(track, "plan"),
    ],
  };
}

function modeChange(track: Track, mode: Track["mode"]): Change[] {
  return track.mode === mode ? [] : [{ type: "mode.changed", mode }];
}

function decideOn(
  track: Track,
  action: PlanAction & { action: "approve" | "reject" },
  context: EventContext,
): Changes {
  const { plan } = track;
  if (context.by === "agent") return refuse(modelText`Only the user can approve or reject a plan.`);
  if (plan?.state !== "proposed") return refuse(notWaiting(plan));
  if (plan.foreign) return refuse(modelText`Decide on this plan in the agent's own program.`);
  if (isAnother(plan, action)) return refuse(CHANGED);
  const checked = checkedComment(action.comment);
  if (checked && "rejected" in checked) return checked;
  const decision = action.action === "approve" ? "approved" : "rejected";
  const decided: Change = {
    type: "plan.decided",
    planId: plan.id,
    decision,
    ...(checked && { comment: checked.text }),
  };
  if (action.action === "reject") return { changes: [decided] };
  const changes = [decided, ...modeChange(track, "work")];
  const isFree = !track.todos.some(isOpen) && stepsOf(plan.text).length > 0;
  if (!action.adopt || (action.adopt === "if free" && !isFree)) return { changes };
  const adopted = adopt({ ...track, mode: "work" }, plan, context);
  return "rejected" in adopted ? adopted : { changes: [...changes, ...adopted.changes] };
}

function checkedComment(
  comment: string | undefined,
): { readonly text: string } | { readonly rejected: Rejection } | undefined {
  if (comment === undefined || comment.trim() === "") return undefined;
  const { value, rejected } = checkNote(modelText`comment`, comment, policyFor("user"));
  const [first] = rejected;
  return first ? { rejected: first } : { text: value };
}

function comment({ plan }: Track, action: PlanAction & { action: "comment" }): Changes {
  if (!plan) return refuse(modelText`There is no plan to comment on.`);
  if (isAnother(plan, action)) return refuse(CHANGED);
  const checked = checkedComment(action.text);
  if (!checked) return refuse(modelText`The comment is empty.`);
  if ("rejected" in checked) return checked;
  const { step } = action;
  const steps = stepsOf(plan.text).length;
  if (step !== undefined && !(step >= 1 && step <= steps))
    return refuse(modelText`The plan has no step ${step}. Number of steps: ${steps}.`);
  return {
    changes: [
      {
        type: "plan.commented",
        planId: plan.id,
        text: checked.text,
        ...(step !== undefined && { step }),
      },
    ],
  };
}

/** Appends the steps as todos, each linked to its step. */
function adopt(track: Track, plan: Plan, { at, by }: EventContext): Changes {
  if (plan.adoptedAt !== undefined)
    return refuse(modelText`The steps of plan ${line(plan.id)} are already in the list.`);
  const steps = stepsOf(plan.text);
  if (steps.length === 0)
    return refuse(modelText`The plan has no steps (checklist, numbered items or bullets).`);
  const todos = steps.map(
    ({ number, text }): Draft => ({ text: withoutCode(text), planStep: `${plan.id}#${number}` }),
  );
  const working = workingListOf(track);
  // By approving the plan, the user approves its length.
  const policy = policyFor("user");
  const [refused] = applyOp(
    working,
    { op: "add", todos },
    { track, policy, fieldNames: {}, at, by },
  );
  if (refused) return { rejected: refused };
  return { changes: [...diff(track, working), { type: "plan.adopted", planId: plan.id }] };
}

function notWaiting(plan: Plan | undefined): ModelText {
  if (!plan) return modelText`No plan is waiting for a decision.`;
  return plan.state === "streaming"
    ? modelText`The plan is still being written. Decide after the agent proposes it.`
    : modelText`The plan was already ${plan.state}. The agent has to propose another one.`;
}

function notApproved(plan: Plan | undefined): ModelText {
  if (!plan) return modelText`There is no plan to adopt.`;
  return plan.state === "rejected"
    ? modelText`The plan was rejected, so its steps cannot become todos.`
    : modelText`The plan is not approved yet. Its steps can become todos after the user approves it.`;
}
