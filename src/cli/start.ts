import { readFileSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

/**
 * Loads the program with what V8 compiled of it when it was built: compiling is a fifth of what
 * starting costs. V8 itself refuses what another version of it made; then the source is compiled.
 * Node 22 and newer keep such a cache of their own, which the launcher has switched on.
 */
const file = join(__dirname, "cli.cjs");
const cacheFile = join(__dirname, "cli.cache");

interface Program {
  main(argv: readonly string[]): Promise<number>;
}

function cached(): Buffer | undefined {
  try {
    return readFileSync(cacheFile);
  } catch {
    // Not built on this machine.
    return undefined;
  }
}

function load(): { readonly program: Program; readonly script?: Script } {
  const require = createRequire(file);
  if ("enableCompileCache" in Module) return { program: require(file) };
  const cachedData = cached();
  const source = Module.wrap(readFileSync(file, "utf8"));
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as Program };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  return { program: module.exports, script };
}

const { program, script } = load();
program.main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  if (process.env.WAYMARK_BUILD_CACHE && script)
    writeFileSync(cacheFile, script.createCachedData());
});
