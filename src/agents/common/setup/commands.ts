import { type Situation, situationNames } from "../../../core/guidance/situation.ts";
import type { Mode } from "./agent.ts";

/** How to start this installation from any directory: a command and the arguments before those of Waymark. */
export interface Program {
  readonly command: string;
  readonly prefixArgs: readonly string[];
  /** `bin/waymark-hook`: runs a hook command, mostly without starting Node. Not available on every platform. */
  readonly hookScript?: string;
}

/** Quotes an argument for any shell. */
function quoted(argument: string, platform: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument;
  if (platform === "win32") return `"${argument.replaceAll('"', '\\"')}"`;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

export function commandLine(
  { command, prefixArgs }: Program,
  args: readonly string[],
  platform: string,
): string {
  return [command, ...prefixArgs, ...args].map((argument) => quoted(argument, platform)).join(" ");
}

/** The arguments of the MCP server in the configuration of an agent. */
export function serverArguments({
  program,
  extras = [],
  offIn = [],
}: {
  readonly program: Program;
  readonly extras?: readonly string[];
  readonly offIn?: readonly Situation[];
}): readonly string[] {
  const tools = extras.length === 0 ? [] : ["--tools", ["todos", ...extras].join(",")];
  const off = offIn.length === 0 ? [] : ["--off-in", situationNames(offIn)];
  return [...program.prefixArgs, "mcp", ...tools, ...off];
}

const BEFORE_CALL: ReadonlySet<string> = new Set(["PreToolUse", "BeforeTool"]);

/** The command of a hook. It always ends with `hook AGENT EVENT`. */
export function hookCommand(
  agent: string,
  event: string,
  program: Program,
  platform: string,
  { mode, offIn = [] }: { readonly mode: Mode; readonly offIn?: readonly Situation[] } = {
    mode: "waymark",
  },
): string {
  const { hookScript, command, prefixArgs } = program;
  const line =
    hookScript === undefined
      ? program
      : { command: hookScript, prefixArgs: [command, ...prefixArgs] };
  const native = mode === "native" ? ["--native"] : [];
  // Waymark's own tool refuses such writes itself.
  const denies = mode === "native" && offIn.length > 0 && BEFORE_CALL.has(event);
  const off = denies ? [`--off-in=${situationNames(offIn)}`] : [];
  return commandLine(line, ["hook", ...native, ...off, agent, event], platform);
}
