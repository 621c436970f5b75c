import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { planFingerprint } from "../../../core/plan/decide.ts";
import { type Plan, revisionOf } from "../../../core/plan/plan.ts";
import { cutGraphemes, forPage } from "../../../core/text/escape.ts";
import type { List } from "../../../tracker.ts";
import { planResult, reasons } from "../plans.ts";
import { failedResult } from "../result.ts";
import { type Answer, ask } from "./elicitation.ts";

export const PLAN_KEY = "plan";
const APPROVE = "Approve";
const REJECT = "Reject";
/** Long plans are cut in the form; the board shows all of a plan. */
const MAX_SHOWN = 6_000;
const MAX_COMMENT = 24_000;

/** Asks the user for a decision about a proposed plan. No decision is preselected. */
export function askForDecision(plan: Plan): InputRequiredResult {
  const revision = revisionOf(plan);
  const shown = cutGraphemes(forPage(plan.text), MAX_SHOWN);
  const note =
    shown.length < plan.text.length ? "\n\nThe plan is longer than this form shows." : "";
  return ask({
    key: PLAN_KEY,
    message: `The agent proposes a plan${revision > 1 ? ` (revision ${revision})` : ""} and waits for your decision.\n\n${shown}${note}`,
    properties: {
      decision: { type: "string", title: "Decision", enum: [APPROVE, REJECT] },
      comment: { type: "string", title: "Comment", description: "Optional. The agent reads it." },
    },
    required: ["decision"],
    state: planFingerprint(plan),
  });
}

/** Records the user's decision about the plan that the form showed. Closing the form decides nothing. */
export async function decideByAnswer(
  list: List,
  { action, content, state }: Answer,
): Promise<CallToolResult> {
  const { decision } = content;
  if (action !== "accept" || (decision !== APPROVE && decision !== REJECT))
    return planResult(await list.plan.get());
  const { comment } = content;
  const given =
    typeof comment === "string" && comment.trim() ? comment.slice(0, MAX_COMMENT) : undefined;
  const as = { by: "user", via: "mcp", seen: state } as const;
  const outcome =
    decision === APPROVE
      ? await list.plan.approve(given, { ...as, adopt: "if free" })
      : await list.plan.reject(given, as);
  if (outcome.ok) return planResult(outcome.after.plan);
  return failedResult(reasons(outcome));
}
