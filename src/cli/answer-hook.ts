import { locationOf } from "../config/file.ts";
import { chooseDriver, loadSettings } from "../config/load.ts";
import { currentDirectory } from "../home/current-directory.ts";
import { answerHook as answer } from "../servers/hooks/answer.ts";
import type { HookArguments } from "../servers/hooks/run.ts";
import { openTerminal } from "./io/terminal.ts";

/** Handles one hook event and prints the answer. Exits with 0 even after a timeout. */
export function answerHook(hook: HookArguments): Promise<void> {
  const { env, problems } = loadSettings(process.env, currentDirectory());
  chooseDriver(env);
  return answer(hook, {
    env,
    problems: problems.map((each) => `${locationOf(each)}: ${each.message}`),
    print: (text) => openTerminal(env).print(text),
    exit: () => process.exit(0),
  });
}
