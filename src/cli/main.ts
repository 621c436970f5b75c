import type { HookArguments } from "../servers/hooks/run.ts";
import { COMMANDS } from "./commands/index.ts";
import type { Exit } from "./io/exit.ts";
import { type Parts, runProgram } from "./program.ts";

/** For the launcher, which has read the input already. */
export async function answerHook(hook: HookArguments): Promise<void> {
  const { answerHook: answer } = await import("./answer-hook.ts");
  return answer(hook);
}

const WHOLE: Parts<Promise<Exit>> = {
  commands: COMMANDS,
  unnamed: async () => (await import("./commands/home.ts")).home,
  help: async (path, terminal) => (await import("./args/help.ts")).printHelp(path, terminal),
};

/** The whole program. */
export function main(argv: readonly string[]): Promise<Exit> {
  return runProgram(argv, WHOLE);
}
