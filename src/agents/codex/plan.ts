import { fields, items, list, text } from "../common/values.ts";
import { announce, type Say, shortened, type Thread } from "./state.ts";

/** The arguments of `update_plan`. */
export interface PlanInput {
  readonly plan: readonly { readonly step: string; readonly status: string }[];
  readonly explanation?: string | null;
}

const STATUSES = new Set(["pending", "in_progress", "completed"]);

/** Arguments that Codex takes: no other field, no other status. */
export function planOf(value: unknown): PlanInput | undefined {
  const given = fields(value);
  const steps = list(given?.plan);
  if (!given || !steps) return undefined;
  if (Object.keys(given).some((key) => key !== "plan" && key !== "explanation")) return undefined;
  const { explanation } = given;
  if (typeof explanation !== "string" && explanation !== undefined && explanation !== null)
    return undefined;
  return steps.every(isStep)
    ? { plan: steps, ...(explanation !== undefined && { explanation }) }
    : undefined;
}

function isStep(value: unknown): value is PlanInput["plan"][number] {
  const given = fields(value);
  return (
    given !== undefined &&
    typeof given.step === "string" &&
    typeof given.status === "string" &&
    STATUSES.has(given.status) &&
    Object.keys(given).length === 2
  );
}

/** An accepted plan, of whatever form: what no list can be read from is said to be unknown. */
export function sayPlan(thread: Thread, value: unknown, key: string, say: Say) {
  const given = fields(value);
  const steps = list(given?.plan);
  if (!steps) return sayUnknown(say);
  announce(thread, undefined, say);
  const explanation = text(given?.explanation);
  say(
    {
      type: "todo_list",
      todoId: todoIdOf(thread),
      items: items(steps, { text: ["step"] }, (body) => say(body)),
      ...(explanation !== undefined && { explanation }),
    },
    key,
  );
}

export function todoIdOf({ session, agent }: Thread): string {
  return `${session}-${agent}`;
}

export function sayRefused(reason: string | undefined, say: Say) {
  say({
    type: "warning",
    code: "list_rejected",
    message: shortened(reason?.trim() || "the plan was refused", 200),
  });
}

export function sayUnknown(say: Say, message = "plan updated, content unknown") {
  say({ type: "warning", code: "list_unknown", message });
}

/** Once per plan: an item and the block in the message tell the same one. */
export function sayProposed(thread: Thread, planId: string | undefined, said: unknown, say: Say) {
  const whole = text(said)?.trim();
  if (planId === undefined || whole === undefined || whole === "") return;
  if (thread.plan === planId) return;
  thread.plan = planId;
  announce(thread, undefined, say);
  say({ type: "plan.proposed", planId, text: whole }, planId);
}

const OPENING = /^[ \t]*<proposed_plan>[ \t]*$/m;
const CLOSING = /^[ \t]*<\/proposed_plan>[ \t]*$/m;

/** The plan in a message of the assistant, and the message without it. */
export function splitProposal(said: string): { readonly plan?: string; readonly rest: string } {
  const opening = OPENING.exec(said);
  if (!opening) return { rest: said };
  const from = opening.index + opening[0].length;
  const closing = CLOSING.exec(said.slice(from));
  if (!closing) return { rest: said };
  const to = from + closing.index;
  return {
    plan: said.slice(from, to),
    rest: `${said.slice(0, opening.index)}${said.slice(to + closing[0].length)}`.trim(),
  };
}
