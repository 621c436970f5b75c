import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Todo } from "../../core/model.ts";
import {
  code,
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../core/text/model-text.ts";
import { renderNumbered, renderTodos } from "../../tools/render.ts";
import { listOf } from "./lists.ts";
import { asPrompt, decidePrompt, PLAN_PROMPTS } from "./plans.ts";
import { ProtocolError, ProtocolErrorCode } from "./sdk.ts";
import type { Client } from "./server.ts";
import { DEFAULT_TOOLS, selectTools } from "./tools.ts";

const PROMPTS: Prompt[] = [
  {
    name: "plan",
    title: "Plan the work",
    description: "Break a goal into todos before the first step",
    arguments: [{ name: "goal", description: "The goal", required: true }],
  },
  {
    name: "continue",
    title: "Continue the work",
    description: "Review the open todos and continue with them",
  },
  ...PLAN_PROMPTS,
];

export function servePrompts({ server, parts, resolveList }: Client): void {
  const tool = selectTools(parts.tools ?? DEFAULT_TOOLS)[0]?.name;
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    if (params.name === "plan") return planPrompt(params.arguments?.goal ?? "", tool);
    if (params.name === "continue") {
      const list = await listOf(parts.lists, await resolveList(undefined, context));
      return continuePrompt(await list.get(), tool);
    }
    if (PLAN_PROMPTS.some(({ name }) => name === params.name)) {
      const { session, agent } = await resolveList(undefined, context);
      const list = (await parts.lists.writing()).list({ session, agent });
      const decided = await decidePrompt(list, params.name, params.arguments?.comment);
      if (decided && "message" in decided) return asPrompt(decided.message);
      throw invalid(decided?.refused ?? NO_TEXT);
    }
    const names = joinText(
      PROMPTS.map(({ name }) => line(name)),
      ", ",
    );
    throw invalid(modelText`Unknown prompt ${quote(params.name, 60)}. Available: ${names}.`);
  });
}

function invalid(message: ModelText): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function prompt(...paragraphs: readonly ModelText[]): GetPromptResult {
  return asPrompt(joinText(paragraphs, "\n\n"));
}

/** How a prompt names the list tool; nothing if the client has none. */
function withTool(tool: string | undefined): ModelText {
  return tool === undefined ? NO_TEXT : modelText` with ${code(tool)}`;
}

const MAX_GOAL = 20_000;

export function planPrompt(goal: string, tool: string | undefined = "todos"): GetPromptResult {
  if (goal.trim() === "") throw invalid(modelText`The prompt plan needs the argument goal.`);
  return prompt(
    modelText`Goal: ${quote(goal, MAX_GOAL)}`,
    modelText`Before you change anything, read as much as you need to know what has to be done. Then write the todo list${withTool(tool)}: one todo for each result that can be checked, in the order of the work, in the imperative. The last todos verify that the goal is reached. Show me the list, then start with the first todo.`,
  );
}

export function continuePrompt(
  todos: readonly Todo[],
  tool: string | undefined = "todos",
): GetPromptResult {
  return prompt(
    modelText`This is your todo list:`,
    tool === "todos" ? renderNumbered(todos) : renderTodos(todos),
    modelText`Check whether the open todos are still needed and correct, and update the list${withTool(tool)}. Then continue with the todo in progress, or with the next one.`,
  );
}
