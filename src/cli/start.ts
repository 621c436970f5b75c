import type { HookArguments } from "../servers/hooks/run.ts";
import { beside, keepCompiled, load, openCompileCache } from "./compiled.ts";
import type { Rest } from "./quick.ts";

const PROGRAM = "./cli.cjs";
/** Some of its commands alone. */
const LISTING = "./listing.cjs";

interface Program {
  main(argv: readonly string[]): Promise<number>;
  answerHook(hook: HookArguments): Promise<void>;
}

interface Part {
  main(argv: readonly string[]): Promise<number | undefined>;
}

/** Called many times a minute: looked at before the program is loaded. */
const QUICK: readonly string[] = ["hook", "statusline"];
const LISTED: readonly string[] = ["ls"];

async function start(argv: readonly string[]): Promise<void> {
  openCompileCache(argv);
  let hook: HookArguments | undefined;
  if (QUICK.includes(argv[0] ?? "")) {
    const { quick } = beside("./quick.cjs");
    const rest: Rest = await quick(argv);
    if (!rest) return;
    hook = rest.hook;
  }
  if (LISTED.includes(argv[0] ?? "")) {
    const exit = await (load(LISTING) as Part).main(argv);
    if (exit !== undefined) {
      process.exitCode = exit;
      if (exit === 0) keepCompiled();
      return;
    }
  }
  const program = load(PROGRAM) as Program;
  if (hook) await program.answerHook(hook);
  else process.exitCode = await program.main(argv);
  // A command that failed has not run what the next one needs.
  if (!process.exitCode) keepCompiled();
}

start(process.argv.slice(2)).catch((error: unknown) => {
  // An agent must not notice that it is watched, not even by a broken installation.
  if (process.argv[2] !== "hook") throw error;
});
