import { afterEach, expect, test, vi } from "vitest";
import { createActivityMonitor } from "../../src/tasks/links/lease-renewal.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";

afterEach(() => vi.restoreAllMocks());

test("renews leases although the clock was set back or ahead", async () => {
  const renewed: [owner: string, ago: number][] = [];
  const tasks = {
    ...memoryTaskStore(),
    renewByObservation(owner: string, ago = 0) {
      renewed.push([owner, ago]);
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
    const before = renewed.length;
    monitor.noteActive("ann");
    await expect.poll(() => renewed.length).toBeGreaterThan(before);
  };
  await seenAgain(0);
  await seenAgain(-1);
  await seenAgain(1);
  expect(renewed.map(([owner]) => owner)).toEqual(["ann", "ann", "ann"]);
});

test("uses the latest activity of an agent, reported in any order", async () => {
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
  // Nothing is sent during the first renewal.
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

test("renews the lease of a new agent at once, also right after the start", async () => {
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
