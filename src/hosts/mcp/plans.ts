import type { CallToolResult, GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Outcome } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { forModel } from "../../core/safe-text.ts";
import { readPlanInput } from "../../tools/plan-input.ts";
import type { List } from "../../tracker.ts";
import { failedResult } from "./result.ts";

/** For agents without a plan mode of their own; offered where it is asked for. */
export const PLAN_TOOL = {
  name: "plan",
  description:
    "Put a plan before the person, as markdown with numbered steps, when they want to see it before you act. Your list is closed until they approve; then the steps are your todos. No arguments: read the plan and what was decided.",
  inputSchema: { type: "object" as const, properties: { propose: { type: "string" } } },
};

/** Proposes, or reads. Deciding is not here: no model approves its own plan. */
export async function runPlanTool(
  list: List,
  given: Readonly<Record<string, unknown>>,
  key: string | undefined,
): Promise<CallToolResult> {
  const read = readPlanInput(given);
  if (!read.ok) return failedResult(`Nothing was changed. ${why(read)}`);
  const { propose } = read.value;
  if (propose === undefined || propose === null) return answer(await list.plan.get());
  const outcome = await list.plan.propose(propose, {
    via: "mcp",
    ...(key !== undefined && { key }),
  });
  return outcome.ok
    ? answer(outcome.after.plan)
    : failedResult(`Nothing was changed. ${why(outcome)}`);
}

function why({ rejected }: Pick<Outcome, "rejected">): string {
  return rejected.map(({ message }) => message).join(" ");
}

function answer(plan: Plan | undefined): CallToolResult {
  const text = plan ? stateOf(plan) : "There is no plan yet. Send one as `propose`.";
  const data = plan ? { text, plan: plan.text, state: plan.state } : { text };
  return { content: [{ type: "text", text }], structuredContent: data };
}

function stateOf({ state, comment }: Plan): string {
  const said = comment === undefined ? "" : ` They said: "${forModel(comment)}".`;
  switch (state) {
    case "streaming":
      return "The plan is being drafted. Send it as `propose` when it is whole.";
    case "proposed":
      return "The plan waits for the person. Tell them so and stop; you are told what they decide.";
    case "approved":
      return `The plan is approved.${said} Read your list and begin.`;
    case "rejected":
      return `The plan is rejected.${said} Change it and send it again.`;
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
): Promise<{ readonly said: string } | { readonly refused: string } | undefined> {
  const as = { by: "user", via: "mcp" } as const;
  const words = comment?.trim() ? comment : undefined;
  const told = (outcome: Outcome, said: string) =>
    outcome.ok
      ? { said: words === undefined ? said : `${said} ${words}` }
      : { refused: why(outcome) };
  switch (name) {
    case "approve":
      return told(await list.plan.approve(words, { ...as, adopt: "if free" }), APPROVED);
    case "reject":
      return told(await list.plan.reject(words, as), REJECTED);
    case "comment":
      if (words === undefined) return { refused: "The prompt comment needs its comment." };
      return told(await list.plan.comment(words, as), "On your plan, before I decide:");
    default:
      return undefined;
  }
}

const APPROVED =
  "I approve your plan. Read your list with the todos tool and begin with the first step.";
const REJECTED = "I reject your plan. Change it and put it before me again; change nothing else.";

export function asPrompt(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
