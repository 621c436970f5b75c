import type { HookArguments } from "../servers/hooks/run.ts";
import { COMMANDS } from "./commands/index.ts";
import type { Exit } from "./io/exit.ts";
import { type ProgramParts, runProgram } from "./program.ts";

/** For the launcher, which has already read the event. */
export async function answerHook(hook: HookArguments): Promise<void> {
  const { answerHook: answer } = await import("./answer-hook.ts");
  return answer(hook);
}

const WHOLE: ProgramParts<Promise<Exit>> = {
  commands: COMMANDS,
  defaultCommand: async () => (await import("./commands/default.ts")).defaultCommand,
  help: async (path, terminal) => (await import("./args/help.ts")).printHelp(path, terminal),
};

/** The program with all commands. */
export function main(argv: readonly string[]): Promise<Exit> {
  return runProgram(argv, WHOLE);
}
