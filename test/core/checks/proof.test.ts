import { expect, test } from "vitest";
import { emptyActivity } from "../../../src/core/activity/activity.ts";
import { type ProofRecord, withProofs } from "../../../src/core/checks/proof.ts";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { Todo, Track } from "../../../src/core/model.ts";
import { evidenceLevelOf, isProven } from "../../../src/core/views/evidence.ts";

const ID = { session: "s", agent: "main" };

const DONE: Todo = {
  id: "1",
  text: "Fix it",
  status: "completed",
  createdAt: 1,
  finishedAt: 5,
  movedBy: "agent",
};

const RECORD: ProofRecord = {
  id: ID,
  todo: { id: "1", text: "Fix it" },
  check: "test",
  command: "npm test",
  ok: true,
  exitCode: 0,
  at: 10,
  durationMs: 1,
  tree: "abc",
  machine: "here",
  warnings: [],
  output: "",
  edits: 4,
};

function todoWith(records: readonly ProofRecord[], edits?: { count: number; at: number }): Todo {
  const track: Track = { ...emptyTrack(ID), todos: [DONE] };
  const activity = { ...emptyActivity(), ...(edits && { edits }) };
  return withProofs(track, records, activity).todos[0] as Todo;
}

test("a passing run reproduces the todo until files are edited", () => {
  expect(evidenceLevelOf(todoWith([RECORD]))).toBe("reproduced");
  expect(isProven(todoWith([RECORD], { count: 4, at: 10 }))).toBe(true);
  const stale = todoWith([RECORD], { count: 7, at: 11 });
  expect(stale.proof?.staleEdits).toBe(3);
  expect([evidenceLevelOf(stale), isProven(stale)]).toEqual(["unverified", false]);
});

test("a failed run outweighs an earlier check of the agent", () => {
  const failed = { ...RECORD, ok: false, exitCode: 1 };
  const check = { command: "npm test", at: 9 };
  const { proof } = todoWith([RECORD, failed]);
  expect(evidenceLevelOf({ ...DONE, check, ...(proof && { proof }) })).toBe("unverified");
  const later = { ...check, at: 12 };
  expect(evidenceLevelOf({ ...DONE, check: later, ...(proof && { proof }) })).toBe("verified");
});

test("a run with warnings proves nothing until the user accepts them", () => {
  const warning = { kind: "test_skipped", file: "a.test.js", line: 1, text: "it.skip" } as const;
  const warned = { ...RECORD, warnings: [warning] };
  expect(evidenceLevelOf(todoWith([warned]))).toBe("reproduced");
  expect(isProven(todoWith([warned]))).toBe(false);
  expect(isProven(todoWith([{ ...warned, accepted: true }]))).toBe(true);
});

test("ignores runs of other todos, tracks and tasks", () => {
  const { todo: _, ...task } = RECORD;
  const others = [
    { ...RECORD, todo: { id: "1", text: "Other" } },
    { ...RECORD, id: { ...ID, agent: "sub" } },
    { ...task, task: "t1" },
  ];
  expect(todoWith(others)).toEqual(DONE);
});
