/**
 * core/plan: proposals that need the user's approval, separate from the list. `plan` is the state,
 * `decide` validates proposals, comments and decisions, `steps` extracts the steps that become todos,
 * `api` has the methods of a tracker.
 */
import type { Author, Change } from "../model.ts";
import type { StreamBody } from "../stream/events.ts";

/** A comment on a plan. */
export interface PlanComment {
  readonly text: string;
  readonly at: number;
  readonly by: Author;
  /** Number of the commented step, from 1. */
  readonly step?: number;
}

/** A proposal of the agent that the user approves or rejects. Separate from the list. */
export interface Plan {
  readonly id: string;
  /** Markdown. */
  readonly text: string;
  readonly state: "streaming" | "proposed" | "approved" | "rejected";
  readonly at: number;
  readonly path?: string;
  /**
   * How many times the plan was proposed, counting the proposals that it replaces: those that were rejected, and those
   * that the agent revised. Absent for a first proposal (`revisionOf`).
   */
  readonly revision?: number;
  /** The agent's own program asks the user and informs the agent. */
  readonly foreign?: true;
  /** The comment of the decision. */
  readonly comment?: string;
  readonly decidedAt?: number;
  readonly comments?: readonly PlanComment[];
  /** When the steps became todos. */
  readonly adoptedAt?: number;
  /** The user decided, and the agent has not received the decision yet. */
  readonly untold?: true;
  /** How many of the newest comments the agent has not seen. */
  readonly untoldComments?: number;
}

export type PlanChange = Extract<Change, { type: `plan.${string}` }>;

const MAX_PLAN = 200_000;

/** The plan after a change. */
export function planAfter(
  plan: Plan | undefined,
  change: PlanChange,
  /** `by` is `system` for plans of the agent's own program. */
  { at, by }: { readonly at: number; readonly by: Author },
): Plan {
  const foreign = by === "system" ? { foreign: true as const } : {};
  const before = plan?.state === "approved" ? 0 : plan ? revisionOf(plan) : 0;
  const known: Plan =
    plan?.id === change.planId
      ? plan
      : {
          id: change.planId,
          text: "",
          state: "streaming",
          at,
          ...(before > 0 && { revision: before }),
          ...foreign,
        };
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
      const text = change.text.slice(0, MAX_PLAN);
      const isRepeated = known.state === "proposed" && known.text === text;
      const { revision: _, ...rest } = known;
      const revision = isRepeated ? revisionOf(known) : before + 1;
      return { ...rest, text, state: "proposed", ...(revision > 1 && { revision }), ...path };
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

/** The number of the revision that was proposed last; 0 while a first plan is being written. */
export function revisionOf({ revision, state }: Pick<Plan, "revision" | "state">): number {
  return revision ?? (state === "streaming" ? 0 : 1);
}

/** Converts a plan event of an agent into a change. */
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

/** Marks the decision and the comments as seen by the agent. */
export function markPlanShown(plan: Plan): Plan {
  const { untold: _, untoldComments: __, ...shown } = plan;
  return shown;
}
