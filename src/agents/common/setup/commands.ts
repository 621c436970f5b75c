import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Situation, situationNames } from "../../../core/guidance/situation.ts";
import { findOnPath } from "../../../setup/installed.ts";
import type { Mode } from "./agent.ts";

/** The agents that can be set up, as they are called on the command line and in hook commands. */
export const AGENTS = ["claude", "codex", "gemini", "opencode", "qwen"] as const;

export type Agent = (typeof AGENTS)[number];

/** How this installation is started, from any directory: a program and what comes before its arguments. */
export interface Program {
  readonly command: string;
  readonly before: readonly string[];
  /** Stands before a hook's command line and mostly spares its start; not on every system. */
  readonly quick?: string;
}

const QUICK = "waymark-hook";

/** The plain name where it means this installation, else Node and the file. */
export function findProgram(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Program {
  const byFile = { command: process.execPath, before: [script] };
  // What stands in the path of Windows is a batch file, which not every agent can start.
  if (platform === "win32") return byFile;
  const beside = join(dirname(script), QUICK);
  const quick = existsSync(beside) ? { quick: beside } : {};
  const first = findOnPath("waymark", usersPath(env.PATH ?? ""), platform);
  if (first === undefined || !existsSync(script) || realpathSync(first) !== realpathSync(script))
    return { ...byFile, ...quick };
  const named = existsSync(join(dirname(first), QUICK)) ? { quick: QUICK } : quick;
  return { command: "waymark", before: [], ...named };
}

/** npx and npm scripts put these directories on the path of what they run; an agent's shell has none of them. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin[/\\]?$/;

function usersPath(path: string): string {
  return path
    .split(delimiter)
    .filter((directory) => !OF_NPM.test(directory))
    .join(delimiter);
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
  agent: Agent,
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
