import { type Awaitable, andThen } from "../awaitable.ts";
import type { By, Outcome, Track } from "../model.ts";
import type { Adoption, PlanAct, Seen } from "./decide.ts";

/** Options of every call on a plan. */
export interface PlanOptions {
  readonly by?: By;
  readonly via?: string;
  /** The same key never acts twice. */
  readonly key?: string;
}

/** Refused where the plan is not the one that was seen. */
export interface DecisionOptions extends PlanOptions, Seen {}

/** Options of `plan.approve`. */
export interface ApproveOptions extends DecisionOptions {
  /** Its steps become todos in the same step. */
  readonly adopt?: Adoption;
}

/** Options of `plan.comment`. */
export interface CommentOptions extends DecisionOptions {
  /** Number of the step that it is about. */
  readonly step?: number;
}

interface PlanParts {
  readonly read: () => Awaitable<Track>;
  readonly act: (wanted: PlanAct, by: By, options: PlanOptions) => Awaitable<Outcome>;
}

function given<K extends string, V>(field: K, value: V | undefined): { readonly [F in K]?: V } {
  return (value === undefined ? {} : { [field]: value }) as { readonly [F in K]?: V };
}

/** Drafts and proposals are the agent's by default, decisions a person's. */
export function planDoor({ read, act }: PlanParts) {
  return {
    get: () => andThen(read(), (track) => track.plan),
    draft: (delta: string, options: PlanOptions = {}) =>
      act({ act: "draft", delta }, "agent", options),
    propose: (text?: string, { path, ...rest }: PlanOptions & { path?: string } = {}) =>
      act({ act: "propose", ...given("text", text), ...given("path", path) }, "agent", rest),
    approve: (comment?: string, { adopt, seen, ...rest }: ApproveOptions = {}) =>
      act(
        {
          act: "approve",
          ...given("comment", comment),
          ...given("adopt", adopt),
          ...given("seen", seen),
        },
        "user",
        rest,
      ),
    reject: (comment?: string, { seen, ...rest }: DecisionOptions = {}) =>
      act({ act: "reject", ...given("comment", comment), ...given("seen", seen) }, "user", rest),
    comment: (text: string, { step, seen, ...rest }: CommentOptions = {}) =>
      act({ act: "comment", text, ...given("step", step), ...given("seen", seen) }, "user", rest),
    adopt: (options: PlanOptions = {}) => act({ act: "adopt" }, "user", options),
  };
}
