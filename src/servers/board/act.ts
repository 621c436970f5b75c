import type { Context } from "../../home/open.ts";
import type { Act } from "../../surfaces/terminal/state.ts";
import { promotedWords, promoteTodos } from "../../tasks/links/promote.ts";

type Change = Extract<Act, { type: "ops" | "plan" | "promote" }>;

const BY = { by: "user", via: "board" } as const;

/** Carries out what a person wants of a list or a plan. Answers what there is to say. */
export async function carryOut(
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
    if (answer.ok) return answer.promoted.map(promotedWords).join(", ");
    return "refused" in answer ? answer.refused.message : answer.rejected[0]?.message;
  }
  const read = { ...BY, ...(act.seen !== undefined && { seen: act.seen }) };
  const { ok, rejected } =
    act.decision === "approve"
      ? await list.plan.approve(act.comment, { ...read, adopt: "if free" })
      : act.decision === "reject"
        ? await list.plan.reject(act.comment, read)
        : await list.plan.comment(act.comment ?? "", read);
  if (!ok) return rejected[0]?.message ?? "Nothing was decided.";
  return {
    approve: "Approved.",
    reject: "Rejected.",
    comment: "The agent will read your comment.",
  }[act.decision];
}
