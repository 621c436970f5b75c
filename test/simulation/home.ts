import { type Context, type Home, openHome } from "../../src/home/open.ts";
import type { Machine, Process } from "./scheduler.ts";
import type { World } from "./world.ts";

/** A process with Waymark's home open. */
export interface ProgramHome {
  readonly process: Process;
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
}

/** Waymark's home on a machine, and how its programs start. */
export function machineHome(machine: Machine) {
  const path = `${machine.home}/.local/share/waymark`;
  const env = { HOME: machine.home, WAYMARK_HOME: path };
  return {
    path,
    env,
    store: `${path}/waymark.db`,
    start(world: World, name: string, extra: NodeJS.ProcessEnv = {}): ProgramHome {
      const process = world.spawn(machine, name);
      const own = { ...env, ...extra };
      let home: Home | undefined;
      world.scheduler.as(process, () => {
        home = openHome(own, (line) => world.note(`${name} prints: ${line}`));
      });
      return { process, home: home as Home, env: own };
    },
  };
}

/** The terminal of a process: its lines are part of the trace. */
export function terminalOf(world: World, { name }: Process): Context["terminal"] {
  return {
    printError: (line) => world.note(`${name} prints: ${line}`),
    progress: () => ({ update: () => undefined, end: () => undefined }),
  };
}

const FAULTS = ["store_busy", "EIO", "ENOSPC", "EBUSY"];

/** Whether a call failed because of a fault of this simulation: nothing was acknowledged. */
export function isFault(error: unknown): boolean {
  const { code = "", cause } = error as { readonly code?: string; readonly cause?: unknown };
  return FAULTS.includes(code) || (cause instanceof Error && isFault(cause));
}
