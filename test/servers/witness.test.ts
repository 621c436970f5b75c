import { afterEach, expect, test, vi } from "vitest";
import { createWitness } from "../../src/tasks/links/lease-renewal.ts";
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
  const witness = createWitness({
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
    witness.saw("ann");
    await expect.poll(() => told.length).toBeGreaterThan(before);
  };
  await seenAgain(0);
  await seenAgain(-1);
  await seenAgain(1);
  expect(told.map(([owner]) => owner)).toEqual(["ann", "ann", "ann"]);
});

test("who is seen for the first time is told of at once, however young the program is", async () => {
  vi.spyOn(performance, "now").mockReturnValue(5);
  const tasks = memoryTaskStore();
  const renewed = vi.spyOn(tasks, "renewByObservation");
  const witness = createWitness({ tasks: () => tasks, every: 60_000, onProblem: () => undefined });
  witness.saw("ann");
  await expect.poll(() => renewed.mock.calls.length).toBe(1);
});
