import type { HookArguments } from "../servers/hooks/run.ts";
import { load, openCompileCache, requireBundle, saveCompiled } from "./compiled.ts";
import type { Remaining } from "./quick.ts";

const PROGRAM = "./cli.cjs";
/** The bundle of `ls` and of the modules that other commands share with it. */
const LISTING = "./listing.cjs";

interface Program {
  main(argv: readonly string[]): Promise<number>;
  answerHook(hook: HookArguments): Promise<void>;
}

interface Part {
  main(argv: readonly string[]): Promise<number | undefined>;
}

/** Called many times a minute: tried before the program is loaded. */
const QUICK: readonly string[] = ["hook", "statusline"];
const LISTED: readonly string[] = ["ls"];

async function start(argv: readonly string[]): Promise<void> {
  openCompileCache(argv);
  let hook: HookArguments | undefined;
  if (QUICK.includes(argv[0] ?? "")) {
    const { quick } = requireBundle("./quick.cjs");
    const rest: Remaining = await quick(argv);
    if (!rest) return;
    hook = rest.hook;
  }
  if (LISTED.includes(argv[0] ?? "")) {
    const exit = await (load(LISTING) as Part).main(argv);
    if (exit !== undefined) {
      process.exitCode = exit;
      if (exit === 0) saveCompiled();
      return;
    }
  }
  const program = load(PROGRAM) as Program;
  if (hook) await program.answerHook(hook);
  else process.exitCode = await program.main(argv);
  // A failed command has not compiled what the next one needs.
  if (!process.exitCode) saveCompiled();
}

start(process.argv.slice(2)).catch((error: unknown) => {
  // A hook must never disturb its agent, not even if the installation is broken.
  if (process.argv[2] !== "hook") throw error;
});
