import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { compileCacheDirectory, readCacheFile, writeCacheFile } from "./compile-cache.ts";

/** Set by the build. */
declare const BUILD: string;

/** What the program loads late, from a file of its own. */
const PARTS: readonly string[] = ["./mcp-sdk.cjs", "./ink.cjs"];
const PROGRAM = "./cli.cjs";

/** The one that this very file was given: to make another takes a module that takes its time. */
export const beside = require;
/** As Node wraps what is required. */
const HEAD = "(function (exports, require, module, __filename, __dirname) { ";
const FOOT = "\n})";
/** These versions keep compiled code themselves, in the directory that they are given. */
const NODE_KEEPS = Number.parseInt(process.versions.node, 10) >= 22;

const uid = process.getuid?.();
/** Undefined until it is looked for, false where there is none. */
let directory: string | false | undefined;
/** Commands that run often: each has a cache of what it needs. The other commands share one. */
const FREQUENT: readonly string[] = ["hook", "tool", "mcp", "todo", "todos", "task"];
let command = "other";
/** V8 refuses data that it made with other options. */
const hasOptions = process.execArgv.length > 0 || Boolean(process.env.NODE_OPTIONS);

interface Loaded {
  readonly script: Script;
  /** How many runs have added to the cache that it was loaded from. */
  readonly runs: number;
  readonly exports: unknown;
  /** See `settingsOfV8`; only if the cache is to be written. */
  readonly settings?: Buffer | undefined;
}
const loaded = new Map<string, Loaded>();

/**
 * V8 compiles a function when it is first called, so a cache has the functions of the runs that wrote it. After this many
 * runs it is left alone: what a command needs is in it.
 */
const WRITING_RUNS = 3;
/** Commands that run until they are killed write their caches this many milliseconds after the start. */
const STARTED_AFTER = 3_000;

/** Call it before `load`, with the arguments of the program. */
export function openCompileCache(argv: readonly string[]): void {
  command = FREQUENT.find((name) => name === argv[0]) ?? "other";
  if (!NODE_KEEPS) return;
  const { enableCompileCache } = process.getBuiltinModule("node:module") as {
    enableCompileCache?: (directory: string) => void;
  };
  const found = findDirectory();
  if (found) enableCompileCache?.(found);
}

function findDirectory(): string | false {
  directory ??=
    compileCacheDirectory({
      dist: __dirname,
      build: BUILD,
      env: process.env,
      platform: process.platform,
      uid,
    }) ?? false;
  return directory;
}

function cacheOf(file: string): string | undefined {
  const found = findDirectory();
  if (!found) return undefined;
  const name = file.slice("./".length, -".cjs".length);
  const parts = [name, ...(file === PROGRAM ? [command] : []), ...(hasOptions ? ["options"] : [])];
  return join(found, `${parts.join("-")}.cache`);
}

/**
 * Loads a bundle with the compiled code of earlier starts: compiling is a fifth of what starting costs. Where V8
 * refuses it, the source is compiled.
 */
export function load(file: string): unknown {
  if (NODE_KEEPS) return beside(file);
  const known = loaded.get(file);
  if (known) return known.exports;
  const path = join(__dirname, file);
  const cache = cacheOf(file);
  const kept = cache === undefined ? undefined : readCacheFile(cache, uid);
  // The bundler writes nothing but ASCII, which is read fastest byte by byte.
  const source = HEAD + readFileSync(path, "latin1") + FOOT;
  const script = new Script(source, { filename: path, ...(kept && { cachedData: kept.data }) });
  const runs = kept && !script.cachedDataRejected ? kept.runs : 0;
  const settings = cache !== undefined && runs < WRITING_RUNS ? settingsOfV8() : undefined;
  const module = { exports: {} };
  loaded.set(file, { script, runs, exports: module.exports });
  const require = (id: string) => (PARTS.includes(id) ? load(id) : beside(id));
  script.runInThisContext()(module.exports, require, module, path, dirname(path));
  loaded.set(file, { script, runs, exports: module.exports, settings });
  if (settings) setTimeout(keepCompiled, STARTED_AFTER).unref();
  return module.exports;
}

/** The same bytes as long as V8's settings are the same: it would refuse data that it makes with others. */
function settingsOfV8(): Buffer {
  return new Script("0").createCachedData();
}

/** Writes the compiled code of the loaded bundles, unless enough runs have done so. */
export function keepCompiled(): void {
  for (const [file, { script, runs, exports, settings }] of loaded) {
    const cache = cacheOf(file);
    if (cache === undefined || !settings?.equals(settingsOfV8())) continue;
    writeCacheFile(cache, { runs: runs + 1, data: script.createCachedData() });
    // Once a run.
    loaded.set(file, { script, runs, exports });
  }
}
