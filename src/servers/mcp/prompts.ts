import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Todo } from "../../core/model.ts";
import { joinText, line, type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { renderNumbered, renderTodos } from "../../tools/render.ts";
import { listOf } from "./lists.ts";
import { asPrompt, decidePrompt, PLAN_PROMPTS } from "./plans.ts";
import { ProtocolError, ProtocolErrorCode } from "./sdk.ts";
import type { Client } from "./server.ts";

const PROMPTS: Prompt[] = [
  {
    name: "plan",
    title: "Plan the work",
    description: "Break a goal down into a list before the first step",
    arguments: [{ name: "goal", description: "What is to be reached", required: true }],
  },
  {
    name: "continue",
    title: "Go on with the list",
    description: "Look at what is open and take it up again",
  },
  ...PLAN_PROMPTS,
];

export function servePrompts({ server, parts, meant }: Client): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    if (params.name === "plan") return planPrompt(params.arguments?.goal ?? "");
    if (params.name === "continue") {
      const list = await listOf(parts.lists, await meant(undefined, context));
      return continuePrompt(await list.get());
    }
    if (PLAN_PROMPTS.some(({ name }) => name === params.name)) {
      const { session, agent } = await meant(undefined, context);
      const list = (await parts.lists.writing()).list({ session, agent });
      const decided = await decidePrompt(list, params.name, params.arguments?.comment);
      if (decided && "said" in decided) return asPrompt(decided.said);
      throw invalid(decided?.refused ?? modelText``);
    }
    const names = joinText(
      PROMPTS.map(({ name }) => line(name)),
      ", ",
    );
    throw invalid(modelText`There is no prompt ${quote(params.name, 60)}. There are: ${names}.`);
  });
}

function invalid(message: ModelText): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function said(...parts: readonly ModelText[]): GetPromptResult {
  return asPrompt(joinText(parts, "\n\n"));
}

const MAX_GOAL = 20_000;

export function planPrompt(goal: string): GetPromptResult {
  if (goal.trim() === "") throw invalid(modelText`The prompt plan needs its goal.`);
  return said(
    modelText`Goal: ${quote(goal, MAX_GOAL)}`,
    modelText`Before you change anything, look around as far as you must to know what has to be done. Then write the list with the todos tool: one todo for each result that can be checked, in the order of the work, worded as an order. The last ones say how it will be proved that the goal is reached. Show me the list and start with the first todo.`,
  );
}

export function continuePrompt(todos: readonly Todo[]): GetPromptResult {
  return said(
    modelText`This is the list as it stands:`,
    renderTodos(todos, renderNumbered),
    modelText`Check whether what is open is still wanted and still true, bring the list up to date with the todos tool, and go on with the todo in progress, else with the next one.`,
  );
}
