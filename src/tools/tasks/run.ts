import { checkValue, parseInput } from "../input.ts";
import { renderRefusal } from "../render.ts";
import type { TaskCall, TaskTool, TaskToolResult } from "./task-tool.ts";
import { answerText } from "./words.ts";

/** Carries out one call. Bad input never throws and changes nothing. */
export async function runTaskTool(
  tool: TaskTool,
  input: unknown,
  call: TaskCall,
): Promise<TaskToolResult> {
  const bad = checkValue(input);
  if (bad) return refused([bad]);
  const read = parseInput(tool.input, tool.repair ? tool.repair(input) : input);
  return read.ok ? tool.run(read.value, call) : refused(read.rejected);
}

function refused(rejected: readonly { readonly message: string }[]): TaskToolResult {
  const all = rejected.map(({ message }) => ({ code: "invalid_input" as const, message }));
  return {
    ok: false,
    text: answerText([renderRefusal(all)]),
    data: { code: "invalid_input" },
    rejected: all,
  };
}
