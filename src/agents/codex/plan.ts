import { fields, items, list, text } from "../common/values.ts";
import { announce, shorten, type Thread, type ThreadEmit } from "./state.ts";

/** The arguments of `update_plan`. */
export interface PlanInput {
  readonly plan: readonly { readonly step: string; readonly status: string }[];
  readonly explanation?: string | null;
}

const STATUSES = new Set(["pending", "in_progress", "completed"]);

/** Validates arguments as strictly as Codex does: no other fields, no other statuses. */
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

/** Emits an accepted plan, or a warning if it cannot be read. */
export function emitPlan(thread: Thread, value: unknown, key: string, send: ThreadEmit) {
  const given = fields(value);
  const steps = list(given?.plan);
  if (!steps) return emitUnknown(send);
  announce(thread, undefined, send);
  const explanation = text(given?.explanation);
  send(
    {
      type: "todo_list",
      todoId: todoIdOf(thread),
      items: items(steps, { text: ["step"] }, (body) => send(body)),
      ...(explanation !== undefined && { explanation }),
    },
    key,
  );
}

export function todoIdOf({ session, agent }: Thread): string {
  return `${session}-${agent}`;
}

export function emitRejected(reason: string | undefined, send: ThreadEmit) {
  send({
    type: "warning",
    code: "list_rejected",
    message: shorten(reason?.trim() || "the plan was refused", 200),
  });
}

export function emitUnknown(send: ThreadEmit, message = "plan updated, content unknown") {
  send({ type: "warning", code: "list_unknown", message });
}

/** Emits a proposed plan once: an item and a block in the message may both contain it. */
export function emitProposed(
  thread: Thread,
  planId: string | undefined,
  plan: unknown,
  send: ThreadEmit,
) {
  const content = text(plan)?.trim();
  if (planId === undefined || content === undefined || content === "") return;
  if (thread.plan === planId) return;
  thread.plan = planId;
  announce(thread, undefined, send);
  send({ type: "plan.proposed", planId, text: content }, planId);
}

const OPENING = /^[ \t]*<proposed_plan>[ \t]*$/m;
const CLOSING = /^[ \t]*<\/proposed_plan>[ \t]*$/m;

/** Splits a message of the assistant into the proposed plan and the rest. */
export function splitProposal(message: string): { readonly plan?: string; readonly rest: string } {
  const opening = OPENING.exec(message);
  if (!opening) return { rest: message };
  const from = opening.index + opening[0].length;
  const closing = CLOSING.exec(message.slice(from));
  if (!closing) return { rest: message };
  const to = from + closing.index;
  return {
    plan: message.slice(from, to),
    rest: `${message.slice(0, opening.index)}${message.slice(to + closing[0].length)}`.trim(),
  };
}
