import type { HookArguments } from "../servers/hooks/run.ts";

export { runProgram as main } from "./program.ts";

/** For the launcher, which has already read the event. */
export async function answerHook(hook: HookArguments): Promise<void> {
  const { answerHook: answer } = await import("./answer-hook.ts");
  return answer(hook);
}
