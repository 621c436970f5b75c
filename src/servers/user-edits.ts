/** servers: changes of the user from a graphical surface, the page or the view inside a chat host. */
import { type Conflict, conflictOf } from "../core/list/conflict.ts";
import type { Outcome, Rejection } from "../core/model.ts";
import { modelText } from "../core/text/model-text.ts";
import type { OpsRequest, PlanRequest } from "../core/wire.ts";
import type { List } from "../tracker.ts";

export interface EditOutcome {
  readonly outcome: Outcome;
  /** Set if the edit was refused because the agent changed the todo in the meantime. */
  readonly conflict?: Conflict | undefined;
}

export const CHANGED: Rejection = {
  code: "conflict",
  message: modelText`This todo was changed in the meantime. Your change was not saved.`,
};

/** Changes a list as the user. Concurrent changes of todos are detected inside the store's exclusive step. */
export async function editAsUser(
  list: List,
  { ops, key, base }: OpsRequest,
  via: string,
): Promise<EditOutcome> {
  let conflict: Conflict | undefined;
  const outcome = await list.submit(ops, {
    by: "user",
    via,
    key,
    refuse(track) {
      conflict = base && conflictOf(track, ops, base);
      return conflict && CHANGED;
    },
  });
  return { outcome, ...(!outcome.ok && { conflict }) };
}

/** Records the user's decision about the plan that the user read, or a comment on it. */
export function decideAsUser(list: List, request: PlanRequest, via: string): Promise<Outcome> {
  const { decision, comment, step, seen, key } = request;
  const options = { by: "user", via, ...(key !== undefined && { key }) } as const;
  const read = seen === undefined ? options : { ...options, seen };
  switch (decision) {
    case "approve":
      return list.plan.approve(comment, { ...read, adopt: "if free" });
    case "reject":
      return list.plan.reject(comment, read);
    case "adopt":
      return list.plan.adopt(options);
    case "comment":
      return list.plan.comment(comment ?? "", { ...read, ...(step !== undefined && { step }) });
  }
}
