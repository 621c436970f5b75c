import type { Proof } from "./checks/proof.ts";
import { refusedLabel } from "./guidance/refusal.ts";
import type { Todo, Track } from "./model.ts";
import { planFingerprint } from "./plan/decide.ts";
import { diffPlans } from "./plan/diff.ts";
import { type Plan, revisionOf } from "./plan/plan.ts";
import type { PlanRevision } from "./plan/revisions.ts";
import { stepsOf } from "./plan/steps.ts";
import { MAIN_AGENT } from "./text/ids.ts";
import { titleOf } from "./views/title.ts";

/** A list as the view inside a chat host receives it. */
export interface AppView {
  readonly session: string;
  readonly agent: string;
  readonly version: number;
  readonly title: string;
  readonly agentType?: string;
  /** Without notes and the output of checks. */
  readonly todos: readonly Todo[];
  readonly explanation?: string;
  /** Why the agent's last list write was refused. */
  readonly refused?: string;
  /** The plan that waits for the user, or the last decision about one. */
  readonly plan?: AppPlan;
  /** Present in views that show the team's tasks. */
  readonly tasks?: AppTasks;
  /** The clock of the server. */
  readonly now: number;
}

export interface AppPlan {
  readonly state: Exclude<Plan["state"], "streaming">;
  readonly revision: number;
  /** The `planFingerprint` of the plan. */
  readonly seen: string;
  readonly at: number;
  /** At most `MAX_STEPS`. */
  readonly steps: readonly AppStep[];
  /** All steps of the plan. */
  readonly total: number;
  /** The beginning of a plan without steps. */
  readonly text?: string;
}

export interface AppStep {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Set if the revision before did not have it, or had it differently. */
  readonly isNew?: true;
}

/** The columns of the task board that need attention. */
export const APP_TASK_STATES = ["claimed", "failed", "ready", "waiting"] as const;

export interface AppTask {
  readonly id: string;
  readonly subject: string;
  readonly state: (typeof APP_TASK_STATES)[number];
  readonly owner?: string;
  /** When the claim of the owner expires. */
  readonly leaseUntil?: number;
  /** It has a check, which has to pass before the task is done. */
  readonly hasCheck?: true;
  /** Blockers that are not done. */
  readonly waitsFor: readonly string[];
}

export interface AppTasks {
  readonly counts: Readonly<Record<AppTask["state"] | "done", number>>;
  /** At most 100 of each state. */
  readonly tasks: readonly AppTask[];
}

const MAX_STEPS = 200;
const MAX_TEXT = 6_000;

/** The view of a list. `revisions` are those of its plan, to mark new steps. */
export function appView(
  track: Track,
  revisions: readonly PlanRevision[],
  now: number,
): Omit<AppView, "tasks"> {
  const { session, agent, version, agentType, explanation, refused, plan } = track;
  return {
    session,
    agent,
    version,
    title: hasTitle(track) ? titleOf({ track }) : "Todo list",
    ...(agentType !== undefined && { agentType }),
    todos: track.todos.map(withoutDetails),
    ...(explanation !== undefined && { explanation }),
    ...(refused && { refused: refusedLabel(refused) }),
    ...(plan && plan.state !== "streaming" && { plan: appPlan(plan, plan.state, revisions) }),
    now,
  };
}

/** Whether more than the id names the session. */
function hasTitle({ title, prompt, todos, agent }: Track): boolean {
  return title !== undefined || prompt !== undefined || todos.length > 0 || agent !== MAIN_AGENT;
}

function withoutDetails({ notes: _, proof, ...todo }: Todo): Todo {
  return { ...todo, ...(proof && { proof: withoutOutput(proof) }) };
}

function withoutOutput({ edits: _, ...proof }: Proof): Proof {
  return { ...proof, output: "" };
}

function appPlan(plan: Plan, state: AppPlan["state"], revisions: readonly PlanRevision[]): AppPlan {
  const revision = revisionOf(plan);
  const steps = stepsOf(plan.text);
  const before = revisions.find(({ number }) => number === revision - 1);
  const added = new Set(
    before
      ? diffPlans(before.text, plan.text).steps.flatMap(({ kind, to }) =>
          kind === "added" || kind === "changed" ? [to] : [],
        )
      : [],
  );
  return {
    state,
    revision,
    seen: planFingerprint(plan),
    at: plan.decidedAt ?? plan.at,
    steps: steps.slice(0, MAX_STEPS).map(({ number, text }) => ({
      number,
      text,
      ...(added.has(number) && { isNew: true as const }),
    })),
    total: steps.length,
    ...(steps.length === 0 && { text: plan.text.slice(0, MAX_TEXT) }),
  };
}
