import fc from "fast-check";
import { expect, test } from "vitest";
import {
  evidenceStateOf,
  evidenceStates,
  finishedEvidence,
  proofResult,
  staleText,
  stateFacts,
} from "../../src/core/checks/evidence-state.ts";
import type { Proof } from "../../src/core/checks/proof.ts";
import type { Todo } from "../../src/core/model.ts";
import { isProven } from "../../src/core/views/evidence.ts";
import { proofOf, WARNINGS } from "../surfaces/proofs.ts";
import { todo } from "./track-of.ts";

const proof = proofOf(100);
const check = { command: "npm test", exitCode: 0, at: 50 };
const done = (rest: Partial<Todo>): Todo => todo("1", { status: "completed", ...rest });

test.each<[string, Partial<Todo>]>([
  ["unverified", {}],
  ["reported", { evidence: ["a.md"] }],
  ["verified", { check }],
  ["reproduced", { check, proof }],
  ["stale", { proof: { ...proof, staleEdits: 0 } }],
  ["stale", { evidence: ["a.md"], proof: { ...proof, staleEdits: 2 } }],
  ["stale", { check, proof: { ...proof, staleEdits: 2 } }],
  ["verified", { check: { ...check, at: 200 }, proof: { ...proof, staleEdits: 2 } }],
  ["warned", { check, proof: { ...proof, warnings: WARNINGS } }],
  ["stale", { check, proof: { ...proof, warnings: WARNINGS, staleEdits: 1 } }],
  ["warned", { check: { ...check, warnings: WARNINGS } }],
  ["reproduced", { check: { ...check, warnings: WARNINGS }, proof }],
  ["reproduced", { proof: { ...proof, warnings: WARNINGS, accepted: true } }],
  ["failed", { check, evidence: ["a.md"], proof: { ...proof, ok: false } }],
  ["verified", { check: { ...check, at: 200 }, proof: { ...proof, ok: false } }],
  ["unverified", { proof: { ...proof, ok: false, staleEdits: 1 } }],
])("is %s for %j", (state, rest) => {
  expect(evidenceStateOf(done(rest))).toBe(state);
});

test("counts a todo as proven exactly if its state is reproduced or verified", () => {
  const proofs: fc.Arbitrary<Proof | undefined> = fc
    .option(
      fc.record({
        ok: fc.boolean(),
        warned: fc.boolean(),
        accepted: fc.boolean(),
        staleEdits: fc.option(fc.nat(3), { nil: undefined }),
      }),
      { nil: undefined },
    )
    .map((each) => {
      if (!each) return undefined;
      const { ok, warned, accepted, staleEdits } = each;
      return {
        ...proof,
        ok,
        warnings: warned ? WARNINGS : [],
        ...(accepted && { accepted }),
        ...(staleEdits !== undefined && { staleEdits }),
      };
    });
  const times = fc.option(fc.constantFrom(50, 200), { nil: undefined });
  fc.assert(
    fc.property(proofs, times, fc.boolean(), (given, at, isReported) => {
      const one = done({
        ...(given && { proof: given }),
        ...(at !== undefined && { check: { ...check, at } }),
        ...(isReported && { evidence: ["a.md"] }),
      });
      const state = evidenceStateOf(one);
      expect(state === "reproduced" || state === "verified").toBe(isProven(one));
    }),
  );
});

test("counts states of completed todos and words them", () => {
  const counts = evidenceStates([
    done({ proof }),
    done({ proof: { ...proof, warnings: WARNINGS } }),
    done({ proof: { ...proof, warnings: WARNINGS } }),
    done({ proof: { ...proof, ok: false } }),
    done({ proof: { ...proof, staleEdits: 1 } }),
    todo("2", { proof }),
  ]);
  expect(stateFacts(counts)).toEqual(["1 reproduced", "1 stale", "2 warnings", "1 failed check"]);
  expect(stateFacts(counts, ["failed"])).toEqual(["1 failed check"]);
  expect(stateFacts({})).toEqual([]);
});

test("sums up a finished list", () => {
  const of = (...todos: readonly Partial<Todo>[]) => finishedEvidence(todos.map(done));
  expect(of({})).toBe("nothing verified");
  expect(of({ check })).toBe("all verified");
  expect(of({ proof })).toBe("all reproduced");
  expect(of({ proof }, { check })).toBe("all proven");
  expect(of({ proof }, {})).toBeUndefined();
  expect(of()).toBeUndefined();
});

test("says how a check ended and since when a proof is stale", () => {
  expect(staleText({ staleEdits: 1 })).toBe("stale since 1 edit");
  expect(staleText({ staleEdits: 3 })).toBe("stale since 3 edits");
  expect(staleText({ staleEdits: 0 })).toBe("stale, files may have changed");
  expect(
    (["timeout", "output", "disk", "signal", "cancelled"] as const).map((ended) =>
      proofResult({ ok: false, ended }),
    ),
  ).toEqual(["timed out", "printed too much", "filled the disk", "was killed", "was cancelled"]);
  expect([proofResult({ ok: true }), proofResult({ ok: false })]).toEqual(["passed", "failed"]);
});
