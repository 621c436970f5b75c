import { emitPlan, emitRejected, emitUnknown } from "./plan.ts";
import { type CodexState, type OpenCall, put, type ThreadEmit } from "./state.ts";

/** The status line of a script result. Output that the script sends to the model may come before it. */
const RESULT = /^Script (completed|failed|running with cell ID (\S+))/;
/** Errors of `update_plan` itself, and a syntax error, before which nothing ran. */
const REFUSAL = /^(?:failed to parse function arguments|update_plan |SyntaxError|unsupported)/;

/** Applies the result of a script with plan updates. Returns false while the script may still run. */
export function finishScript(
  state: CodexState,
  id: string,
  { writes = [] }: OpenCall,
  output: string,
  send: ThreadEmit,
): boolean {
  const result = RESULT.exec(output);
  if (!result) return false;
  if (result[2] !== undefined) {
    put(state.cells, result[2], id);
    return false;
  }
  if (writes.length === 0) return true;
  if (result[1] === "failed") {
    const error = output.split("Script error:\n")[1] ?? output;
    const failedAlone = writes.length === 1 || error.startsWith("SyntaxError");
    if (failedAlone && REFUSAL.test(error)) emitRejected(error, send);
    else emitUnknown(send, "the script failed; it is unknown whether its plan was accepted");
    return true;
  }
  if (state.self.mode === "plan") {
    emitRejected("update_plan is not allowed in plan mode", send);
    return true;
  }
  writes.forEach((write, index) => {
    if (write.kind === "list")
      emitPlan(state.self, write.plan, index === 0 ? id : `${id}.${index}`, send);
    else if (write.kind === "refused")
      emitRejected("arguments that update_plan does not accept", send);
  });
  if (writes.some(({ kind }) => kind === "unknown")) emitUnknown(send);
  else if (writes.some(({ kind }) => kind === "doubtful"))
    emitUnknown(send, "the plan may have been updated, content unknown");
  return true;
}
