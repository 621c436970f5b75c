import { readFileSync, writeFileSync } from "node:fs";
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
/** Some of its commands alone. */
const LISTING = "./listing.cjs";
/** What the program loads late, from a file of its own. */
const PARTS: readonly string[] = ["./mcp-sdk.cjs", "./ink.cjs"];

interface Program {
  main(argv: readonly string[]): Promise<number>;
  answerHook(hook: HookArguments): Promise<void>;
}

interface Part {
  main(argv: readonly string[]): Promise<number | undefined>;
}

/** The one that this very file was given: to make another takes a module that takes its time. */
const beside = require;
/** As Node wraps what is required. */
const HEAD = "(function (exports, require, module, __filename, __dirname) { ";
const FOOT = "\n})";
const KEEPS_COMPILED = Number.parseInt(process.versions.node, 10) >= 22;
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
  if (KEEPS_COMPILED) return beside(file);
  const known = modules.get(file);
  if (known) return known.exports;
  const path = join(__dirname, file);
  const cachedData = cached(file);
  // The bundler writes nothing but ASCII, which is read fastest byte by byte.
  const source = HEAD + readFileSync(path, "latin1") + FOOT;
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
  scripts.set(file, script);
  const module = { exports: {} };
  modules.set(file, module);
  const require = (id: string) => (PARTS.includes(id) ? load(id) : beside(id));
  script.runInThisContext()(module.exports, require, module, path, dirname(path));
  return module.exports;
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
      keepCompiled(LISTING);
      return;
    }
  }
  const program = load(PROGRAM) as Program;
  if (hook) await program.answerHook(hook);
  else process.exitCode = await program.main(argv);
  await keepProgram(program);
}

/** What hooks need is compiled with it: they are called most often. */
async function keepProgram({ answerHook }: Program): Promise<void> {
  if (process.env.WAYMARK_BUILD_CACHE === PROGRAM) {
    const json = '{"session_id":"build"}';
    await answerHook({ agent: "claude", event: "Stop", json, native: false });
  }
  for (const file of scripts.keys()) keepCompiled(file);
}

/** The build names the file that it wants to be kept as it is compiled now. */
function keepCompiled(file: string): void {
  if (process.env.WAYMARK_BUILD_CACHE !== file) return;
  const script = scripts.get(file);
  if (script) writeFileSync(cacheOf(file), script.createCachedData());
}

start(process.argv.slice(2)).catch((error: unknown) => {
  // An agent must not notice that it is watched, not even by a broken installation.
  if (process.argv[2] !== "hook") throw error;
});
