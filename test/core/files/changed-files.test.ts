import { expect, test } from "vitest";
import type { Observation } from "../../../src/core/activity/observation.ts";
import { changedFiles, filesByTodo, sumLines } from "../../../src/core/files/changed-files.ts";
import { createFileEdits, fileEditsOf } from "../../../src/core/files/file-edits.ts";
import { absolutePath, shownPath } from "../../../src/core/files/paths.ts";
import type { Change, Event } from "../../../src/core/model.ts";

const edit = (callId: string, at: number, ...paths: string[]): Observation => ({
  type: "tool.started",
  callId,
  name: "Edit",
  label: "Edit",
  signature: callId,
  edits: true,
  at,
  ...(paths.length > 0 && { paths }),
});
const end = (
  callId: string,
  at: number,
  how: "completed" | "failed" = "completed",
): Observation => ({
  type: `tool.${how}`,
  callId,
  outcome: "x",
  at,
});
const event = (seq: number, at: number, ...changes: Change[]): Event => ({
  seq,
  key: `k${seq}`,
  at,
  by: "agent",
  via: "test",
  changes,
});
const moved = (id: string, to: "in_progress" | "completed"): Change => ({
  type: "todo.moved",
  id,
  from: "pending",
  to,
});

test("spells paths in one way", () => {
  expect(absolutePath("./src/../a.ts", "/srv/shop/")).toBe("/srv/shop/a.ts");
  expect(absolutePath("/srv//shop/./a.ts")).toBe("/srv/shop/a.ts");
  expect(absolutePath("../../../a.ts", "/srv")).toBe("/a.ts");
  expect(absolutePath("../a.ts")).toBe("../a.ts");
  expect(absolutePath("C:\\shop\\src\\a.ts")).toBe("C:/shop/src/a.ts");
  expect(shownPath("/srv/shop/src/a.ts", "/srv/shop")).toBe("src/a.ts");
  expect(shownPath("/srv/shop2/a.ts", "/srv/shop")).toBe("/srv/shop2/a.ts");
});

test("counts edits that succeeded, under one name for each file", () => {
  const { add, edits } = createFileEdits("/srv/shop");
  for (const seen of [
    edit("1", 10, "src/a.ts"),
    end("1", 11),
    edit("2", 20, "/srv/shop/src/a.ts"),
    end("2", 21),
    edit("3", 30, "src/b.ts"),
    end("3", 31, "failed"),
    edit("4", 40, "src/c.ts"),
    // The start of the call was not reported.
    {
      type: "tool.completed",
      callId: "5",
      outcome: "x",
      at: 50,
      call: { label: "Edit", signature: "5", edits: true, paths: ["d.ts"] },
    } as const,
    edit("6", 60),
    end("6", 61),
  ])
    add(seen);
  expect(edits()).toEqual({
    edits: [
      { at: 10, path: "/srv/shop/src/a.ts" },
      { at: 20, path: "/srv/shop/src/a.ts" },
      { at: 50, path: "/srv/shop/d.ts" },
    ],
    unnamed: 1,
    dropped: 0,
  });
});

test("keeps the newest edits and counts the others", () => {
  const { add, edits } = createFileEdits("/srv");
  for (let at = 1; at <= 12_000; at++) {
    add(edit(String(at), at, `f${at}`));
    add(end(String(at), at));
  }
  const { edits: kept, dropped } = edits();
  expect(kept.length).toBe(5_000);
  expect(kept.at(-1)).toEqual({ at: 12_000, path: "/srv/f12000" });
  expect(dropped).toBe(7_000);
});

test("counts an edit for the todo that was in progress when its call started", () => {
  const events = [
    event(1, 5, { type: "todo.added", todo: { id: "1", text: "One", status: "in_progress" } }),
    event(2, 20, moved("1", "completed"), moved("2", "in_progress")),
    event(3, 30, moved("2", "completed")),
  ];
  const edits = [
    { at: 1, path: "/srv/early.ts" },
    { at: 10, path: "/srv/a.ts" },
    { at: 25, path: "/srv/a.ts" },
    { at: 30, path: "/srv/last.ts" },
    { at: 31, path: "/srv/late.ts" },
  ];
  const { files } = changedFiles({ edits, unnamed: 0, dropped: 0 }, events, "/srv");
  expect(files).toEqual([
    { path: "late.ts", edits: 1, at: 31, todos: [] },
    { path: "last.ts", edits: 1, at: 30, todos: ["2"] },
    { path: "a.ts", edits: 2, at: 25, todos: ["1", "2"] },
    { path: "early.ts", edits: 1, at: 1, todos: [] },
  ]);
  expect(
    filesByTodo(files)
      .get("2")
      ?.map(({ path }) => path),
  ).toEqual(["last.ts", "a.ts"]);
});

test("reads the edits that hooks recorded", () => {
  const observed: Change = {
    type: "observed",
    observations: [edit("1", 10, "a.ts"), end("1", 12)],
  };
  expect(fileEditsOf([event(1, 12, observed)], "/srv").edits).toEqual([
    { at: 10, path: "/srv/a.ts" },
  ]);
});

test("adds up the lines that git knows", () => {
  expect(sumLines([{}, {}])).toBeUndefined();
  expect(
    sumLines([{ lines: { added: 2, removed: 1 } }, { lines: { added: null, removed: null } }, {}]),
  ).toEqual({ added: 2, removed: 1 });
});
