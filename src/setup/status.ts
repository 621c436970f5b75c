import { existsSync } from "node:fs";
import type { Machine } from "../agents/agent.ts";
import {
  type AgentSetup,
  EXTRAS,
  type Extra,
  type Mode,
  type Occasion,
} from "../agents/common/setup/agent.ts";
import type { Program } from "../agents/common/setup/commands.ts";
import { SETUPS } from "../agents/index.ts";
import { WaymarkError } from "../core/error.ts";
import { SITUATIONS, type Situation } from "../core/guidance/situation.ts";
import { findOnPath } from "./installed.ts";
import { changesOf, isReached, planRemoval, reachesSettings } from "./plan.ts";

/** One agent as it stands on this machine. */
export interface AgentStatus {
  readonly agent: string;
  readonly name: string;
  /** Whether its program or its folder is here. */
  readonly found: boolean;
  readonly program: string | null;
  /** Which list its model is given by us; `partly` when only some of what we write is there. */
  readonly setUp: Mode | "partly" | null;
  readonly files: readonly string[];
  /** Why its configuration cannot be read. */
  readonly problem?: string;
}

export interface Surroundings {
  readonly machine: Machine;
  /** Where programs are looked for: they are those of this machine, whoever's home it is. */
  readonly path: string;
  readonly program: Program;
  readonly project?: string | undefined;
  /** Waymark's own. */
  readonly home: string;
}

export function occasionOf(
  { machine, program, project }: Surroundings,
  mode: Mode,
  version: string | undefined,
  extras: readonly Extra[] = [],
  offIn: readonly Situation[] = [],
): Occasion {
  return { machine, program, project, mode, version, extras, offIn, exists: existsSync };
}

/** Whatever setup may have been asked to give besides the list. */
const EVERY_CHOICE = subsetsOf(EXTRAS);
const EVERY_SITUATION = subsetsOf(SITUATIONS);

function subsetsOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** all.length }, (_, bits) =>
    all.filter((__, place) => bits & (1 << place)),
  );
}

export function statusOfAll(surroundings: Surroundings): readonly AgentStatus[] {
  return SETUPS.map((setup) => statusOf(setup, surroundings));
}

export function statusOf(setup: AgentSetup, surroundings: Surroundings): AgentStatus {
  const { machine, path } = surroundings;
  const program = findOnPath(setup.command, path, machine.platform) ?? null;
  const occasion = occasionOf(surroundings, "waymark", undefined);
  const facts = {
    agent: setup.agent,
    name: setup.name,
    found: program !== null || existsSync(setup.folder(machine)),
    program,
    files: setup.files(occasion).map(({ path }) => path),
  };
  try {
    const isSetUp = (mode: Mode, extras: readonly Extra[]) =>
      EVERY_SITUATION.some((offIn) => isReached(setup, { ...occasion, mode, extras, offIn }));
    const reached = EVERY_CHOICE.some((extras) => isSetUp("waymark", extras))
      ? "waymark"
      : isSetUp("native", [])
        ? "native"
        : undefined;
    const some = () =>
      changesOf(planRemoval(setup, { ...occasion, extras: EXTRAS }, surroundings.home)).length > 0;
    return { ...facts, setUp: reached ?? (some() ? "partly" : null) };
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    return { ...facts, setUp: null, problem: error.message };
  }
}

/** Whether the agent's configuration switches its own list on, whoever wrote it. */
export function isOwnListOn(setup: AgentSetup, surroundings: Surroundings): boolean {
  try {
    return reachesSettings(setup, occasionOf(surroundings, "native", undefined));
  } catch (error) {
    if (!(error instanceof WaymarkError)) throw error;
    return false;
  }
}
