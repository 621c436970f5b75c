import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import { decide } from "../../src/core/list/decide.ts";
import { DEFAULT_POLICY } from "../../src/core/list/policy.ts";
import { isUntouched, revertOps } from "../../src/core/list/undo.ts";
import type { Op, Track } from "../../src/core/model.ts";

let count = 0;

function apply(track: Track, ops: readonly Op[]): Track {
  const submission = { key: `k${++count}`, at: count, by: "user", via: "test", ops } as const;
  const decision = decide(track, submission, DEFAULT_POLICY);
  if (!decision.ok) throw new Error(decision.rejected[0]?.message);
  return evolve(track, decision.event);
}

const start = (): Track =>
  apply(emptyTrack({ session: "s", agent: "main" }), [
    {
      op: "add",
      todos: [
        { text: "One", status: "completed" },
        { text: "Two", status: "in_progress", notes: ["first"] },
        { text: "Three" },
        { text: "Four", status: "blocked", blocker: "the bank" },
      ],
    },
  ]);

const shown = ({ todos }: Track) =>
  todos.map(({ id, text, status, notes, blocker }) => ({ id, text, status, notes, blocker }));

const target = fc.constantFrom("1", "2", "3", "4").map((ref) => ({ ref }));
const anyOp: fc.Arbitrary<Op> = fc.oneof(
  target.map((to): Op => ({ op: "finish", target: to })),
  target.map((to): Op => ({ op: "reopen", target: to })),
  target.map((to): Op => ({ op: "drop", target: to })),
  target.map((to): Op => ({ op: "note", target: to, text: "more" })),
  target.map((to): Op => ({ op: "edit", target: to, set: { text: `New ${to.ref}` } })),
  fc.tuple(target, fc.nat({ max: 3 })).map(([to, at]): Op => ({ op: "move", target: to, to: at })),
  fc.constant<Op>({ op: "add", todos: [{ text: "Five" }] }),
);

test("takes back any change that keeps the todos", () => {
  fc.assert(
    fc.property(fc.array(anyOp, { minLength: 1, maxLength: 3 }), (ops) => {
      const before = start();
      const after = apply(before, ops);
      const back = revertOps(before.todos, after.todos);
      const restored = back.length === 0 ? after : apply(after, back);
      expect(shown(restored)).toEqual(shown(before));
    }),
    { numRuns: 200 },
  );
});

test("adds a removed todo again, with its fields", () => {
  const before = start();
  const after = apply(before, [{ op: "remove", target: { ref: "2" } }]);
  const restored = apply(after, revertOps(before.todos, after.todos));
  expect(restored.todos.find(({ text }) => text === "Two")).toMatchObject({
    status: "in_progress",
    notes: ["first"],
  });
});

test("knows whether the changed todos were changed again", () => {
  const before = start();
  const after = apply(before, [{ op: "finish", target: { ref: "3" } }]);
  const elsewhere = apply(after, [{ op: "note", target: { ref: "1" }, text: "x" }]);
  const again = apply(after, [{ op: "reopen", target: { ref: "3" } }]);
  expect(isUntouched(before.todos, after.todos, elsewhere.todos)).toBe(true);
  expect(isUntouched(before.todos, after.todos, again.todos)).toBe(false);
});
