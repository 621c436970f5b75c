import { type ModelText, modelText, quote } from "../../core/text/model-text.ts";
import { checkValue, parseInput } from "../input.ts";
import { renderRefusal } from "../render.ts";
import type { TaskCall, TaskTool, TaskToolResult } from "./task-tool.ts";
import { fits } from "./words.ts";

/** Carries out one call. Bad input never throws and changes nothing. */
export async function runTaskTool(
  tool: TaskTool,
  input: unknown,
  call: TaskCall,
): Promise<TaskToolResult> {
  const bad = checkValue(input);
  if (bad) return refusedTask([bad]);
  const read = parseInput(tool.input, tool.repair ? tool.repair(input) : input);
  if (!read.ok) return refusedTask(read.rejected);
  if (call.planMode && !tool.reads?.(read.value)) return refusedTask([PLANNING], "plan_mode");
  return tool.run(read.value, call);
}

const PLANNING = {
  message: modelText`Tasks are only looked at in plan mode: nothing is to be carried out before the plan is approved. Finish the plan and ask for approval first.`,
};

/** Refused because the host or the user wants no writes during an operation. */
export function gatedTask(operation: string): TaskToolResult {
  const message = modelText`Tasks are not written during ${quote(operation, 60)}. Go on without them.`;
  return refusedTask([{ message }], "gated");
}

type Code = TaskToolResult["rejected"][number]["code"];

/** Refused before the store was asked. */
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
