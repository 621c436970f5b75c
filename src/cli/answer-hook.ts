import { answerHook as answer } from "../servers/hooks/answer.ts";
import type { HookArguments } from "../servers/hooks/run.ts";
import { openTerminal } from "./io/terminal.ts";

/** Answers one hook on the standard output. The process ends with 0 whatever happens. */
export function answerHook(hook: HookArguments): Promise<void> {
  const { env } = process;
  return answer(hook, {
    env,
    print: (text) => openTerminal(env).print(text),
    giveUp: () => process.exit(0),
  });
}
