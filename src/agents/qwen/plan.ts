import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { fields, text } from "../common/values.ts";
import type { CallWithResult } from "./calls.ts";

const MAX_PLAN = 20_000;

export function isPlanTool(name: string): boolean {
  return name === "exit_plan_mode" || name === "enter_plan_mode";
}

export function proposePlan(
  call: Pick<CallWithResult, "id" | "name" | "args">,
  context: EventContext,
  emit: Emit,
) {
  const plan = text(fields(call.args)?.plan);
  if (call.name === "exit_plan_mode" && plan !== undefined)
    emit({ type: "plan.proposed", planId: call.id, text: shorten(plan, MAX_PLAN) }, context);
}

export function finishPlan(call: CallWithResult, context: EventContext, emit: Emit): void {
  const display = fields(call.display);
  const shown = text(display?.message) ?? text(call.display) ?? call.output ?? "";
  if (call.name === "enter_plan_mode") {
    if (call.failed === undefined) emit({ type: "mode.changed", mode: "plan" }, context);
    return;
  }
  const approved = /^User (?:has )?approved/.test(shown);
  const refused =
    display?.rejected === true ||
    /^Plan (?:execution was not approved|was rejected)/.test(shown) ||
    /cancel/i.test(call.failed ?? "");
  if (refused) emit({ type: "plan.decided", planId: call.id, decision: "rejected" }, context);
  else if (approved && call.failed === undefined) {
    emit({ type: "plan.decided", planId: call.id, decision: "approved" }, context);
    emit({ type: "mode.changed", mode: "work" }, context);
  }
}
