import type { CallToolResult, GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { PLAN_TOOL as TEXT } from "../../core/guidance/tool-texts.ts";
import type { Outcome } from "../../core/model.ts";
import type { Plan } from "../../core/plan/plan.ts";
import {
  joinText,
  type ModelText,
  modelText,
  NO_TEXT,
  neutralData,
  quote,
} from "../../core/text/model-text.ts";
import type { PlanDecision } from "../../core/wire.ts";
import { withDescriptions } from "../../tools/field-descriptions.ts";
import { readPlanInput } from "../../tools/plan-input.ts";
import { renderRefusal } from "../../tools/render.ts";
import type { List } from "../../tracker.ts";
import { failedResult, textPart } from "./result.ts";

/** For agents without a plan mode of their own; offered on request. */
export const PLAN_TOOL = {
  name: "plan",
  description: TEXT.description,
  inputSchema: withDescriptions(
    { type: "object" as const, properties: { propose: { type: "string" } } },
    TEXT.fields,
  ),
};

/** Comments are as long as notes. */
const MAX_COMMENT = 24_000;

export interface PlanAnswer {
  readonly result: CallToolResult;
  /** The plan that this call proposed, if it waits for a decision. */
  readonly proposed?: Plan;
}

/** Proposes a plan, or reads it. There is no way to decide here: no model approves its own plan. */
export async function runPlanTool(
  list: List,
  given: Readonly<Record<string, unknown>>,
  key: string | undefined,
): Promise<PlanAnswer> {
  const read = readPlanInput(given);
  if (!read.ok) return { result: failedResult(renderRefusal(read.rejected)) };
  const { propose } = read.value;
  if (propose === undefined || propose === null)
    return { result: planResult(await list.plan.get()) };
  const outcome = await list.plan.propose(propose, {
    via: "mcp",
    ...(key !== undefined && { key }),
  });
  if (!outcome.ok) return { result: failedResult(renderRefusal(outcome.rejected)) };
  const { plan } = outcome.after;
  return {
    result: planResult(plan),
    ...(plan?.state === "proposed" && { proposed: plan }),
  };
}

export function planResult(plan: Plan | undefined): CallToolResult {
  const text = plan ? stateOf(plan) : modelText`There is no plan yet. Send one as \`propose\`.`;
  const data = plan ? { text, plan: neutralData(plan.text), state: plan.state } : { text };
  return { content: [textPart(text)], structuredContent: data };
}

function stateOf({ state, comment }: Plan): ModelText {
  const note =
    comment === undefined ? NO_TEXT : modelText` Comment: ${quote(comment, MAX_COMMENT)}`;
  switch (state) {
    case "streaming":
      return modelText`The plan is a draft. Send it as \`propose\` when it is complete.`;
    case "proposed":
      return modelText`Your plan is waiting for the user. Tell the user and end your turn; you will receive the decision.`;
    case "approved":
      return modelText`The user approved your plan. Read your todo list and start.${note}`;
    case "rejected":
      return modelText`The user rejected your plan. Revise it and propose it again.${note}`;
  }
}

const COMMENT = { name: "comment", description: "Shown to the agent" };

/** Users choose prompts in their client, and models cannot, so decisions about a plan are prompts. */
export const PLAN_PROMPTS: Prompt[] = [
  {
    name: "approve",
    title: "Approve the plan",
    description: "The agent can start; the steps become its todos if no other todos are open",
    arguments: [COMMENT],
  },
  {
    name: "reject",
    title: "Reject the plan",
    description: "The agent has to revise the plan; its todo list stays read-only",
    arguments: [COMMENT],
  },
  {
    name: "comment",
    title: "Comment on the plan",
    description: "Comment on the plan without deciding",
    arguments: [{ ...COMMENT, required: true }],
  },
];

/** Records a decision or a comment. Returns the message to the model, or why there is none. */
export async function decidePrompt(
  list: List,
  name: string,
  comment: string | undefined,
): Promise<{ readonly message: ModelText } | { readonly refused: ModelText } | undefined> {
  const as = { by: "user", via: "mcp" } as const;
  const given = comment?.trim() ? comment : undefined;
  const result = (outcome: Outcome, message: ModelText) =>
    outcome.ok ? { message: withComment(message, given) } : { refused: reasons(outcome) };
  switch (name) {
    case "approve":
      return result(await list.plan.approve(given, { ...as, adopt: "if free" }), APPROVED);
    case "reject":
      return result(await list.plan.reject(given, as), REJECTED);
    case "comment":
      if (given === undefined)
        return { refused: modelText`The prompt comment needs the argument comment.` };
      return result(await list.plan.comment(given, as), COMMENTED);
    default:
      return undefined;
  }
}

function withComment(message: ModelText, comment: string | undefined): ModelText {
  return comment?.trim() ? modelText`${message} ${quote(comment, MAX_COMMENT)}` : message;
}

/** The message of the user to the model about a decision. */
export function decisionMessage(
  decision: PlanDecision,
  comment: string | undefined,
): ModelText | undefined {
  if (decision === "approve") return withComment(APPROVED, comment);
  return decision === "reject" ? withComment(REJECTED, comment) : undefined;
}

const APPROVED = modelText`I approve your plan. Read your todo list and start with the first step.`;
const REJECTED = modelText`I reject your plan. Revise it and propose it again. Don't start the work.`;
const COMMENTED = modelText`A comment on your plan before I decide:`;

export function reasons({ rejected }: Pick<Outcome, "rejected">): ModelText {
  return joinText(
    rejected.map(({ message }) => message),
    " ",
  );
}

export function asPrompt(text: ModelText): GetPromptResult {
  return { messages: [{ role: "user", content: textPart(text) }] };
}
