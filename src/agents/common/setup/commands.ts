import { type Situation, situationNames } from "../../../core/guidance/situation.ts";
import type { Mode } from "./agent.ts";

/** How this installation is started, from any directory: a program and what comes before its arguments. */
export interface Program {
  readonly command: string;
  readonly before: readonly string[];
  /** Stands before a hook's command line and mostly spares its start; not on every system. */
  readonly quick?: string;
}

/** A word of a command line that any shell takes as one. */
function quoted(word: string, platform: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform === "win32") return `"${word.replaceAll('"', '\\"')}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export function commandLine(
  { command, before }: Program,
  args: readonly string[],
  platform: string,
): string {
  return [command, ...before, ...args].map((word) => quoted(word, platform)).join(" ");
}

/** The arguments with which an agent starts our MCP server. */
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
  return [...program.before, "mcp", ...tools, ...off];
}

const BEFORE_CALL: ReadonlySet<string> = new Set(["PreToolUse", "BeforeTool"]);

/** What an agent runs when an event happens. Its last words are always `hook AGENT EVENT`. */
export function hookCommand(
  agent: string,
  event: string,
  program: Program,
  platform: string,
  { mode, offIn = [] }: { readonly mode: Mode; readonly offIn?: readonly Situation[] } = {
    mode: "waymark",
  },
): string {
  const { quick, command, before } = program;
  const line = quick === undefined ? program : { command: quick, before: [command, ...before] };
  const native = mode === "native" ? ["--native"] : [];
  // Waymark's own tool refuses by itself.
  const denies = mode === "native" && offIn.length > 0 && BEFORE_CALL.has(event);
  const off = denies ? [`--off-in=${situationNames(offIn)}`] : [];
  return commandLine(line, ["hook", ...native, ...off, agent, event], platform);
}
