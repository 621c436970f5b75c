import type { HookArguments } from "../servers/hooks/run.ts";
import { beside, keepCompiled, load } from "./compiled.ts";
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
      keepCompiled();
      return;
    }
  }
  const program = load(PROGRAM) as Program;
  if (hook) await program.answerHook(hook);
  else process.exitCode = await program.main(argv);
  // What hooks need is compiled with it: they are called most often.
  if (process.env.WAYMARK_BUILD_CACHE === PROGRAM) {
    const json = '{"session_id":"build"}';
    const agent = process.env.WAYMARK_BUILD_HOOK ?? "";
    await program.answerHook({ agent, event: "Stop", json, native: false });
  }
  keepCompiled();
}

start(process.argv.slice(2)).catch((error: unknown) => {
  // An agent must not notice that it is watched, not even by a broken installation.
  if (process.argv[2] !== "hook") throw error;
});
