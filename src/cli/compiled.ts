import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { compileCacheDirectory, readCacheFile, writeCacheFile } from "./compile-cache.ts";

/** Hash of the bundles, set by the build. */
declare const BUILD: string;

/** The files of the program and the numbers of their parts: see scripts/program.mjs. */
const PART_FILES: readonly string[] = ["./cli.cjs", "./lists.cjs", "./mcp.cjs", "./more.cjs"];
const PARTS_PER_FILE = 1_000;
/** Loaded on demand. */
const SDK = "./mcp-sdk.cjs";

/** `require` of this file: creating another would load `node:module`, which is slow. */
const requireBundle = require;
/** The wrapper that Node puts around a CommonJS module. */
const HEAD = "(function (exports, require, module, __filename, __dirname) { ";
const FOOT = "\n})";
/** Since Node 22, Node itself caches compiled code in a given directory. */
const NODE_CACHES = Number.parseInt(process.versions.node, 10) >= 22;

const uid = process.getuid?.();
/** Undefined before the first lookup, false if there is none. */
let directory: string | false | undefined;
/** Commands that run often have a cache each; the others share one. */
const FREQUENT: readonly string[] = [
  "hook",
  "statusline",
  "tool",
  "mcp",
  "todo",
  "todos",
  "task",
  "ls",
];
/** Reader threads run what `ls` runs. */
let command = "ls";
/** V8 rejects data that was created with other options. */
const hasOptions = process.execArgv.length > 0 || Boolean(process.env.NODE_OPTIONS);

interface Loaded {
  readonly script: Script;
  /** Number of runs that added to the cache it was loaded from. */
  readonly runs: number;
  readonly exports: unknown;
  /** See `v8Fingerprint`; set if the cache will be written. */
  readonly settings?: Buffer | undefined;
}
const loaded = new Map<string, Loaded>();

/**
 * V8 compiles a function when it is first called, so a cache has the functions of the runs that wrote it. After this many
 * runs it has what the command needs and is not written again.
 */
const WRITING_RUNS = 3;
/** Milliseconds after the start at which long-running commands write their caches. */
const STARTED_AFTER = 3_000;

/** Call before `load`, with the arguments of the program. */
export function openCompileCache(argv: readonly string[]): void {
  command = FREQUENT.find((name) => name === argv[0]) ?? "other";
  if (!NODE_CACHES) return;
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
  const parts = [name, ...(file === SDK ? [] : [command]), ...(hasOptions ? ["options"] : [])];
  return join(found, `${parts.join("-")}.cache`);
}

/**
 * Loads a bundle with the compiled code of earlier starts: compiling is a fifth of the start time. If V8
 * rejects the code, the source is compiled.
 */
export function load(file: string): unknown {
  if (NODE_CACHES) return requireBundle(file);
  const known = loaded.get(file);
  if (known) return known.exports;
  const path = join(__dirname, file);
  const cache = cacheOf(file);
  const kept = cache === undefined ? undefined : readCacheFile(cache, uid);
  // Bundles are pure ASCII, which latin1 decodes fastest.
  const source = HEAD + readFileSync(path, "latin1") + FOOT;
  const script = new Script(source, { filename: path, ...(kept && { cachedData: kept.data }) });
  const runs = kept && !script.cachedDataRejected ? kept.runs : 0;
  const settings = cache !== undefined && runs < WRITING_RUNS ? v8Fingerprint() : undefined;
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireBundle, module, path, dirname(path));
  loaded.set(file, { script, runs, exports: module.exports, settings });
  if (settings) setTimeout(saveCompiled, STARTED_AFTER).unref();
  return module.exports;
}

/** A module of the program: see scripts/program.mjs. */
type Part = (part: (number: number) => unknown, require: unknown, here: unknown) => unknown;

const parts = new Map<number, unknown>();
const HERE = {
  directory: __dirname,
  /** Computed on demand: few commands need it, and the first URL of a process is slow. */
  get url() {
    return requireBundle("node:url").pathToFileURL(__filename).href;
  },
  /** As `performance.now`, which pulls in the performance modules. */
  now: () => Number(process.hrtime.bigint()) / 1_000_000,
};

/** The exports of a part of the program, which is evaluated on first use. */
export function part(number: number): unknown {
  const known = parts.get(number);
  if (known) return known;
  const file = PART_FILES[Math.floor(number / PARTS_PER_FILE)] ?? "";
  const functions = load(file) as readonly Part[];
  const exports = functions[number % PARTS_PER_FILE]?.(part, requirePart, HERE);
  parts.set(number, exports);
  return exports;
}

function requirePart(id: string): unknown {
  return id === SDK ? load(id) : requireBundle(id);
}

/** Equal bytes mean equal V8 settings; V8 rejects data that was created with other settings. */
function v8Fingerprint(): Buffer {
  return new Script("0").createCachedData();
}

/** Writes the compiled code of the loaded bundles, unless enough runs have done that. */
export function saveCompiled(): void {
  for (const [file, { script, runs, exports, settings }] of loaded) {
    const cache = cacheOf(file);
    if (cache === undefined || !settings?.equals(v8Fingerprint())) continue;
    writeCacheFile(cache, { runs: runs + 1, data: script.createCachedData() });
    // Once per run.
    loaded.set(file, { script, runs, exports });
  }
}
