import { sayPlan, sayRefused, sayUnknown } from "./plan.ts";
import { type CodexState, keep, type OpenCall, type Say } from "./state.ts";

/** What a script says to the model may be put between the call and its result. */
const RESULT = /^Script (completed|failed|running with cell ID (\S+))/;
/** Errors that `update_plan` itself gives back, and one that comes before anything runs. */
const REFUSAL = /^(?:failed to parse function arguments|update_plan |SyntaxError|unsupported)/;

/** Takes a result of a script with plans in it; false while the script may still go on. */
export function settleScript(
  state: CodexState,
  id: string,
  { writes = [] }: OpenCall,
  output: string,
  say: Say,
): boolean {
  const result = RESULT.exec(output);
  if (!result) return false;
  if (result[2] !== undefined) {
    keep(state.cells, result[2], id);
    return false;
  }
  if (writes.length === 0) return true;
  if (result[1] === "failed") {
    const error = output.split("Script error:\n")[1] ?? output;
    const whole = writes.length === 1 || error.startsWith("SyntaxError");
    if (whole && REFUSAL.test(error)) sayRefused(error, say);
    else sayUnknown(say, "the script failed: whether its plan was taken is unknown");
    return true;
  }
  if (state.self.mode === "plan") {
    sayRefused("update_plan is not allowed in plan mode", say);
    return true;
  }
  writes.forEach((write, index) => {
    if (write.kind === "list")
      sayPlan(state.self, write.plan, index === 0 ? id : `${id}.${index}`, say);
    else if (write.kind === "refused") sayRefused("arguments that update_plan does not take", say);
  });
  if (writes.some(({ kind }) => kind === "unknown")) sayUnknown(say);
  else if (writes.some(({ kind }) => kind === "doubtful"))
    sayUnknown(say, "the plan may have been updated, content unknown");
  return true;
}
