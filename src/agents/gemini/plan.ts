import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { fields, text } from "../common/values.ts";
import type { CallWithResult } from "./calls.ts";
import type { GeminiState } from "./state.ts";

/** A plan is a Markdown file in the session's directory `plans`. A call asks for its approval. */
export const PLAN_NEEDLES = ['_plan_mode"', "/plans/", "\\\\plans"];

const MAX_PLAN = 20_000;

export function isPlanTool(name: string): boolean {
  return name === "enter_plan_mode" || name === "exit_plan_mode";
}

/** Whether a call writes a plan file. */
export function writesPlan(call: Pick<CallWithResult, "name" | "args">): boolean {
  if (call.name !== "write_file" && call.name !== "replace") return false;
  return /[/\\]plans[/\\][^/\\]+$/.test(text(fields(call.args)?.file_path) ?? "");
}

/** Keeps the text of a plan file, because the call for approval only names the file. */
export function notePlanFile(state: GeminiState, call: CallWithResult): void {
  if (call.failed !== undefined || !writesPlan(call)) return;
  const args = fields(call.args);
  const name = nameOf(text(args?.file_path) ?? "");
  if (call.name === "write_file") {
    const content = text(args?.content);
    state.plan = content === undefined ? null : { name, text: shorten(content, MAX_PLAN) };
  } else if (state.plan?.name === name) {
    const before = text(args?.old_string);
    const after = typeof args?.new_string === "string" ? args.new_string : "";
    state.plan =
      before === undefined
        ? null
        : {
            name,
            text: shorten(
              state.plan.text.replace(before, () => after),
              MAX_PLAN,
            ),
          };
  }
}

export function proposePlan(
  state: GeminiState,
  call: Pick<CallWithResult, "id" | "name" | "args" | "at">,
  emit: Emit,
): void {
  const path = pathOf(call.args);
  if (call.name !== "exit_plan_mode" || path === undefined) return;
  const known = state.plan?.name === nameOf(path) ? state.plan.text : "";
  emit({ type: "plan.proposed", planId: nameOf(path), text: known, path }, keyOf(call));
}

export function finishPlan(call: CallWithResult, emit: Emit): void {
  const context = keyOf(call);
  const shown = text(call.display) ?? call.answer ?? "";
  if (call.name === "enter_plan_mode") {
    if (call.failed === undefined && shown.startsWith("Switching to Plan mode"))
      emit({ type: "mode.changed", mode: "plan" }, context);
    return;
  }
  const path = pathOf(call.args);
  if (path === undefined) return;
  const planId = nameOf(path);
  if (call.failed === undefined && shown.startsWith("Plan approved")) {
    emit({ type: "plan.decided", planId, decision: "approved" }, context);
    emit({ type: "mode.changed", mode: "work" }, context);
  } else if (
    /^(?:Feedback: |Rejected|Cancelled)/.test(shown) ||
    /cancel/i.test(call.failed ?? "")
  ) {
    const comment = /^Feedback: (.+)/s.exec(shown)?.[1];
    emit(
      {
        type: "plan.decided",
        planId,
        decision: "rejected",
        ...(comment !== undefined && { comment: shorten(comment, 500) }),
      },
      context,
    );
  }
}

function pathOf(args: unknown): string | undefined {
  const given = fields(args);
  return text(given?.plan_filename) ?? text(given?.plan_path);
}

function nameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

function keyOf(call: Pick<CallWithResult, "id" | "at">): EventContext {
  return { key: call.id, at: call.at };
}
