import { type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { checkValue, parseInput } from "../input.ts";
import { renderRefusal } from "../render.ts";
import type { TaskCall, TaskTool, TaskToolResult } from "./task-tool.ts";
import { fits } from "./text.ts";

/** Executes one call. Invalid input never throws and changes nothing. */
export async function runTaskTool(
  tool: TaskTool,
  input: unknown,
  call: TaskCall,
): Promise<TaskToolResult> {
  const bad = checkValue(input);
  if (bad) return refusedTask([bad]);
  const read = parseInput(tool.input, tool.repair ? tool.repair(input) : input);
  if (!read.ok) return refusedTask(read.rejected);
  if (call.planMode && !tool.reads?.(read.value)) return refusedTask([PLAN_MODE], "plan_mode");
  return tool.run(read.value, call);
}

const PLAN_MODE = {
  message: modelText`Tasks are read-only in plan mode. Finish the plan and ask the user to approve it first.`,
};

/** The host or the user wants no writes during an operation. */
export function gatedTask(operation: string): TaskToolResult {
  const message = modelText`Tasks are read-only during ${quote(operation, 60)}. Continue without updating them.`;
  return refusedTask([{ message }], "gated");
}

type Code = TaskToolResult["rejected"][number]["code"];

/** A refusal without a look at the store. */
export function refusedTask(
  rejected: readonly { readonly message: ModelText }[],
  code: Code = "invalid_input",
): TaskToolResult {
  const all = rejected.map(({ message }) => ({ code, message }));
  const [text = renderRefusal(all, 1)] = [5, 4, 3, 2]
    .map((most) => renderRefusal(all, most))
    .filter(fits);
  return { ok: false, text, data: { code }, rejected: all };
}
