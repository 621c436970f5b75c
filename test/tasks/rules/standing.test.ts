import { describe, expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { compareUrgency, standing } from "../../../src/tasks/rules/standing.ts";

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

describe("a task as it stands", () => {
  test("is held to the last millisecond of its lease, and not in the next", () => {
    expect(standing(CLAIMED, 1_099)).toBe(CLAIMED);
    expect(standing(CLAIMED, 1_100)).toMatchObject({ status: "open", lapsed: { owner: "ann" } });
  });

  test("is parked at the moment its last lease ran out, whenever one looks", () => {
    const last = { ...CLAIMED, attempts: 2 };
    for (const now of [1_100, 9_999])
      expect(standing(last, now)).toMatchObject({
        status: "failed",
        owner: "ann",
        finishedAt: 1_100,
        reason: "ann fell silent; that was attempt 2 of 2.",
      });
  });

  test("comes by priority, then age, then number", () => {
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
