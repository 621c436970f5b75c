import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

/** What the program loads late, from a file of its own. */
const PARTS: readonly string[] = ["./mcp-sdk.cjs", "./ink.cjs"];

/** The one that this very file was given: to make another takes a module that takes its time. */
export const beside = require;
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

/**
 * Loads a bundle with what V8 compiled of it when it was built: compiling is a fifth of what
 * starting costs. V8 itself refuses what another version of it made; then the source is compiled.
 * Node 22 and newer keep such a cache of their own, which the launcher has switched on.
 */
export function load(file: string): unknown {
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

/** Keeps what is compiled by now of the bundle that the build names, if it was loaded. */
export function keepCompiled(): void {
  for (const [file, script] of scripts)
    if (process.env.WAYMARK_BUILD_CACHE === file)
      writeFileSync(cacheOf(file), script.createCachedData());
}
