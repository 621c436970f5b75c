import { describe, expect, it } from "vitest";
import { currentOf, progressOf, type Status, type Todo, viewOf } from "../../src/index.ts";
import { isFinished, nextOf } from "../../src/internal.ts";
import { ID, newList, prepare } from "../tools/call.ts";

const WORDS: Readonly<Record<string, Status>> = {
  " ": "pending",
  ">": "in_progress",
  x: "completed",
  "-": "cancelled",
  "!": "blocked",
};

/** A list from marks: `x>  ` is four todos. */
function marks(text: string): Todo[] {
  return [...text].map((mark, n) => ({
    id: String(n + 1),
    text: `Step ${n + 1}`,
    status: WORDS[mark] ?? "pending",
    createdAt: 0,
    movedBy: "agent",
  }));
}

describe("progress", () => {
  it.each([
    ["", 0, 0, 0],
    [" ", 0, 1, 0],
    ["x", 1, 1, 100],
    ["x> ", 1, 3, 33],
    ["xx ", 2, 3, 67],
    ["x- ", 1, 2, 50],
    ["--", 0, 0, 0],
    ["x-", 1, 1, 100],
    ["x!", 1, 2, 50],
  ])("counts [%s] as %d of %d, %d %%", (text, completed, total, percent) => {
    expect(progressOf(marks(text))).toEqual({ completed, total, percent, verified: 0 });
  });

  it.each([
    ["", undefined, undefined],
    ["  ", undefined, "1"],
    ["x> ", "2", "3"],
    [" > ", "2", "3"],
    [" >x", "2", "1"],
    ["x>!-", "2", undefined],
    ["xx", undefined, undefined],
    ["! -", undefined, "2"],
  ])("finds the current %s and the next %s", (text, current, next) => {
    const todos = marks(text);
    expect([currentOf(todos)?.id, nextOf(todos)?.id]).toEqual([current, next]);
  });

  it.each([
    ["", false],
    ["x", true],
    ["xx", true],
    ["x-", true],
    ["--", false],
    ["x ", false],
    ["x!", false],
    ["x>", false],
  ])("reports [%s] as finished: %s", (text, finished) => {
    expect(isFinished(marks(text))).toBe(finished);
  });
});

describe("view", () => {
  it("has rows, groups, the current and next todo, and the elapsed time", () => {
    const list = prepare(newList(), {
      op: "replace",
      todos: [
        { text: "Cut", phase: "Build", status: "in_progress" },
        { text: "Pack" },
        { text: "Sew", phase: "Build", status: "completed", evidence: ["photo.png"] },
        { text: "Send", status: "cancelled" },
      ],
    });
    const [cut, pack, sew, send] = list.get();
    const current = { todo: cut, elapsed: 4_000 };
    const done = { todo: sew, evidenceLevel: "reported" };
    expect(viewOf(list.read(), 5_000)).toEqual({
      ...ID,
      mode: "work",
      groups: [
        { phase: "Build", completed: 1, total: 2, rows: [current, done] },
        { completed: 0, total: 1, rows: [{ todo: pack }, { todo: send }] },
      ],
      rows: [current, { todo: pack }, done, { todo: send }],
      progress: { completed: 1, total: 3, percent: 33, verified: 0 },
      current,
      next: { todo: pack },
      finished: false,
      cleared: false,
    });
  });

  it("keeps the elapsed time of a finished todo", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "in_progress" }, { text: "Sew" }]);
    list.submit([{ op: "note", target: { any: "1" }, text: "hm" }]);
    list.submit([{ op: "finish", target: { any: "1" } }]);
    expect(viewOf(list.read(), 99_000).rows[0]).toMatchObject({
      elapsed: 2_000,
      evidenceLevel: "unverified",
    });
  });

  it.each([
    [undefined, 59_999, false],
    [undefined, 60_000, true],
    [5, 4_999, false],
    [5, 5_000, true],
    [0, 0, true],
    [-1, 10 ** 12, false],
  ])("with clearDelay %s, is cleared after %d ms: %s", (delay, after, cleared) => {
    const list = newList();
    list.set([{ text: "Cut", status: "completed" }]);
    const track = list.read();
    const view = viewOf(track, track.updatedAt + after, delay);
    expect([view.finished, view.cleared, view.rows.length]).toEqual([true, cleared, 1]);
  });

  it("never clears an open list", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "completed" }, { text: "Sew" }]);
    expect(viewOf(list.read(), 10 ** 12, 0).cleared).toBe(false);
  });
});
