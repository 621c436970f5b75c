import type { FileTree } from "./platform/file-tree.ts";
import type { Random } from "./random.ts";
import type { Machine, Process, Scheduler } from "./scheduler.ts";

/** How often things go wrong in this simulation. */
export interface Faults {
  /** Milliseconds that most operations take at most. */
  readonly latency: number;
  /** Probability that an operation takes a hundred times as long. */
  readonly slow: number;
  /** Probability that a store is busy. */
  readonly busy: number;
  /** Probability that a file event is lost. */
  readonly lostFileEvents: number;
  /** Probability that another process runs before a call on files. */
  readonly interrupts: number;
  /** Probability that a message to or from the shared server is lost, with its connection. */
  readonly lostMessages: number;
}

/** The running simulation, as the simulated platform needs it. */
export interface Context {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly files: FileTree;
  faults: Faults;
  /** The processes that were started, by pid. */
  readonly processes: Map<number, Process>;
  /** Adds a line to the trace. */
  note(line: string): void;
}

let present: Context | undefined;

/** Starts another simulation: one at a time. */
export function setContext(context: Context): void {
  present = context;
}

export function context(): Context {
  if (!present) throw new Error("No simulation is running.");
  return present;
}

export function hasContext(): boolean {
  return present !== undefined;
}

/** The time on the wall clock of a machine. */
export function wallClock(machine: Machine | undefined): number {
  return context().scheduler.now() + (machine?.wallAhead ?? 0);
}

/** The process whose code is running. */
export function currentProcess(): Process {
  const process = context().scheduler.current();
  if (!process) throw new Error("This needs a process: run it with `as`.");
  return process;
}

/** Milliseconds that an operation takes. */
export function latency(): number {
  const { random, faults } = context();
  const usual = random.next() * faults.latency;
  return random.chance(faults.slow) ? usual * 100 : usual;
}

/** An operation of the current process: the scheduler chooses when it is done. */
export function operation(label: string): Promise<void> {
  const process = currentProcess();
  return new Promise((resolve) => {
    context().scheduler.later(latency(), label, resolve, process);
  });
}

/** Ends a process that is done. */
export function end(process: Process): void {
  process.isAlive = false;
}

/** Kills a process: its pending operations never complete. */
export function kill(process: Process, why: string): void {
  if (!process.isAlive) return;
  process.isAlive = false;
  context().note(`${process.name} #${process.pid} is killed ${why}`);
}
