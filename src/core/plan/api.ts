import { type Awaitable, andThen } from "../awaitable.ts";
import type { Author, Outcome, Track } from "../model.ts";
import type { Adoption, PlanAction, SeenPlan } from "./decide.ts";

/** Options of every call on a plan. */
export interface PlanOptions {
  readonly by?: Author;
  readonly via?: string;
  /** Idempotency key (default: generated). */
  readonly key?: string;
}

/** Options of `plan.reject`. With `seen`, the decision is refused if the plan has changed. */
export interface DecisionOptions extends PlanOptions, SeenPlan {}

/** Options of `plan.approve`. */
export interface ApproveOptions extends DecisionOptions {
  /** Also turns the steps into todos (default: false). */
  readonly adopt?: Adoption;
}

/** Options of `plan.comment`. */
export interface CommentOptions extends DecisionOptions {
  /** Number of the commented step, from 1. */
  readonly step?: number;
}

interface PlanParts {
  readonly read: () => Awaitable<Track>;
  readonly apply: (action: PlanAction, by: Author, options: PlanOptions) => Awaitable<Outcome>;
}

function optional<K extends string, V>(field: K, value: V | undefined): { readonly [F in K]?: V } {
  return (value === undefined ? {} : { [field]: value }) as { readonly [F in K]?: V };
}

/** The methods on the plan of a track. By default the agent drafts and proposes, the user decides. */
export function createPlanAccess({ read, apply }: PlanParts) {
  return {
    get: () => andThen(read(), (track) => track.plan),
    draft: (delta: string, options: PlanOptions = {}) =>
      apply({ action: "draft", delta }, "agent", options),
    propose: (text?: string, { path, ...rest }: PlanOptions & { path?: string } = {}) =>
      apply(
        { action: "propose", ...optional("text", text), ...optional("path", path) },
        "agent",
        rest,
      ),
    approve: (comment?: string, { adopt, seen, ...rest }: ApproveOptions = {}) =>
      apply(
        {
          action: "approve",
          ...optional("comment", comment),
          ...optional("adopt", adopt),
          ...optional("seen", seen),
        },
        "user",
        rest,
      ),
    reject: (comment?: string, { seen, ...rest }: DecisionOptions = {}) =>
      apply(
        { action: "reject", ...optional("comment", comment), ...optional("seen", seen) },
        "user",
        rest,
      ),
    comment: (text: string, { step, seen, ...rest }: CommentOptions = {}) =>
      apply(
        { action: "comment", text, ...optional("step", step), ...optional("seen", seen) },
        "user",
        rest,
      ),
    adopt: (options: PlanOptions = {}) => apply({ action: "adopt" }, "user", options),
  };
}
