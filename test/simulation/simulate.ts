import { agents } from "./actors/agents.ts";
import { boards } from "./actors/boards.ts";
import { disturbances } from "./actors/disturbances.ts";
import { listWriters } from "./actors/list-writers.ts";
import { relays, SERVER } from "./actors/relays.ts";
import { taskWorkers } from "./actors/task-workers.ts";
import { checkHistories } from "./checks/histories.ts";
import { checkOwnership } from "./checks/ownership.ts";
import { checkReminders } from "./checks/reminders.ts";
import { kill } from "./context.ts";
import { machineHome } from "./home.ts";
import { isOfKilled } from "./scheduler.ts";
import { databaseAt } from "./stores/database.ts";
import { type Actor, createWorld, type World } from "./world.ts";

/** The result of one seed. */
export interface Run {
  readonly seed: number;
  readonly steps: number;
  /** Fingerprint of every step: equal for equal runs. */
  readonly fingerprint: string;
  /** The violation, with its stack. */
  readonly failure?: string;
}

const ACTIONS = 50;
/** Virtual milliseconds between two actions, at most. */
const PAUSES = [20, 200, 2_000];
/** Virtual time for everything to become quiet once the faults are over: longer than any interval, then once more. */
const QUIET = [45_000, 15_000];

/** Runs one seed. `print` receives every step. */
export async function simulate(seed: number, print?: (line: string) => void): Promise<Run> {
  let hash = 0x811c9dc5;
  const note = (line: string): void => {
    for (let index = 0; index < line.length; index++)
      hash = Math.imul(hash ^ line.charCodeAt(index), 0x01000193);
    print?.(line);
  };
  const world = createWorld(seed, note);
  let failure: string | undefined;
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
  };
  const rejected = (error: unknown): void => {
    if (!isOfKilled(error)) fail(error);
  };
  globalThis.process.on("unhandledRejection", rejected);
  try {
    await act(world, () => {
      if (failure !== undefined) throw new Error("stopped");
    });
  } catch (error) {
    fail(error);
  } finally {
    globalThis.process.off("unhandledRejection", rejected);
    for (const process of world.processes.values()) process.isAlive = false;
  }
  return {
    seed,
    steps: world.scheduler.steps(),
    fingerprint: (hash >>> 0).toString(16),
    ...(failure !== undefined && { failure }),
  };
}

async function act(world: World, assertSound: () => void): Promise<void> {
  const { random, scheduler, machines } = world;
  const [ada, bob] = machines;
  if (!ada || !bob) throw new Error("There is no machine.");
  const database = databaseAt(machineHome(ada).store);
  const workers = taskWorkers(world, ada);
  const writers = listWriters(world, ada);
  const claude = agents(world, ada);
  const watching = boards(world, ada, claude);
  // A few kinds of programs at a time: more of them would hide each other.
  const some = [writers, workers, claude, watching].filter(() => random.chance(0.5));
  const remote = random.chance(0.2)
    ? [relays(world, ada, claude.sessions), boards(world, bob, { sessions: [], store: SERVER })]
    : [];
  const actors: readonly Actor[] = [
    ...(some.length > 0 ? some : [writers]),
    ...remote,
    disturbances(world),
  ];
  const histories = checkHistories();
  const checks = [
    histories.check,
    checkOwnership(database, workers.calls),
    checkReminders(database),
    ...actors.flatMap(({ check }) => check ?? []),
  ];
  const afterEach = (): void => {
    assertSound();
    for (const check of checks) check();
  };
  const pause = random.pick(PAUSES);
  const weights = actors.flatMap((actor) => Array<Actor>(actor.weight).fill(actor));
  let actions = 0;
  const next = (): void => {
    random.pick(weights).act();
    if (++actions < ACTIONS)
      scheduler.later(random.next() * pause, "the next action", next, undefined);
  };
  scheduler.later(0, "the first action", next, undefined);
  await scheduler.run(ACTIONS * pause + 1, afterEach);

  world.note("the faults are over");
  world.faults = {
    latency: 2,
    slow: 0,
    busy: 0,
    lostFileEvents: 0,
    interrupts: 0,
    lostMessages: 0,
  };
  for (const process of world.processes.values()) {
    process.callsToLive = Number.POSITIVE_INFINITY;
    if (random.chance(0.2)) kill(process, "before everything becomes quiet");
  }
  for (const machine of machines) machine.failingFiles = 0;
  for (const time of QUIET) {
    scheduler.later(0, "repeat what was not acknowledged", () => settle(actors), undefined);
    await scheduler.run(scheduler.now() + time, afterEach);
  }
  histories.checkQuiet();
  for (const { checkQuiet } of actors) await checkQuiet?.();
}

function settle(actors: readonly Actor[]): void {
  for (const actor of actors) actor.settle?.();
}
