import { fingerprint } from "../activity/detect.ts";
import { applyOp, workingListOf } from "../list/apply.ts";
import { diff } from "../list/diff.ts";
import { policyFor } from "../list/policy.ts";
import { checkNote } from "../list/validate.ts";
import type { By, Change, Decision, Draft, Origin, Rejection, Track } from "../model.ts";
import { line, type ModelText, modelText } from "../text/model-text.ts";
import { isOpen } from "../views/view.ts";
import type { Plan } from "./plan.ts";
import { stepsOf } from "./steps.ts";

/** Whether the steps of a plan become todos with its approval; `if free`: where no todo is open. */
export type Adoption = boolean | "if free";

/** Which plan a person read; without it they mean whatever is there. */
export interface Seen {
  /** Its `planMark`. */
  readonly seen?: string;
}

/** What somebody wants of a plan. */
export type PlanAct =
  | { readonly act: "draft"; readonly delta: string }
  | { readonly act: "propose"; readonly text?: string; readonly path?: string }
  | ({ readonly act: "approve"; readonly comment?: string; readonly adopt?: Adoption } & Seen)
  | ({ readonly act: "reject"; readonly comment?: string } & Seen)
  | ({ readonly act: "comment"; readonly text: string; readonly step?: number } & Seen)
  | { readonly act: "adopt" };

interface Asking {
  readonly key: string;
  readonly at: number;
  readonly by: By;
  readonly via: string;
  readonly origin?: Origin;
}

type Changes = { readonly changes: readonly Change[] } | { readonly rejected: Rejection };

/** The most characters of a plan: it is kept with the track, which is written with every event. */
const MAX_PROPOSED = 60_000;

const CHANGED = modelText`The plan changed meanwhile; read it again.`;

/** Judges what is asked of the plan of a track. */
export function decidePlan(track: Track, act: PlanAct, asking: Asking): Decision {
  const { key, at, by, via, origin } = asking;
  const wanted = changesOf(track, act, asking);
  if ("rejected" in wanted) return { ok: false, rejected: [wanted.rejected] };
  const opened: Change[] = track.version === 0 ? [{ type: "track.opened", ...origin }] : [];
  const changes = [...opened, ...wanted.changes];
  return { ok: true, event: { seq: track.version + 1, key, at, by, via, changes } };
}

function changesOf(track: Track, act: PlanAct, asking: Asking): Changes {
  const { plan } = track;
  switch (act.act) {
    case "draft":
      return { changes: [{ type: "plan.drafted", planId: draftId(plan), delta: act.delta }] };
    case "propose":
      return propose(track, act);
    case "approve":
    case "reject":
      return decideOn(track, act, asking);
    case "comment":
      return comment(track, act);
    case "adopt":
      if (plan?.state !== "approved") return refuse(notApproved(plan));
      return adopt(track, plan, asking);
  }
}

function refuse(message: ModelText): Changes {
  return { rejected: { code: "conflict", message } };
}

/** Tells what was proposed from what is proposed in its place: that one has the same id. */
export function planMark({ id, text }: Pick<Plan, "id" | "text">): string {
  return fingerprint([id, text]);
}

function isAnother(plan: Plan, { seen }: Seen): boolean {
  return seen !== undefined && seen !== planMark(plan);
}

/** A plan that was decided on is over; what comes next is another one. */
function draftId(plan: Plan | undefined): string {
  if (!plan) return "p1";
  if (plan.state === "streaming" || plan.state === "proposed") return plan.id;
  const number = /^p(\d+)$/.exec(plan.id)?.[1];
  return `p${number === undefined ? 1 : Number(number) + 1}`;
}

function propose(track: Track, act: PlanAct & { act: "propose" }): Changes {
  const drafted = track.plan?.state === "streaming" ? track.plan.text : "";
  const text = (act.text ?? drafted).trim();
  if (text === "") return refuse(modelText`The plan is empty. Send it as markdown.`);
  if (text.length > MAX_PROPOSED)
    return refuse(
      modelText`The plan has ${text.length} characters; at most ${MAX_PROPOSED} are allowed. Leave the details for the work itself.`,
    );
  const path = act.path === undefined ? {} : { path: act.path };
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
  act: PlanAct & { act: "approve" | "reject" },
  asking: Asking,
): Changes {
  const { plan } = track;
  if (asking.by === "agent") return refuse(modelText`A plan is approved or rejected by a person.`);
  if (plan?.state !== "proposed") return refuse(notWaiting(plan));
  if (plan.foreign)
    return refuse(
      modelText`This plan is decided in the agent itself: it asks there, and listens there.`,
    );
  if (isAnother(plan, act)) return refuse(CHANGED);
  const said = checkedComment(act.comment);
  if (said && "rejected" in said) return said;
  const decision = act.act === "approve" ? "approved" : "rejected";
  const decided: Change = {
    type: "plan.decided",
    planId: plan.id,
    decision,
    ...(said && { comment: said.text }),
  };
  if (act.act === "reject") return { changes: [decided] };
  const changes = [decided, ...modeChange(track, "work")];
  const isFree = !track.todos.some(isOpen) && stepsOf(plan.text).length > 0;
  if (!act.adopt || (act.adopt === "if free" && !isFree)) return { changes };
  const adopted = adopt({ ...track, mode: "work" }, plan, asking);
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

function comment({ plan }: Track, act: PlanAct & { act: "comment" }): Changes {
  if (!plan) return refuse(modelText`There is no plan to comment on.`);
  if (isAnother(plan, act)) return refuse(CHANGED);
  const said = checkedComment(act.text);
  if (!said) return refuse(modelText`The comment is empty.`);
  if ("rejected" in said) return said;
  const { step } = act;
  const steps = stepsOf(plan.text).length;
  if (step !== undefined && !(step >= 1 && step <= steps))
    return refuse(modelText`The plan has no step ${step}: it has ${steps}.`);
  return {
    changes: [
      {
        type: "plan.commented",
        planId: plan.id,
        text: said.text,
        ...(step !== undefined && { step }),
      },
    ],
  };
}

/** The steps become todos behind what is there, each with the step it came from. */
function adopt(track: Track, plan: Plan, { at, by }: Asking): Changes {
  if (plan.adoptedAt !== undefined)
    return refuse(modelText`The steps of plan ${line(plan.id)} are in the list already.`);
  const steps = stepsOf(plan.text);
  if (steps.length === 0)
    return refuse(modelText`The plan has no steps: no checklist, no numbered steps, no bullets.`);
  const todos = steps.map(
    ({ number, text }): Draft => ({ text, planStep: `${plan.id}#${number}` }),
  );
  const working = workingListOf(track);
  // The person who approves the plan approves its length.
  const policy = policyFor("user");
  const [refused] = applyOp(working, { op: "add", todos }, { track, policy, words: {}, at, by });
  if (refused) return { rejected: refused };
  return { changes: [...diff(track, working), { type: "plan.adopted", planId: plan.id }] };
}

function notWaiting(plan: Plan | undefined): ModelText {
  if (!plan) return modelText`There is no plan that waits for a decision.`;
  return plan.state === "streaming"
    ? modelText`The plan is still being written; it can be decided on when it is proposed.`
    : modelText`The plan was ${plan.state} already. The agent has to propose another one.`;
}

function notApproved(plan: Plan | undefined): ModelText {
  if (!plan) return modelText`There is no plan to adopt.`;
  return plan.state === "rejected"
    ? modelText`The plan was rejected: its steps do not become todos.`
    : modelText`The plan is not approved yet: its steps become todos when a person has approved it.`;
}
