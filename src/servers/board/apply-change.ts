import type { Context } from "../../home/open.ts";
import type { BoardAction } from "../../surfaces/terminal/state.ts";
import { promotedText, promoteTodos } from "../../tasks/links/promote.ts";

type Change = Extract<BoardAction, { type: "ops" | "plan" | "promote" }>;

const BY = { by: "user", via: "board" } as const;

/** Applies a user's change to a list or a plan. Returns a message for the board, if there is one. */
export async function applyChange(
  { home }: Pick<Context, "home">,
  act: Change,
): Promise<string | undefined> {
  const list = (await home.writing()).list(act.id);
  if (act.type === "ops") {
    const { ok, rejected } = await list.submit(act.ops, BY);
    return ok ? undefined : (rejected[0]?.message ?? "Nothing was changed.");
  }
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
