import type { Proof } from "../../src/core/checks/proof.ts";
import type { Todo } from "../../src/core/model.ts";

/** A passed run of `npm test`. */
export function proofOf(at: number, rest: Partial<Proof> = {}): Proof {
  return {
    check: "test",
    command: "npm test",
    ok: true,
    exitCode: 0,
    at,
    durationMs: 41_000,
    tree: "9f3c2e1d00000000000000000000000000000000",
    machine: "mbp-3",
    warnings: [],
    output: "",
    ...rest,
  };
}

export const WARNINGS: Proof["warnings"] = [
  {
    kind: "test_skipped",
    file: "test/refunds.test.ts",
    line: 88,
    text: 'it.skip("returns the first result on a repeat", async () => {',
  },
  { kind: "exit_code_ignored", file: "package.json", line: null, text: '"test": "vitest; exit 0"' },
];

/** One completed todo for each state of evidence. */
export function evidenceTodos(
  todoOf: (id: string, text: string, rest: Partial<Todo>) => Todo,
  at: (clock: string) => number,
): readonly Todo[] {
  const done = { status: "completed", finishedAt: at("14:10") } as const;
  const check = { command: "npm test -- refunds", exitCode: 0, at: at("13:55") };
  const proof = proofOf(at("14:11"));
  return [
    todoOf("1", "List every caller of refund()", done),
    todoOf("2", "Describe the key format", { ...done, evidence: ["docs/api/refunds.md:41"] }),
    todoOf("3", "Reproduce the double refund in a test", { ...done, check }),
    todoOf("4", "Add the idempotency_key column", { ...done, check, proof }),
    todoOf("5", "Write the down migration", { ...done, proof: { ...proof, staleEdits: 3 } }),
    todoOf("6", "Read the key from the header", {
      ...done,
      check,
      proof: { ...proof, staleEdits: 1 },
    }),
    todoOf("7", "Return the first result on a repeat", {
      ...done,
      proof: { ...proof, warnings: WARNINGS },
    }),
    todoOf("8", "Reject a second key", {
      ...done,
      proof: { ...proof, warnings: WARNINGS, accepted: true },
    }),
    todoOf("9", "Backfill keys for refunds", {
      ...done,
      check,
      proof: { ...proof, ok: false, exitCode: 1, output: "FAIL test/refunds.test.ts" },
    }),
    todoOf("10", "Run outside git", {
      ...done,
      proof: { ...proof, tree: "", inPlace: true, ok: false, exitCode: null, ended: "timeout" },
    }),
    todoOf("11", "Retry on a lost connection", {
      ...done,
      check: { ...check, warnings: WARNINGS.slice(0, 1) },
    }),
    todoOf("12", "Document the header", {}),
  ];
}
