import { describe, expect, test } from "vitest";
import { editInputs, editPaths } from "../../../src/core/checks/tamper/edit-inputs.ts";
import {
  formerText,
  isMissing,
  type KnownFile,
  knownAfter,
  knownFile,
  readLines,
  readOf,
  saysOverwritten,
} from "../../../src/core/checks/tamper/live/known-files.ts";

const part = (path: string, before: string, after: string) => ({
  path,
  before,
  after,
  isFragment: true,
});
const whole = (path: string, after: string | null) => ({
  path,
  before: null,
  after,
  isFragment: false,
});

describe("the changes of an edit tool", () => {
  test.each<[string, unknown, readonly object[]]>([
    ["Edit", { file_path: "a", old_string: "x", new_string: "y" }, [part("a", "x", "y")]],
    ["edit", { filePath: "a", oldString: "x", newString: "y" }, [part("a", "x", "y")]],
    ["str_replace", { path: "a", old_str: "x", new_str: "y" }, [part("a", "x", "y")]],
    ["edit_block", { filename: "a", search: "x", replace: "y" }, [part("a", "x", "y")]],
    ["edit", { target_file: "a", oldText: "x", newText: "y" }, [part("a", "x", "y")]],
    ["edit", { file: "a", old_text: "x", new_text: "y" }, [part("a", "x", "y")]],
    ["edit", { relative_path: "a", old: "x", new: "y" }, [part("a", "x", "y")]],
    ["insert", { notebook_path: "a", insert_text: "y" }, [part("a", "", "y")]],
    ["Edit", { file_path: "a", old_string: "x", new_string: "" }, [part("a", "x", "")]],
    ["Edit", { file_path: "", path: "a", old_string: "x" }, [part("a", "x", "")]],
    ["Write", { file_path: "a", content: "x" }, [whole("a", "x")]],
    ["Write", { file_path: "a", content: "" }, [whole("a", "")]],
    ["create", { path: "a", file_text: "x" }, [whole("a", "x")]],
    ["write", { path: "a", contents: "x" }, [whole("a", "x")]],
    ["write", { path: "a", text: "x" }, [whole("a", "x")]],
    ["delete_file", { path: "a" }, [whole("a", null)]],
    ["mcp__fs__removeFile", { path: "a", content: "x" }, [whole("a", null)]],
    [
      "MultiEdit",
      {
        file_path: "a",
        edits: [{ old_string: "1", new_string: "2" }, null, "x", {}, { new_string: "3" }],
      },
      [part("a", "1", "2"), part("a", "", "3")],
    ],
    ["edit", { path: "a", diff: "@@ -1 +1 @@\n x\n-y\n+z" }, [part("a", "x\ny", "x\nz")]],
    [
      "edit",
      { path: "a", diff: "@@\n-1\n+2\n@@\n same\n@@\n-3\n+4" },
      [part("a", "1", "2"), part("a", "3", "4")],
    ],
    ["Read", { file_path: "a" }, []],
    ["Edit", { old_string: "x", new_string: "y" }, []],
    ["Edit", { file_path: 1, old_string: "x" }, []],
    ["Edit", null, []],
    ["Edit", 5, []],
    [
      "file_change",
      {
        changes: [
          { path: "a", kind: { type: "update" }, diff: "@@\n-1\n+2" },
          { path: "b", kind: "delete" },
          { path: "c", kind: "add", diff: "new\nfile" },
          { path: "d", kind: { type: "add" }, unified_diff: "@@\n+new" },
          { path: "e", kind: "update" },
          { kind: "delete" },
          null,
        ],
      },
      [part("a", "1", "2"), whole("b", null), whole("c", "new\nfile"), part("d", "", "new")],
    ],
    [
      "apply_patch",
      "*** Begin Patch\n*** Update File: a\n@@ f()\n x\n-y\n+z\n*** Add File: b\n+1\n+2\n*** Delete File: c\n*** End Patch\n+late",
      [part("a", "x\ny", "x\nz"), whole("b", "1\n2"), whole("c", null)],
    ],
    ["apply_patch", { input: "*** Begin Patch\n*** Delete File: c\n" }, [whole("c", null)]],
    [
      "shell",
      { command: ["apply_patch", "*** Begin Patch\n*** Delete File: c"] },
      [whole("c", null)],
    ],
    ["patch", { patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2" }, [part("x", "1", "2")]],
    ["patch", { patchText: "diff --git a/x b/x\n+++ x\n-1\n+2" }, [part("x", "1", "2")]],
    ["shell", { command: "echo *** Delete File: c" }, []],
    ["Bash", { command: "ls" }, []],
  ])("%s %j", (name, input, wanted) => {
    expect(editInputs(name, input)).toEqual(wanted);
  });

  test("are bounded in number and size", () => {
    const edits = Array.from({ length: 30 }, (_, n) => ({ old_string: `${n}`, new_string: "x" }));
    expect(editInputs("MultiEdit", { file_path: "a", edits })).toHaveLength(20);
    const changes = edits.map((_, n) => ({ path: `${n}`, kind: "delete" }));
    expect(editInputs("file_change", { changes })).toHaveLength(20);
    const patch = changes.map(({ path }) => `*** Delete File: ${path}`).join("\n");
    expect(editInputs("apply_patch", patch)).toHaveLength(20);
    const sized = (before: number, after: number) =>
      editInputs("Edit", {
        file_path: "a",
        old_string: "x".repeat(before),
        new_string: "y".repeat(after),
      });
    expect([sized(30_000, 10_000).length, sized(30_000, 10_001).length]).toEqual([1, 0]);
    expect(editInputs("apply_patch", `${" ".repeat(80_000)}\n*** Delete File: a`)).toEqual([]);
  });

  test("name each file once, by the end of a long path", () => {
    expect(editPaths("Edit", { file_path: "a" })).toEqual(["a"]);
    expect(
      editPaths("apply_patch", "*** Delete File: a\n*** Delete File: b\n*** Delete File: a"),
    ).toEqual(["a", "b"]);
    expect(editPaths("Read", null)).toEqual([]);
    const [long = ""] = editPaths("Edit", { file_path: `${"x".repeat(400)}/end` });
    expect([long.length, long.endsWith("/end")]).toEqual([300, true]);
  });
});

describe("the test file that a call reads", () => {
  test.each<[string, unknown, object | undefined]>([
    ["Read", { file_path: "a.test.js" }, { path: "a.test.js", isWhole: true }],
    ["read_file", { path: "a.test.js" }, { path: "a.test.js", isWhole: true }],
    [
      "mcp__fs__read_text_file",
      { absolute_path: "/a.test.js" },
      { path: "/a.test.js", isWhole: true },
    ],
    [
      "view",
      { filePath: "a.test.js", limit: null, offset: undefined },
      { path: "a.test.js", isWhole: true },
    ],
    [
      "str_replace_editor",
      { command: "view", target_file: "a.test.js" },
      { path: "a.test.js", isWhole: true },
    ],
    ["ReadFile", { filename: "a.test.js", offset: 0 }, { path: "a.test.js", isWhole: false }],
    ["cat_file", { file: "a.test.js", view_range: [1, 2] }, { path: "a.test.js", isWhole: false }],
    ["Read", { file_path: "a.test.js", startLine: 1 }, { path: "a.test.js", isWhole: false }],
    ["Read", { file_path: "src/a.js" }, undefined],
    ["Read", { file_path: 1 }, undefined],
    ["Read", { file_path: `${"x/".repeat(500)}a.test.js` }, undefined],
    ["Edit", { file_path: "a.test.js" }, undefined],
    ["str_replace_editor", { command: "create", path: "a.test.js" }, undefined],
    ["Read", null, undefined],
    ["Read", "a.test.js", undefined],
  ])("%s %j", (name, input, wanted) => {
    expect(readOf(name, input)).toEqual(wanted);
  });
});

describe("the lines of a read", () => {
  const keys = readLines("one\ntwo");
  test.each([
    "one\n\n  two\n",
    "1\tone\n2\ttwo",
    "     1→one\n     2→  two\n",
    "1|one\n2|two\nnote of the tool",
    "1: one\n2: two",
    "one\ntwo\n<system-reminder>\nnote\n</system-reminder>",
  ])("are known from %j", (output) => {
    expect(readLines(output)).toBe(keys);
  });

  test.each([
    "",
    " \n\t",
    "2\ttwo\n3\tthree",
    "11\tone",
    "one\n…",
    "one\n...\ntwo",
    "one\n[truncated 5 lines]",
    "one\n(output truncated)",
    "one\n5 more lines",
    `one\n${"x".repeat(40_000)}`,
    "x\n".repeat(401),
  ])("are not known from %#", (output) => {
    expect(readLines(output)).toBeUndefined();
  });

  test("have bounds", () => {
    expect(readLines("x\n".repeat(400))?.split(" ")).toHaveLength(400);
    expect(readLines("x".repeat(40_000))).toBeDefined();
    expect(keys).not.toBe(readLines("two\none"));
  });

  test("give the former text of a file that was only added to", () => {
    expect(formerText(keys ?? "", "zero\n one\n\nmore\ntwo\nend")).toBe(" one\n\ntwo");
    expect(formerText(keys ?? "", "one")).toBeUndefined();
    expect(formerText(keys ?? "", "two\none")).toBeUndefined();
  });

  test("a missing file, and one that existed", () => {
    for (const text of ["File does not exist.", "a: No such file", "Error: ENOENT", "Not found"])
      expect(isMissing(text)).toBe(true);
    expect([isMissing("here"), isMissing(`not found${" ".repeat(300)}`)]).toEqual([false, false]);
    for (const text of ["The file a has been updated.", "Overwrote a", "overwritten", "Replaced"])
      expect(saysOverwritten(text)).toBe(true);
    for (const text of ["created", "File updated, created before", `${" ".repeat(400)}updated`])
      expect(saysOverwritten(text)).toBe(false);
  });
});

describe("the known test files", () => {
  const next = (
    files: readonly KnownFile[] | undefined,
    use: Partial<Parameters<typeof knownAfter>[1]>,
  ) => knownAfter(files, { isOverwritten: false, edited: [], ...use });
  const a: KnownFile = { path: "a", lines: "1 2" };

  test("have the lines of the first whole read", () => {
    const reads = { path: "a", isWhole: true };
    expect(next(undefined, {})).toBeUndefined();
    expect(next(undefined, { reads })).toEqual([{ path: "a" }]);
    expect(next(undefined, { reads, lines: "1 2" })).toEqual([a]);
    expect(next([{ path: "a" }], { reads, lines: "1 2" })).toEqual([a]);
    expect(next([a], { reads, lines: "3" })).toEqual([a]);
    expect(next([{ path: "a", isNew: true }], { reads, lines: "3" })).toEqual([
      { path: "a", isNew: true },
    ]);
  });

  test("are new if a write created them", () => {
    expect(next(undefined, { writes: ["a"] })).toEqual([{ path: "a", isNew: true }]);
    expect(next(undefined, { writes: ["a"], isOverwritten: true })).toEqual([{ path: "a" }]);
    expect(next([a], { writes: ["a"], edited: ["a"] })).toEqual([a]);
  });

  test("lose their lines with an edit", () => {
    expect(next([a], { edited: ["a"] })).toEqual([{ path: "a" }]);
    expect(next([a], { edited: ["/srv/a"] })).toEqual([{ path: "a" }]);
    expect(next([a], { edited: ["b"] })).toEqual([a]);
    expect(next([{ path: "a", isNew: true }], { edited: ["a"] })).toEqual([
      { path: "a", isNew: true },
    ]);
  });

  test("are found by either spelling of their path, and bounded", () => {
    const file = { path: "/srv/test/a.js" };
    expect(knownFile([file], "test/a.js")).toBe(file);
    expect(knownFile([{ path: "a.js" }], "/srv/a.js")).toBeDefined();
    expect([
      knownFile([file], "t/a.js"),
      knownFile([file], "st/a.js"),
      knownFile(undefined, "a"),
    ]).toEqual([undefined, undefined, undefined]);
    const many = Array.from({ length: 12 }, (_, n) => ({ path: `${n}` }));
    const more = next(many, { writes: ["new"] });
    expect(more?.map(({ path }) => path)).toEqual([
      ...many.slice(1).map(({ path }) => path),
      "new",
    ]);
  });
});
