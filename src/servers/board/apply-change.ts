import { isUntouched, revertOps } from "../../core/list/undo.ts";
import type { Rejection } from "../../core/model.ts";
import { modelText } from "../../core/text/model-text.ts";
import type { Context } from "../../home/open.ts";
import type { BoardAction } from "../../surfaces/terminal/state.ts";
import { promotedText, promoteTodos } from "../../tasks/links/promote.ts";

type Change = Extract<BoardAction, { type: "plan" | "promote" }>;
type ListChange = Extract<BoardAction, { type: "ops" }>;
type ListUndo = Extract<BoardAction, { type: "undo-list" }>;

const BY = { by: "user", via: "board" } as const;

const CHANGED: Rejection = {
  code: "conflict",
  message: modelText`The list was changed in the meantime, so nothing was undone.`,
};

/** The result of a change: a message for the board, and how to take it back. */
export interface Changed {
  readonly message?: string | undefined;
  readonly undo?: BoardAction;
}

/** Applies a user's change to a list. */
export async function changeList(
  { home }: Pick<Context, "home">,
  { id, ops }: ListChange,
): Promise<Changed> {
  const list = (await home.writing()).list(id);
  const { ok, rejected, before, after } = await list.submit(ops, BY);
  if (!ok) return { message: rejected[0]?.message ?? "Nothing was changed." };
  return { undo: { type: "undo-list", id, before: before.todos, after: after.todos } };
}

/** Takes a user's change of a list back, unless the todos were changed since. */
export async function undoList(
  { home }: Pick<Context, "home">,
  { id, before, after }: ListUndo,
): Promise<string> {
  const ops = revertOps(before, after);
  if (ops.length === 0) return "Nothing to undo.";
  const list = (await home.writing()).list(id);
  const { ok, rejected } = await list.submit(ops, {
    ...BY,
    refuse: ({ todos }) => (isUntouched(before, after, todos) ? undefined : CHANGED),
  });
  return ok ? "Undone." : (rejected[0]?.message ?? "Nothing was undone.");
}

/** Decides on a plan, or promotes a todo. Returns a message for the board, if there is one. */
export async function applyChange(
  { home }: Pick<Context, "home">,
  act: Change,
): Promise<string | undefined> {
  const list = (await home.writing()).list(act.id);
  if (act.type === "promote") {
    const answer = await promoteTodos(list, await home.tasks("writing"), [act.todo], BY);
    if (answer.ok) return answer.promoted.map(promotedText).join(", ");
    return "refused" in answer ? answer.refused.message : answer.rejected[0]?.message;
  }
  const read = { ...BY, ...(act.seen !== undefined && { seen: act.seen }) };
  const { ok, rejected } =
    act.decision === "approve"
      ? await list.plan.approve(act.comment, { ...read, adopt: "if free" })
      : act.decision === "reject"
        ? await list.plan.reject(act.comment, read)
        : await list.plan.comment(act.comment ?? "", read);
  if (!ok) return rejected[0]?.message ?? "Nothing was changed.";
  return {
    approve: "Plan approved.",
    reject: "Plan rejected.",
    comment: "Comment added for the agent.",
  }[act.decision];
}
