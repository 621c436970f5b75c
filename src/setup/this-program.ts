import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Program } from "../agents/common/setup/commands.ts";
import { findOnPath } from "./installed.ts";

/** How the installation that the bundle is a part of is started. */
export function thisProgram(env: NodeJS.ProcessEnv, platform: string): Program {
  return findProgram(fileURLToPath(new URL("../bin/waymark.js", import.meta.url)), env, platform);
}

const QUICK = "waymark-hook";

/** The plain name where it means this installation, else Node and the file. */
export function findProgram(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Program {
  const byFile = { command: process.execPath, before: [script] };
  // On Windows the name is a batch file, which not every agent can start.
  if (platform === "win32") return byFile;
  const beside = join(dirname(script), QUICK);
  const quick = existsSync(beside) ? { quick: beside } : {};
  const first = findOnPath("waymark", usersPath(env.PATH ?? ""), platform);
  if (first === undefined || !existsSync(script) || realpathSync(first) !== realpathSync(script))
    return { ...byFile, ...quick };
  const named = existsSync(join(dirname(first), QUICK)) ? { quick: QUICK } : quick;
  return { command: "waymark", before: [], ...named };
}

/** Directories that npx and npm scripts add to the path of their commands. An agent's shell does not have them. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin[/\\]?$/;

function usersPath(path: string): string {
  return path
    .split(delimiter)
    .filter((directory) => !OF_NPM.test(directory))
    .join(delimiter);
}
