import { isAbsolute, relative, sep } from "node:path";
import { commandLine, type Program } from "../agents/common/setup/commands.ts";
import { findOnPath } from "./installed.ts";
import { thisProgram } from "./this-program.ts";

/** The command that runs this installation from the current directory. */
export function shellCommand(env: NodeJS.ProcessEnv): string {
  const { platform } = process;
  return shellCommandIn(thisProgram(env, platform), env, process.cwd(), platform);
}

/** The command that runs a program from `cwd`: its name if it is in PATH, otherwise Node and the script. */
export function shellCommandIn(
  { command, prefixArgs: before }: Program,
  env: NodeJS.ProcessEnv,
  cwd: string,
  platform: string,
): string {
  const [script] = before;
  if (script === undefined) return command;
  const below = relative(cwd, script);
  const isBelow = below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  const node = findOnPath("node", env.PATH ?? "", platform) === undefined ? command : "node";
  return commandLine({ command: node, prefixArgs: [isBelow ? below : script] }, [], platform);
}
