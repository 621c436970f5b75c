import { afterEach, expect, test, vi } from "vitest";
import { createActivityMonitor } from "../../src/tasks/links/lease-renewal.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";

afterEach(() => vi.restoreAllMocks());

test("a clock that is set back or ahead holds up no renewal", async () => {
  const told: [owner: string, ago: number][] = [];
  const tasks = {
    ...memoryTaskStore(),
    renewByObservation(owner: string, ago = 0) {
      told.push([owner, ago]);
      return [];
    },
  };
  const monitor = createActivityMonitor({
    tasks: () => tasks,
    every: 20,
    onProblem(error) {
      throw error;
    },
  });
  const real = Date.now;
  const seenAgain = async (hours: number): Promise<void> => {
    vi.spyOn(Date, "now").mockImplementation(() => real() + hours * 3_600_000);
    const before = told.length;
    monitor.noteActive("ann");
    await expect.poll(() => told.length).toBeGreaterThan(before);
  };
  await seenAgain(0);
  await seenAgain(-1);
  await seenAgain(1);
  expect(told.map(([owner]) => owner)).toEqual(["ann", "ann", "ann"]);
});

test("the latest activity of an agent counts, in whichever order it is reported", async () => {
  const renewed = new Map<string, number>();
  const tasks = {
    ...memoryTaskStore(),
    renewByObservation(owner: string, ago = 0) {
      renewed.set(owner, ago);
      return [];
    },
  };
  vi.spyOn(Date, "now").mockReturnValue(1_000_000);
  const monitor = createActivityMonitor({ tasks: () => tasks, onProblem: () => undefined });
  // Nothing is sent while the first renewal is under way.
  monitor.noteActive("first");
  for (const ago of [5_000, 90_000]) monitor.noteActive("newest first", 1_000_000 - ago);
  for (const ago of [90_000, 5_000]) monitor.noteActive("oldest first", 1_000_000 - ago);
  monitor.noteActive("of the future", 1_000_000 + 60_000);
  await monitor.settled();
  expect([...renewed]).toEqual([
    ["first", 0],
    ["newest first", 5_000],
    ["oldest first", 5_000],
    ["of the future", 0],
  ]);
});

test("who is seen for the first time is told of at once, however young the program is", async () => {
  vi.spyOn(performance, "now").mockReturnValue(5);
  const tasks = memoryTaskStore();
  const renewed = vi.spyOn(tasks, "renewByObservation");
  const monitor = createActivityMonitor({
    tasks: () => tasks,
    every: 60_000,
    onProblem: () => undefined,
  });
  monitor.noteActive("ann");
  await expect.poll(() => renewed.mock.calls.length).toBe(1);
});
