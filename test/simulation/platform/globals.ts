/**
 * The globals that the bundle of a simulation uses in place of those of Node (`inject` of esbuild). They follow the
 * scheduler: times are virtual, timers belong to the process that started them.
 */
import { context, currentProcess, hasContext, wallClock } from "../context.ts";
import type { Timer } from "../scheduler.ts";
import { fileError } from "./file-tree.ts";
import { isRunning } from "./process-table.ts";
import { getRandomValues, randomBytes, randomUUID } from "./random-values.ts";

const wall = (): number =>
  hasContext() ? Math.floor(wallClock(context().scheduler.current()?.machine)) : 0;

class SimulatedDate extends globalThis.Date {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [wall()] : given) as [number]));
  }

  static override now(): number {
    return wall();
  }
}

interface Handle {
  ref(): Handle;
  unref(): Handle;
  hasRef(): boolean;
  timer: Timer;
}

function handleOf(timer: Timer): Handle {
  const handle: Handle = {
    timer,
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
  };
  return handle;
}

type Callback = (...given: unknown[]) => void;

function startTimeout(run: Callback, ms = 0, ...given: unknown[]): Handle {
  const delay = Math.max(1, Number(ms) || 1);
  return handleOf(
    context().scheduler.later(delay, `timer ${delay.toFixed(0)} ms`, () => run(...given)),
  );
}

function startInterval(run: Callback, ms = 0, ...given: unknown[]): Handle {
  const { scheduler } = context();
  const delay = Math.max(1, ms);
  const label = `interval ${delay} ms`;
  const tick = (): void => {
    handle.timer = scheduler.later(delay, label, tick);
    run(...given);
  };
  const handle = handleOf(scheduler.later(delay, label, tick));
  return handle;
}

function startImmediate(run: Callback, ...given: unknown[]): Handle {
  return handleOf(context().scheduler.later(0, "immediate", () => run(...given)));
}

function stop(handle: Handle | undefined | null): void {
  if (handle) handle.timer.isCancelled = true;
}

const simulatedPerformance = { now: () => (hasContext() ? context().scheduler.now() : 0) };

const simulatedProcess = {
  get pid(): number {
    return currentProcess().pid;
  },
  get ppid(): number {
    return currentProcess().parent;
  },
  platform: "linux",
  env: {} as NodeJS.ProcessEnv,
  versions: { node: "20.0.0" },
  version: "v20.0.0",
  execPath: "/usr/bin/node",
  argv: [] as string[],
  cwd: () => "/",
  kill(pid: number): true {
    if (isRunning(pid)) return true;
    throw fileError("ESRCH", "kill", String(pid));
  },
  hrtime: { bigint: () => BigInt(Math.round(context().scheduler.now() * 1e6)) },
  getBuiltinModule(name: string): unknown {
    if (name === "node:crypto") return simulatedCrypto;
    throw new Error(`The simulation has no ${name}.`);
  },
  emitWarning: () => undefined,
  on: () => undefined,
  off: () => undefined,
  once: () => undefined,
  getuid: () => 1000,
};

const simulatedCrypto = { randomUUID, randomBytes, getRandomValues };

const random = (): number => context().random.next();

export {
  random as "Math.random",
  SimulatedDate as Date,
  simulatedCrypto as crypto,
  simulatedCrypto as "globalThis.crypto",
  simulatedPerformance as performance,
  simulatedProcess as process,
  startImmediate as setImmediate,
  startInterval as setInterval,
  startTimeout as setTimeout,
  stop as clearImmediate,
  stop as clearInterval,
  stop as clearTimeout,
};
