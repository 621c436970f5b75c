import { describe } from "vitest";
import type { Awaitable } from "../core/awaitable.ts";
import { benchOf, type OpenedTaskStore, type TaskCapabilities } from "./tasks/bench.ts";
import { claimingCases } from "./tasks/claiming.ts";
import { holdingCases } from "./tasks/holding.ts";
import { makingCases } from "./tasks/making.ts";
import { recordingCases } from "./tasks/recording.ts";

export type { OpenedTaskStore, TaskCapabilities } from "./tasks/bench.ts";

/**
 * What every store of tasks owes, as tests of vitest. Call it at the top level of a test file,
 * once for each store; `open` gives an empty store each time.
 *
 * @param name the name of the store in the titles of the tests
 * @param open opens an empty store for one test
 * @param capabilities what the store can do
 * @returns nothing; the tests are registered with vitest
 */
export function taskStoreContract(
  name: string,
  open: () => Awaitable<OpenedTaskStore>,
  capabilities: TaskCapabilities,
): void {
  const using = benchOf(open);
  describe(`${name} keeps the contract of a store of tasks`, () => {
    makingCases(using, capabilities);
    claimingCases(using);
    holdingCases(using);
    recordingCases(using, capabilities);
  });
}
