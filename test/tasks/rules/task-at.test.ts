import { describe, expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { compareUrgency, taskAt } from "../../../src/tasks/rules/task-at.ts";

const CLAIMED: Task = {
  id: "t1",
  subject: "a",
  status: "claimed",
  priority: 2,
  labels: [],
  blockedBy: [],
  owner: "ann",
  epoch: 1,
  lease: 100,
  leaseUntil: 1_100,
  attempts: 1,
  maxAttempts: 2,
  evidence: [],
  metadata: {},
  createdAt: 900,
  updatedAt: 1_000,
  claimedAt: 1_000,
};

describe("a task at a point in time", () => {
  test("is claimed until the last millisecond of its lease", () => {
    expect(taskAt(CLAIMED, 1_099)).toBe(CLAIMED);
    expect(taskAt(CLAIMED, 1_100)).toMatchObject({ status: "open", lapsed: { owner: "ann" } });
  });

  test("fails at the end of its last lease, whenever it is read", () => {
    const last = { ...CLAIMED, attempts: 2 };
    for (const now of [1_100, 9_999])
      expect(taskAt(last, now)).toMatchObject({
        status: "failed",
        owner: "ann",
        finishedAt: 1_100,
        reason: "ann was inactive in attempt 2 of 2.",
      });
  });

  test("sorts by priority, then age, then number", () => {
    const later = { ...CLAIMED, id: "t10", createdAt: 901 };
    const twin = { ...CLAIMED, id: "t9" };
    const urgent = { ...CLAIMED, id: "t11", priority: 0 as const, createdAt: 999 };
    expect([later, twin, CLAIMED, urgent].sort(compareUrgency).map(({ id }) => id)).toEqual([
      "t11",
      "t1",
      "t9",
      "t10",
    ]);
  });
});
