import { isAbsolute, relative, sep } from "node:path";
import { commandLine, type Program } from "../agents/common/setup/commands.ts";
import { findOnPath } from "./installed.ts";
import { thisProgram } from "./this-program.ts";

/** The command that runs this installation from the current directory. */
export function typedHere(env: NodeJS.ProcessEnv): string {
  const { platform } = process;
  return typedProgram(thisProgram(env, platform), env, process.cwd(), platform);
}

/** What a person types in `cwd` to run a program: its name where the shell finds it, else Node and the file. */
export function typedProgram(
  { command, before }: Program,
  env: NodeJS.ProcessEnv,
  cwd: string,
  platform: string,
): string {
  const [script] = before;
  if (script === undefined) return command;
  const below = relative(cwd, script);
  const isBelow = below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  const node = findOnPath("node", env.PATH ?? "", platform) === undefined ? command : "node";
  return commandLine({ command: node, before: [isBelow ? below : script] }, [], platform);
}
