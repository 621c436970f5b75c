import { answerHook as answer } from "../servers/hooks/answer.ts";
import type { HookArguments } from "../servers/hooks/run.ts";
import { openTerminal } from "./io/terminal.ts";

/** Handles one hook event and prints the answer. Exits with 0 even after a timeout. */
export function answerHook(hook: HookArguments): Promise<void> {
  const { env } = process;
  return answer(hook, {
    env,
    print: (text) => openTerminal(env).print(text),
    exit: () => process.exit(0),
  });
}
