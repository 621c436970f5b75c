import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Program } from "../agents/common/setup/commands.ts";
import { findOnPath } from "./installed.ts";

/** The command that starts this installation. */
export function thisProgram(env: NodeJS.ProcessEnv, platform: string): Program {
  return findProgram(fileURLToPath(new URL("../bin/waymark.js", import.meta.url)), env, platform);
}

const QUICK = "waymark-hook";

/** The plain name if a shell runs this installation for it, otherwise Node and the script. */
export function findProgram(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Program {
  const byFile = { command: process.execPath, prefixArgs: [script] };
  // On Windows the name is a batch file, which some agents cannot start.
  if (platform === "win32") return byFile;
  const beside = join(dirname(script), QUICK);
  const hookScript = existsSync(beside) ? { hookScript: beside } : {};
  const first = findOnPath("waymark", usersPath(env.PATH ?? ""), platform);
  if (first === undefined || !existsSync(script) || realpathSync(first) !== realpathSync(script))
    return { ...byFile, ...hookScript };
  const named = existsSync(join(dirname(first), QUICK)) ? { hookScript: QUICK } : hookScript;
  return { command: "waymark", prefixArgs: [], ...named };
}

/** Directories that npx and npm scripts add to PATH. The shells of agents do not have them. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin[/\\]?$/;

function usersPath(path: string): string {
  return path
    .split(delimiter)
    .filter((directory) => !OF_NPM.test(directory))
    .join(delimiter);
}
