import { type Context, type Faults, kill, latency, setContext } from "./context.ts";
import { createFileTree } from "./platform/file-tree.ts";
import { mkdirSync, resetFiles } from "./platform/fs.ts";
import { resetModules } from "./platform/module-state.ts";
import { resetServer } from "./platform/pg.ts";
import { createRandom } from "./random.ts";
import { createScheduler, isOfKilled, type Machine, type Process } from "./scheduler.ts";
import { resetDatabases } from "./stores/database.ts";

/** Something that must never happen, happened. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** A part of a simulated world: programs of one kind, with what must be true of them. */
export interface Actor {
  readonly name: string;
  /** How often it acts, relative to the other actors. */
  readonly weight: number;
  /** Does one thing of its choice. */
  act(): void;
  /** Called after every step. */
  check?(): void;
  /** The faults are over: starts again what was killed, and repeats what was not acknowledged. */
  settle?(): void;
  /** Called at the end, when nothing is under way. */
  checkQuiet?(): void | Promise<void>;
}

export interface World extends Context {
  readonly machines: readonly Machine[];
  /** Starts a process; `command` is the name of its program. */
  spawn(machine: Machine, name: string, options?: { command?: string; parent?: Process }): Process;
  /** Runs a program until it is done, fails or is killed. Unless it handles errors, a failure is a violation. */
  program(process: Process, label: string, work: () => Promise<void>): void;
  /** The same for a program that does all its work at once; it may run between two calls on files of another one. */
  interruptingProgram(process: Process, label: string, work: () => void): void;
  /** Kills a process now or at one of its next calls on files. */
  endanger(process: Process): void;
}

const MACHINES = ["ada", "bob"];
const FIRST_PID = 1_000;

export function createWorld(seed: number, note: (line: string) => void): World {
  resetModules();
  resetFiles();
  resetDatabases();
  resetServer();
  const random = createRandom(seed);
  const processes = new Map<number, Process>();
  const scheduler = createScheduler(random, note);
  const machines = MACHINES.map(
    (name): Machine => ({
      name,
      home: `/${name}`,
      wallAhead: 1_790_000_000_000 + (name === "ada" ? 0 : random.pick([0, 0, 900, 3_600_000])),
      failingFiles: 0,
      failures: 0,
      jumps: 0,
    }),
  );
  const faults: Faults = {
    latency: random.pick([2, 10, 50]),
    slow: random.pick([0, 0.01, 0.05]),
    busy: random.pick([0, 0, 0.02, 0.1]),
    lostFileEvents: random.pick([0, 0.2, 1]),
    interrupts: random.pick([0, 0.02, 0.1]),
    lostMessages: random.pick([0, 0.01, 0.05]),
  };
  const world: World = {
    random,
    scheduler,
    files: createFileTree(),
    faults,
    processes,
    note: (line) => note(`${" ".repeat(12)}${line}`),
    machines,
    spawn(machine, name, { command = "node", parent } = {}) {
      const process: Process = {
        pid: FIRST_PID + processes.size,
        parent: parent?.pid ?? 1,
        name,
        command,
        startTime: processes.size,
        machine,
        isAlive: true,
        callsToLive: Number.POSITIVE_INFINITY,
      };
      processes.set(process.pid, process);
      return process;
    },
    program(process, label, work) {
      scheduler.later(
        0,
        label,
        () => {
          work().catch((error: unknown) => {
            if (isOfKilled(error) || !process.isAlive) return;
            throw error;
          });
        },
        process,
      );
    },
    interruptingProgram(process, label, work) {
      scheduler.interrupting(latency(), label, work, process);
    },
    endanger(process) {
      if (random.chance(0.5)) kill(process, "at once");
      else process.callsToLive = random.below(30);
    },
  };
  setContext(world);
  for (const { home } of machines) mkdirSync(home);
  return world;
}
