import type { HookArguments } from "../servers/hooks/run.ts";
import { load, openCompileCache, part, saveCompiled } from "./compiled.ts";
import { printConstant } from "./constant-output.ts";
import type { Remaining } from "./quick.ts";

interface Program {
  main(argv: readonly string[]): Promise<number>;
  answerHook(hook: HookArguments): Promise<void>;
}

interface Quick {
  quick(argv: readonly string[]): Promise<Remaining>;
}

/** Called many times a minute: tried before the program is loaded. */
const QUICK: readonly string[] = ["hook", "statusline"];

async function start(argv: readonly string[]): Promise<void> {
  if (printConstant(argv)) return;
  openCompileCache(argv);
  let hook: HookArguments | undefined;
  if (QUICK.includes(argv[0] ?? "")) {
    const { quick } = load("./quick.cjs") as Quick;
    const rest = await quick(argv);
    if (!rest) {
      saveCompiled();
      return;
    }
    hook = rest.hook;
  }
  const program = part(0) as Program;
  if (hook) await program.answerHook(hook);
  else process.exitCode = await program.main(argv);
  // A failed command has not compiled what the next one needs.
  if (!process.exitCode) saveCompiled();
}

start(process.argv.slice(2)).catch((error: unknown) => {
  // A hook must never disturb its agent, not even if the installation is broken.
  if (process.argv[2] !== "hook") throw error;
});
