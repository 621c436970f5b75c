import { describe, expect, it } from "vitest";
import type { Status } from "../../src/index.ts";
import { newList, ops, prepare } from "../tools/call.ts";

type Word = "pending" | "in_progress" | "completed" | "abandoned";
type OpName = "start" | "done" | "drop" | "rm" | "append" | "note";

const OURS: Readonly<Record<Word, Status>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
  abandoned: "cancelled",
};

const ENTRIES: Readonly<Record<OpName, object>> = {
  start: { op: "start", task: "Target" },
  done: { op: "done", task: "Target" },
  drop: { op: "drop", task: "Target" },
  rm: { op: "rm", task: "Target" },
  append: { op: "append", phase: "Work", items: ["New"] },
  note: { op: "note", task: "Target", text: "Mind the gap" },
};

/** Status, op, and the new status of the target and of the other task after normalization. */
const TABLE: readonly (readonly [Word, OpName, Word | "removed", Word])[] = [
  ["pending", "start", "in_progress", "pending"],
  ["pending", "done", "completed", "in_progress"],
  ["pending", "drop", "abandoned", "in_progress"],
  ["pending", "rm", "removed", "in_progress"],
  ["pending", "append", "pending", "in_progress"],
  ["pending", "note", "pending", "in_progress"],
  ["in_progress", "start", "in_progress", "pending"],
  ["in_progress", "done", "completed", "in_progress"],
  ["in_progress", "drop", "abandoned", "in_progress"],
  ["in_progress", "rm", "removed", "in_progress"],
  ["in_progress", "append", "in_progress", "pending"],
  ["in_progress", "note", "in_progress", "pending"],
  ["completed", "start", "in_progress", "pending"],
  ["completed", "done", "completed", "in_progress"],
  ["completed", "drop", "abandoned", "in_progress"],
  ["completed", "rm", "removed", "in_progress"],
  ["completed", "append", "completed", "in_progress"],
  ["completed", "note", "completed", "in_progress"],
  ["abandoned", "start", "in_progress", "pending"],
  ["abandoned", "done", "completed", "in_progress"],
  ["abandoned", "drop", "abandoned", "in_progress"],
  ["abandoned", "rm", "removed", "in_progress"],
  ["abandoned", "append", "abandoned", "in_progress"],
  ["abandoned", "note", "abandoned", "in_progress"],
];

describe("op tool, state table", () => {
  it.each(TABLE)("op tool, state table: %s + %s -> %s", (status, op, target, other) => {
    // The other task holds the focus unless the target does: promotion cannot blur the cell.
    const list = prepare(newList(), {
      op: "replace",
      todos: [
        { text: "Target", status: OURS[status], phase: "Work" },
        {
          text: "Other",
          status: status === "in_progress" ? "pending" : "in_progress",
          phase: "Work",
        },
      ],
    });
    const { ok, data, rejected } = ops(list, ENTRIES[op]);
    const tasks = [
      ...(target === "removed"
        ? []
        : [
            {
              content: "Target",
              status: target,
              ...(op === "note" && { notes: ["Mind the gap"] }),
            },
          ]),
      { content: "Other", status: other },
      ...(op === "append" ? [{ content: "New", status: "pending" }] : []),
    ];
    const completed = status !== "completed" && target === "completed";
    expect({ ok, data, rejected }).toEqual({
      ok: true,
      rejected: [],
      data: {
        phases: [{ name: "Work", tasks }],
        storage: "memory",
        ...(completed && { completedTasks: [{ phase: "Work", content: "Target" }] }),
      },
    });
  });

  it("op tool, state table: in_progress + start, every other active task becomes pending", () => {
    const list = prepare(newList(), {
      op: "replace",
      todos: ["One", "Two", "Three"].map((text) => ({ text, status: "in_progress" })),
    });
    ops(list, { op: "start", task: "Two" });
    expect(list.get().map(({ text, status }) => [text, status])).toEqual([
      ["One", "pending"],
      ["Two", "in_progress"],
      ["Three", "pending"],
    ]);
  });
});
