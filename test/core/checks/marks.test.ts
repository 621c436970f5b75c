import fc from "fast-check";
import { expect, test } from "vitest";
import {
  doneCount,
  evidenceStateOf,
  evidenceStates,
} from "../../../src/core/checks/evidence-state.ts";
import type { Proof } from "../../../src/core/checks/proof.ts";
import { isProven } from "../../../src/core/views/evidence.ts";
import { withRuns } from "../../../src/core/views/timeline.ts";

const PROOF: Proof = {
  check: "test",
  command: "npm test",
  ok: true,
  exitCode: 0,
  at: 10,
  durationMs: 5,
  tree: "t",
  machine: "m",
  warnings: [],
  output: "",
};
const WARNING = { kind: "test_skipped", file: "a.test.js", line: 1, text: "it.skip" } as const;
const check = (at: number) => ({ command: "npm test", at });

test("marks say why a run does not count", () => {
  const failed = { ...PROOF, ok: false, exitCode: 1 };
  const stale = { ...PROOF, staleEdits: 2 };
  const warned = { ...PROOF, warnings: [WARNING] };
  expect(evidenceStateOf({})).toBe("unverified");
  expect(evidenceStateOf({ evidence: ["a"] })).toBe("reported");
  expect(evidenceStateOf({ check: check(1) })).toBe("verified");
  expect(evidenceStateOf({ proof: PROOF })).toBe("reproduced");
  expect(evidenceStateOf({ proof: failed, check: check(1) })).toBe("failed");
  expect(evidenceStateOf({ proof: stale, check: check(1) })).toBe("stale");
  expect(evidenceStateOf({ proof: warned })).toBe("warned");
  expect(evidenceStateOf({ proof: { ...warned, accepted: true } })).toBe("reproduced");
  // A later check of the agent counts again, but not while the checks are in doubt.
  expect(evidenceStateOf({ proof: failed, check: check(11) })).toBe("verified");
  expect(evidenceStateOf({ proof: stale, check: check(11) })).toBe("verified");
  expect(evidenceStateOf({ proof: warned, check: check(11) })).toBe("warned");
});

test("only proven todos have a solid mark", () => {
  const proofs = fc.record({
    ok: fc.boolean(),
    staleEdits: fc.constantFrom(undefined, 0, 3),
    warnings: fc.constantFrom([], [WARNING]),
    accepted: fc.constantFrom(undefined, true as const),
  });
  fc.assert(
    fc.property(
      fc.option(proofs, { nil: undefined }),
      fc.constantFrom(undefined, 1, 10, 11),
      (run, at) => {
        const todo = {
          ...(run && { proof: { ...PROOF, ...run } as Proof }),
          ...(at !== undefined && { check: check(at) }),
        };
        const mark = evidenceStateOf(todo);
        expect(mark === "verified" || mark === "reproduced").toBe(isProven(todo));
      },
    ),
  );
});

test("counts marks of completed todos; a failed check is not done", () => {
  const todos = [
    { status: "completed", proof: PROOF },
    { status: "completed", proof: { ...PROOF, ok: false } },
    { status: "completed" },
    { status: "pending", proof: PROOF },
  ] as const;
  expect(evidenceStates(todos)).toEqual({ reproduced: 1, failed: 1, unverified: 1 });
  expect(doneCount(todos)).toBe(2);
});

test("a run changes the burn-up from its end on", () => {
  const todo = (proof: Proof) => ({
    id: "1",
    text: "a",
    status: "completed" as const,
    createdAt: 0,
    finishedAt: 8,
    movedBy: "agent" as const,
    proof,
  });
  const levels = [
    { at: 1, total: 2, completed: 0, verified: 0 },
    { at: 8, total: 2, completed: 1, verified: 0 },
    { at: 20, total: 3, completed: 1, verified: 0 },
  ];
  expect(withRuns(levels, [todo(PROOF)])).toEqual([
    levels[0],
    levels[1],
    { at: 15, total: 2, completed: 1, verified: 1 },
    { at: 20, total: 3, completed: 1, verified: 1 },
  ]);
  expect(withRuns(levels, [todo({ ...PROOF, ok: false })]).at(-1)?.completed).toBe(0);
});
