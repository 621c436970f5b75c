import { opendir } from "node:fs/promises";
import type { Decoder, Machine } from "../agents/agent.ts";
import type { Program } from "../agents/common/setup/commands.ts";
import { DECODERS } from "../agents/index.ts";
import { findSetupAgent } from "../agents/setup.ts";
import type { LiveTrack } from "../core/stream/fold.ts";
import type { AgentSummary } from "../core/wire.ts";
import { programVersion } from "../setup/installed.ts";
import { shellCommandIn } from "../setup/shell-command.ts";
import { type AgentStatus, isOwnListOn, type SetupContext, statusOfAll } from "../setup/status.ts";
import { thisProgram } from "../setup/this-program.ts";
import { listStateOf } from "./list-state.ts";

export interface FindAgentsOptions {
  readonly machine: Machine;
  /** The environment in which agents' programs are found and started. */
  readonly env: NodeJS.ProcessEnv;
  /** Waymark's directory. */
  readonly home: string;
  /** Sessions, newest first: they have versions and lists. */
  readonly lives?: readonly LiveTrack[];
  readonly signal?: AbortSignal | undefined;
  /** The installation that printed commands run (default: this one). */
  readonly program?: Program;
}

/**
 * Finds every supported agent: where its sessions are, whether it is installed, whether its model has a todo list, and
 * the command that gives it one. May start agents' programs to get their version, so call it after the first paint.
 */
export async function findAgents(options: FindAgentsOptions): Promise<readonly AgentSummary[]> {
  const { machine, env, home } = options;
  const context: SetupContext = {
    machine,
    path: env.PATH ?? "",
    program: options.program ?? thisProgram(env, machine.platform),
    home,
  };
  const statuses = new Map(
    statusOfAll(context).map((status) => [findSetupAgent(status.agent)?.id, status]),
  );
  const supported = DECODERS.filter(({ locations }) => locations);
  return Promise.all(
    supported.map((decoder) => summaryOf(decoder, statuses.get(decoder.id), context, options)),
  );
}

async function summaryOf(
  decoder: Decoder,
  status: AgentStatus | undefined,
  context: SetupContext,
  { machine, env, lives = [], signal }: FindAgentsOptions,
): Promise<AgentSummary> {
  const { id, name } = decoder;
  const setup = status && findSetupAgent(status.agent);
  const roots = [...new Set(decoder.locations?.(machine).map(({ root }) => root))];
  const folders = await Promise.all(roots.map(stateOfFolder));
  const ours = lives.filter(({ agentType }) => agentType === id);
  const version =
    ours.find((live) => live.version !== undefined)?.version ??
    (decoder.listSetting?.since !== undefined && status?.program && !status.setUp
      ? await programVersion(status.program, env, signal)
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
      ? listStateOf(decoder, {
          version,
          lives: ours,
          isSetUp,
          isEnabled: setup !== undefined && isOwnListOn(setup, context),
          isConfigReadable: status?.problem === undefined,
        })
      : "unknown",
    command:
      status && !isSetUp
        ? `${shellCommandIn(context.program, env, process.cwd(), machine.platform)} setup ${status.agent}`
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
