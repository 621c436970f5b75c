import { describe } from "vitest";
import type { Awaitable } from "../core/awaitable.ts";
import { addingCases } from "./tasks/adding.ts";
import { checkingCases } from "./tasks/checking.ts";
import { claimingCases } from "./tasks/claiming.ts";
import { fixtureFor, type OpenedTaskStore, type TaskCapabilities } from "./tasks/fixture.ts";
import { owningCases } from "./tasks/owning.ts";
import { queueingCases } from "./tasks/queueing.ts";
import { recordingCases } from "./tasks/recording.ts";

export type { OpenedTaskStore, TaskCapabilities } from "./tasks/fixture.ts";

/**
 * The task store contract as vitest tests. Call it at the top level of a test file,
 * once for each store; `open` returns an empty store each time.
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
  const using = fixtureFor(open);
  describe(`${name} implements the task store contract`, () => {
    addingCases(using, capabilities);
    claimingCases(using);
    owningCases(using);
    checkingCases(using);
    queueingCases(using);
    recordingCases(using, capabilities);
  });
}
