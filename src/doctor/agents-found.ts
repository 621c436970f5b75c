import { opendir } from "node:fs/promises";
import type { Dialect, Machine } from "../agents/agent.ts";
import type { Program } from "../agents/common/setup/commands.ts";
import { DIALECTS, findSetup } from "../agents/index.ts";
import type { Live } from "../core/stream/fold.ts";
import type { AgentSummary } from "../core/wire.ts";
import { askVersion } from "../setup/installed.ts";
import { type AgentStatus, isOwnListOn, type Surroundings, statusOfAll } from "../setup/status.ts";
import { thisProgram } from "../setup/this-program.ts";
import { typedProgram } from "../setup/typed-program.ts";
import { listStateOf } from "./list-state.ts";

export interface AgentsFoundOptions {
  readonly machine: Machine;
  /** Environment of the program: where agents' programs are looked for, and how they are started. */
  readonly env: NodeJS.ProcessEnv;
  /** Waymark's own directory. */
  readonly home: string;
  /** Sessions that were read, newest first: they tell versions and whether a list was written. */
  readonly lives?: readonly Live[];
  readonly signal?: AbortSignal | undefined;
  /** The installation that commands start (default: this one). */
  readonly program?: Program;
}

/**
 * Every agent that Waymark looks for: where, whether it is installed, whether its model has a todo list, and
 * the command that gives it one. May start agents' programs to ask their version, so call it after the first
 * paint.
 */
export async function agentsFound(options: AgentsFoundOptions): Promise<readonly AgentSummary[]> {
  const { machine, env, home } = options;
  const surroundings: Surroundings = {
    machine,
    path: env.PATH ?? "",
    program: options.program ?? thisProgram(env, machine.platform),
    home,
  };
  const statuses = new Map(
    statusOfAll(surroundings).map((status) => [findSetup(status.agent)?.dialect, status]),
  );
  const looked = DIALECTS.filter(({ places }) => places);
  return Promise.all(
    looked.map((dialect) => summaryOf(dialect, statuses.get(dialect.id), surroundings, options)),
  );
}

async function summaryOf(
  dialect: Dialect,
  status: AgentStatus | undefined,
  surroundings: Surroundings,
  { machine, env, lives = [], signal }: AgentsFoundOptions,
): Promise<AgentSummary> {
  const { id, name } = dialect;
  const setup = status && findSetup(status.agent);
  const roots = [...new Set(dialect.places?.(machine).map(({ root }) => root))];
  const folders = await Promise.all(roots.map(stateOfFolder));
  const ours = lives.filter(({ agentType }) => agentType === id);
  const version =
    ours.find((live) => live.version !== undefined)?.version ??
    (dialect.listSetting?.since !== undefined && status?.program && !status.setUp
      ? await askVersion(status.program, env, signal)
      : undefined);
  const found = status?.found === true || folders.some((state) => state !== "missing");
  const isSetUp = status?.setUp === "waymark" || status?.setUp === "native";
  const unreadable = folders.indexOf("unreadable");
  return {
    agent: id,
    name,
    where: roots.map((root) => underHome(root, machine)),
    found,
    list: found
      ? listStateOf(dialect, {
          version,
          lives: ours,
          isSetUp,
          isSwitchedOn: setup !== undefined && isOwnListOn(setup, surroundings),
          isConfigReadable: status?.problem === undefined,
        })
      : "unknown",
    command:
      status && !isSetUp
        ? `${typedProgram(surroundings.program, env, process.cwd(), machine.platform)} setup ${status.agent}`
        : null,
    ...(unreadable >= 0 && {
      problem: `${underHome(roots[unreadable] ?? "", machine)} cannot be read`,
    }),
  };
}

async function stateOfFolder(path: string): Promise<"readable" | "unreadable" | "missing"> {
  try {
    await (await opendir(path)).close();
    return "readable";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
  }
}

function underHome(path: string, { home, platform }: Machine): string {
  const separator = platform === "win32" ? "\\" : "/";
  return home !== "" && path.startsWith(`${home}${separator}`)
    ? `~${path.slice(home.length)}`
    : path;
}
