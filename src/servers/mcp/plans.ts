import type { CallToolResult, GetPromptResult, Prompt } from "@modelcontextprotocol/server";
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
import { readPlanInput } from "../../tools/plan-input.ts";
import type { List } from "../../tracker.ts";
import { failedResult, textPart } from "./result.ts";

/** For agents without a plan mode of their own; offered where it is asked for. */
export const PLAN_TOOL = {
  name: "plan",
  description:
    "Put a plan before the person, as markdown with numbered steps, when they want to see it before you act. Your list is closed until they approve; then the steps are your todos. No arguments: read the plan and what was decided.",
  inputSchema: { type: "object" as const, properties: { propose: { type: "string" } } },
};

/** Comments are as long as notes. */
const MAX_COMMENT = 24_000;

/** Proposes, or reads. Deciding is not here: no model approves its own plan. */
export async function runPlanTool(
  list: List,
  given: Readonly<Record<string, unknown>>,
  key: string | undefined,
): Promise<CallToolResult> {
  const read = readPlanInput(given);
  if (!read.ok) return failedResult(modelText`Nothing was changed. ${why(read)}`);
  const { propose } = read.value;
  if (propose === undefined || propose === null) return planResult(await list.plan.get());
  const outcome = await list.plan.propose(propose, {
    via: "mcp",
    ...(key !== undefined && { key }),
  });
  return outcome.ok
    ? planResult(outcome.after.plan)
    : failedResult(modelText`Nothing was changed. ${why(outcome)}`);
}

function why({ rejected }: Pick<Outcome, "rejected">): ModelText {
  return joinText(
    rejected.map(({ message }) => message),
    " ",
  );
}

export function planResult(plan: Plan | undefined): CallToolResult {
  const text = plan ? stateOf(plan) : modelText`There is no plan yet. Send one as \`propose\`.`;
  const data = plan ? { text, plan: neutralData(plan.text), state: plan.state } : { text };
  return { content: [textPart(text)], structuredContent: data };
}

function stateOf({ state, comment }: Plan): ModelText {
  const said =
    comment === undefined ? NO_TEXT : modelText` They said: ${quote(comment, MAX_COMMENT)}.`;
  switch (state) {
    case "streaming":
      return modelText`The plan is being drafted. Send it as \`propose\` when it is whole.`;
    case "proposed":
      return modelText`The plan waits for the person. Tell them so and stop; you are told what they decide.`;
    case "approved":
      return modelText`The plan is approved.${said} Read your list and begin.`;
    case "rejected":
      return modelText`The plan is rejected.${said} Change it and send it again.`;
  }
}

const WORDS = { name: "comment", description: "What the agent is told with it" };

/** Prompts are what a person chooses in their client, which no model can: so a person decides here. */
export const PLAN_PROMPTS: Prompt[] = [
  {
    name: "approve",
    title: "Approve the plan",
    description:
      "Let the agent begin; the steps of the plan become its list if nothing else is open",
    arguments: [WORDS],
  },
  {
    name: "reject",
    title: "Reject the plan",
    description: "Send the plan back; the list stays closed",
    arguments: [WORDS],
  },
  {
    name: "comment",
    title: "Comment on the plan",
    description: "Say something about the plan without deciding",
    arguments: [{ ...WORDS, required: true }],
  },
];

/** What the model is told of the decision, or why there is none. */
export async function decidePrompt(
  list: List,
  name: string,
  comment: string | undefined,
): Promise<{ readonly said: ModelText } | { readonly refused: ModelText } | undefined> {
  const as = { by: "user", via: "mcp" } as const;
  const words = comment?.trim() ? comment : undefined;
  const comments = words === undefined ? NO_TEXT : modelText` ${quote(words, MAX_COMMENT)}`;
  const told = (outcome: Outcome, said: ModelText) =>
    outcome.ok ? { said: modelText`${said}${comments}` } : { refused: why(outcome) };
  switch (name) {
    case "approve":
      return told(await list.plan.approve(words, { ...as, adopt: "if free" }), APPROVED);
    case "reject":
      return told(await list.plan.reject(words, as), REJECTED);
    case "comment":
      if (words === undefined) return { refused: modelText`The prompt comment needs its comment.` };
      return told(await list.plan.comment(words, as), modelText`On your plan, before I decide:`);
    default:
      return undefined;
  }
}

const APPROVED = modelText`I approve your plan. Read your list with the todos tool and begin with the first step.`;
const REJECTED = modelText`I reject your plan. Change it and put it before me again; change nothing else.`;

export function asPrompt(text: ModelText): GetPromptResult {
  return { messages: [{ role: "user", content: textPart(text) }] };
}
