import { readFileSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

/**
 * Loads the program with what V8 compiled of it when it was built: compiling is a fifth of what
 * starting costs. V8 itself refuses what another version of it made; then the source is compiled.
 * Node 22 and newer keep such a cache of their own, which the launcher has switched on.
 */
const PROGRAM = "./cli.cjs";
/** What the program loads late, from a file of its own. */
const PARTS: readonly string[] = ["./mcp-sdk.cjs"];

interface Program {
  main(argv: readonly string[]): Promise<number>;
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

const program = load(PROGRAM) as Program;
program.main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  // The build names the file that it wants to be kept as it is compiled now.
  const wanted = process.env.WAYMARK_BUILD_CACHE;
  const script = wanted === undefined ? undefined : scripts.get(wanted);
  if (wanted !== undefined && script) writeFileSync(cacheOf(wanted), script.createCachedData());
});
