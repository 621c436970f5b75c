import { existsSync } from "node:fs";
import type { Machine } from "../agents/agent.ts";
import {
  EXTRAS,
  type Extra,
  type Mode,
  type SetupAgent,
  type SetupRequest,
} from "../agents/common/setup/agent.ts";
import type { Program } from "../agents/common/setup/commands.ts";
import { SETUP_AGENTS } from "../agents/setup.ts";
import { WaymarkError } from "../core/error.ts";
import { SITUATIONS, type Situation } from "../core/guidance/situation.ts";
import { findOnPath } from "./installed.ts";
import { changesOf, hasSettings, isApplied, planRemoval } from "./plan.ts";

/** The setup status of one agent on this machine. */
export interface AgentStatus {
  readonly agent: string;
  readonly name: string;
  /** Whether its program or its directory exists. */
  readonly found: boolean;
  readonly program: string | null;
  /** The mode that it was set up in; `partly` if only some of the items exist. */
  readonly setUp: Mode | "partly" | null;
  readonly files: readonly string[];
  /** Why its configuration cannot be read. */
  readonly problem?: string;
}

export interface SetupContext {
  readonly machine: Machine;
  /** The PATH to search for agents' programs, also with another home directory. */
  readonly path: string;
  readonly program: Program;
  readonly project?: string | undefined;
  /** Waymark's directory. */
  readonly home: string;
}

export function setupRequest(
  { machine, program, project }: SetupContext,
  mode: Mode,
  version: string | undefined,
  extras: readonly Extra[] = [],
  offIn: readonly Situation[] = [],
): SetupRequest {
  return { machine, program, project, mode, version, extras, offIn, exists: existsSync };
}

/** Every combination of options that setup may have been run with. */
const EVERY_CHOICE = subsetsOf(EXTRAS);
const EVERY_SITUATION = subsetsOf(SITUATIONS);

function subsetsOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** all.length }, (_, bits) =>
    all.filter((__, index) => bits & (1 << index)),
  );
}

export function statusOfAll(context: SetupContext): readonly AgentStatus[] {
  return SETUP_AGENTS.map((setup) => statusOf(setup, context));
}

export function statusOf(setup: SetupAgent, context: SetupContext): AgentStatus {
  const { machine, path } = context;
  const program = findOnPath(setup.command, path, machine.platform) ?? null;
  const request = setupRequest(context, "waymark", undefined);
  const facts = {
    agent: setup.agent,
    name: setup.name,
    found: program !== null || existsSync(setup.folder(machine)),
    program,
    files: setup.files(request).map(({ path }) => path),
  };
  try {
    const isSetUp = (mode: Mode, extras: readonly Extra[]) =>
      EVERY_SITUATION.some((offIn) => isApplied(setup, { ...request, mode, extras, offIn }));
    const reached = EVERY_CHOICE.some((extras) => isSetUp("waymark", extras))
      ? "waymark"
      : isSetUp("native", [])
        ? "native"
        : undefined;
    const some = () =>
      changesOf(planRemoval(setup, { ...request, extras: EXTRAS }, context.home)).length > 0;
    return { ...facts, setUp: reached ?? (some() ? "partly" : null) };
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    return { ...facts, setUp: null, problem: error.message.replace(" Nothing was written.", "") };
  }
}

/** Whether the agent's configuration enables its own list, written by setup or the user. */
export function isOwnListOn(setup: SetupAgent, context: SetupContext): boolean {
  try {
    return hasSettings(setup, setupRequest(context, "native", undefined));
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    return false;
  }
}
