import { readFileSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import type { HookArguments } from "../hosts/hook/run.ts";
import type { Rest } from "./quick.ts";

/**
 * Loads the program with what V8 compiled of it when it was built: compiling is a fifth of what
 * starting costs. V8 itself refuses what another version of it made; then the source is compiled.
 * Node 22 and newer keep such a cache of their own, which the launcher has switched on.
 */
const PROGRAM = "./cli.cjs";
/** What the program loads late, from a file of its own. */
const PARTS: readonly string[] = ["./mcp-sdk.cjs", "./ink.cjs"];

interface Program {
  main(argv: readonly string[]): Promise<number>;
  answerHook(hook: HookArguments): Promise<void>;
}

const beside = createRequire(join(__dirname, PROGRAM));
const scripts = new Map<string, Script>();
const modules = new Map<string, { readonly exports: unknown }>();

function cacheOf(file: string): string {
  return join(__dirname, file.replace(/\.cjs$/, ".cache"));
}

function cached(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheOf(file));
  } catch {
    // Not built on this machine.
    return undefined;
  }
}

function load(file: string): unknown {
  if ("enableCompileCache" in Module) return beside(file);
  const known = modules.get(file);
  if (known) return known.exports;
  const path = join(__dirname, file);
  const cachedData = cached(file);
  const source = Module.wrap(readFileSync(path, "utf8"));
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
  scripts.set(file, script);
  const module = { exports: {} };
  modules.set(file, module);
  const require = (id: string) => (PARTS.includes(id) ? load(id) : beside(id));
  script.runInThisContext()(module.exports, require, module, path, dirname(path));
  return module.exports;
}

/** Called many times a minute: looked at before the program is loaded. */
const QUICK = ["hook", "statusline"];

async function start(argv: readonly string[]): Promise<void> {
  let hook: HookArguments | undefined;
  if (QUICK.includes(argv[0] ?? "")) {
    const { quick } = beside("./quick.cjs");
    const rest: Rest = await quick(argv);
    if (!rest) return;
    hook = rest.hook;
  }
  const program = load(PROGRAM) as Program;
  if (hook) await program.answerHook(hook);
  else process.exitCode = await program.main(argv);
  await keepCompiled(program);
}

/** The build names the file that it wants to be kept as it is compiled now. */
async function keepCompiled({ main, answerHook }: Program): Promise<void> {
  const wanted = process.env.WAYMARK_BUILD_CACHE;
  const script = wanted === undefined ? undefined : scripts.get(wanted);
  if (wanted === undefined || !script) return;
  if (wanted === PROGRAM) {
    // What hooks need is compiled with it: they are called most often.
    const json = '{"session_id":"build"}';
    await answerHook({ agent: "claude", event: "Stop", json, native: false });
    // And what reads sessions, when they are new and when they are known.
    for (let count = 0; count < 2; count++) process.exitCode ||= await main(["ls", "--json"]);
  }
  writeFileSync(cacheOf(wanted), script.createCachedData());
}

start(process.argv.slice(2)).catch((error: unknown) => {
  // An agent must not notice that it is watched, not even by a broken installation.
  if (process.argv[2] !== "hook") throw error;
});
