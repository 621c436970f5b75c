/**
 * core/plan: a proposal that waits for approval, apart from the list. `plan` is its state, `decide`
 * validates proposals, comments and decisions, `steps` turns an approved plan into todos, `api` is
 * what a tracker offers of it.
 */
import type { By, Change } from "../model.ts";
import type { StreamBody } from "../stream/events.ts";

/** A comment on a plan. */
export interface PlanComment {
  readonly text: string;
  readonly at: number;
  readonly by: By;
  /** Number of the step that it is about. */
  readonly step?: number;
}

/** A proposal that waits for a person's approval. Apart from the list. */
export interface Plan {
  readonly id: string;
  /** Markdown. */
  readonly text: string;
  readonly state: "streaming" | "proposed" | "approved" | "rejected";
  readonly at: number;
  readonly path?: string;
  /** The agent's own program asks the person and tells the agent. */
  readonly foreign?: true;
  /** Of the decision. */
  readonly comment?: string;
  readonly decidedAt?: number;
  readonly comments?: readonly PlanComment[];
  /** When its steps became todos. */
  readonly adoptedAt?: number;
  /** A person decided, and the agent was not told yet. */
  readonly untold?: true;
  /** How many of the comments, the newest ones, the agent was not told of yet. */
  readonly untoldComments?: number;
}

export type PlanChange = Extract<Change, { type: `plan.${string}` }>;

const MAX_PLAN = 200_000;

/** Folds one change in. */
export function planAfter(
  plan: Plan | undefined,
  change: PlanChange,
  /** By the system: seen in the agent's own program. */
  { at, by }: { readonly at: number; readonly by: By },
): Plan {
  const foreign = by === "system" ? { foreign: true as const } : {};
  const known: Plan =
    plan?.id === change.planId
      ? plan
      : { id: change.planId, text: "", state: "streaming", at, ...foreign };
  switch (change.type) {
    case "plan.drafted": {
      const { text } = known;
      return {
        ...known,
        text: text.length < MAX_PLAN ? (text + change.delta).slice(0, MAX_PLAN) : text,
        state: "streaming",
      };
    }
    case "plan.proposed": {
      const path = change.path === undefined ? {} : { path: change.path };
      return { ...known, text: change.text.slice(0, MAX_PLAN), state: "proposed", ...path };
    }
    case "plan.decided": {
      const { comment: _, ...rest } = known;
      const comment = change.comment === undefined ? {} : { comment: change.comment };
      const untold = by === "user" ? { untold: true as const } : {};
      return { ...rest, state: change.decision, decidedAt: at, ...comment, ...untold };
    }
    case "plan.commented": {
      const { text, step } = change;
      const comment = { text, at, by, ...(step !== undefined && { step }) };
      return {
        ...known,
        comments: [...(known.comments ?? []), comment],
        ...(by === "user" && { untoldComments: (known.untoldComments ?? 0) + 1 }),
      };
    }
    case "plan.adopted":
      return { ...known, adoptedAt: at };
  }
}

/** What an agent's own records tell of its plans, as a change. */
export function planChangeOf(
  event: Extract<StreamBody, { type: `plan.${string}` }>,
): Extract<PlanChange, { type: "plan.drafted" | "plan.proposed" | "plan.decided" }> {
  const { planId } = event;
  switch (event.type) {
    case "plan.delta":
      return { type: "plan.drafted", planId, delta: event.delta };
    case "plan.proposed":
      return {
        type: "plan.proposed",
        planId,
        text: event.text,
        ...(event.path !== undefined && { path: event.path }),
      };
    case "plan.decided":
      return {
        type: "plan.decided",
        planId,
        decision: event.decision,
        ...(event.comment !== undefined && { comment: event.comment }),
      };
  }
}

/** The agent was told of what a person decided and said. */
export function planTold(plan: Plan): Plan {
  const { untold: _, untoldComments: __, ...told } = plan;
  return told;
}
