import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createTracker,
  PRESETS,
  parseMarkdown,
  printMarkdown,
  todoTools,
} from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { edit, ID, lines, newList, ops, prepare, shown } from "../tools/call.ts";

function init(...items: readonly string[]) {
  return { op: "init", list: [{ phase: "Build", items }] };
}

describe("op tool, notes", () => {
  it.each(["cut", "Cut ", " Cut", "Cu", "1"])(
    "op tool, exact matching: %j does not find Cut",
    (task) => {
      const list = newList();
      ops(list, init("Cut"));
      expect(ops(list, { op: "done", task }).rejected).toMatchObject([{ code: "not_found" }]);
      expect(shown(list)).toEqual(["1 [>] Cut"]);
    },
  );

  it("op tool, duplicates: init takes them, and ops mean the first", () => {
    const list = newList();
    ops(list, {
      op: "init",
      list: [
        { phase: "Build", items: ["Cut", "Sew"] },
        { phase: "Ship", items: ["Sew"] },
      ],
    });
    ops(list, { op: "done", task: "Sew" });
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [x] Sew", "3 [ ] Sew"]);
    ops(list, { op: "rm", task: "Sew" });
    expect(shown(list)).toEqual(["1 [>] Cut", "3 [ ] Sew"]);
  });

  it("op tool, duplicates: append looks in every phase, and within the call", () => {
    const list = newList();
    ops(list, init("Cut"));
    const result = ops(list, { op: "append", phase: "Ship", items: ["Send", "Cut", "Send"] });
    expect(result.rejected.map(({ message }) => message)).toEqual([
      'ops[0]: Task "Cut" already exists.',
      'ops[0]: Task "Send" already exists.',
    ]);
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Send"]);
  });

  it("op tool, duplicates: init may name a phase twice, its tasks stand together", () => {
    const list = newList();
    const { data } = ops(list, {
      op: "init",
      list: [
        { phase: "A", items: ["One"] },
        { phase: "B", items: ["Two"] },
        { phase: "A", items: ["Three"] },
      ],
    });
    expect(data).toMatchObject({
      phases: [
        { name: "A", tasks: [{ content: "One" }, { content: "Three" }] },
        { name: "B", tasks: [{ content: "Two" }] },
      ],
    });
  });

  it("op tool, normalisation: runs once after the batch, not after each op", () => {
    const list = newList();
    ops(list, {
      op: "init",
      list: [
        { phase: "Build", items: ["Cut"] },
        { phase: "Ship", items: ["Pack"] },
      ],
    });
    // After the first op alone, Pack would have been the first pending task and been started.
    ops(list, { op: "done", task: "Cut" }, { op: "append", phase: "Build", items: ["Sew"] });
    expect(shown(list)).toEqual(["1 [x] Cut", "3 [>] Sew", "2 [ ] Pack"]);
  });

  it("op tool, normalisation: a batch may pass through a state without an active task", () => {
    const list = newList();
    ops(list, init("Cut", "Sew"));
    ops(list, { op: "done", task: "Cut" }, { op: "append", phase: "Build", items: ["Iron"] });
    const sew = list.get()[1];
    ops(
      list,
      { op: "rm", task: "Sew" },
      { op: "append", phase: "Build", items: ["Sew"] },
      { op: "start", task: "Sew" },
    );
    expect(sew?.status).toBe("in_progress");
    // Iron was never started: after the removal alone it would have been.
    expect(list.history().filter((row) => row.text === "Iron")).toHaveLength(1);
    expect(shown(list)).toEqual(["1 [x] Cut", "3 [ ] Iron", "4 [>] Sew"]);
  });

  it("op tool, normalisation: of several active tasks the first stays", () => {
    const list = prepare(newList(), {
      op: "replace",
      todos: ["Cut", "Sew", "Pack"].map((text) => ({ text, status: "in_progress" })),
    });
    ops(list, { op: "note", task: "Pack", text: "hm" });
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"]);
  });

  it("op tool, normalisation: without an active task the first pending one is started", () => {
    const list = prepare(newList(), {
      op: "replace",
      todos: [{ text: "Cut", status: "blocked" }, { text: "Sew" }, { text: "Pack" }],
    });
    ops(list, { op: "note", task: "Pack", text: "hm" });
    expect(shown(list)).toEqual(["1 [!] Cut", "2 [>] Sew", "3 [ ] Pack"]);
  });

  it("op tool, storage: memory without a file behind the session, session with one", async () => {
    expect(ops(newList(), init("Cut")).data).toMatchObject({ storage: "memory" });
    const dir = mkdtempSync(join(tmpdir(), "waymark-op-tool-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const store = await sqliteStore(join(dir, "store.db"));
    const tracker = createTracker({ store });
    const [tool] = todoTools(tracker.list(ID), { tools: ["todo_write.ops"] });
    const result = await tool?.execute({ ops: [init("Cut")] });
    await store.close();
    expect(result?.data).toMatchObject({ storage: "session" });
  });

  it("op tool, a person's edit: the next result tells the model of it, once", () => {
    const list = newList();
    ops(list, init("Cut", "Sew"));
    edit(list, { op: "drop", target: { any: "2" } });
    const note = { op: "note", task: "Cut", text: "hm" };
    expect(ops(list, note).text).toContain(
      'The user changed your list before this call: cancelled "Sew".',
    );
    expect(ops(list, note).text).not.toContain("The user changed the list");
  });
});

describe("op tool, markdown", () => {
  const list = [
    { text: "Cut", status: "completed" as const, phase: "Build" },
    { text: "Sew", status: "in_progress" as const, phase: "Build", notes: ["thread", "a\nb"] },
    { text: "Iron", status: "cancelled" as const, phase: "Build" },
    { text: "Pack", status: "pending" as const, phase: "Ship" },
    { text: "Send", status: "blocked" as const, phase: "Ship" },
  ];
  const page = lines(
    "# Build",
    "",
    "- [x] Cut",
    "- [/] Sew",
    "  > thread",
    "  > a",
    "  > > b",
    "- [-] Iron",
    "",
    "# Ship",
    "",
    "- [ ] Pack",
    "- [!] Send",
    "",
  );

  it("op tool, markdown: headings, checklist items and quoted notes", () => {
    expect(printMarkdown(list)).toBe(page);
  });

  it("op tool, markdown: printed lists read back the same", () => {
    expect(parseMarkdown(page)).toEqual({
      drafts: list,
      lines: [3, 4, 8, 12, 13],
      problems: [],
      ignored: 0,
    });
  });

  it.each([
    [" ", "pending"],
    ["", "pending"],
    ["/", "in_progress"],
    [">", "in_progress"],
    ["x", "completed"],
    ["X", "completed"],
    ["-", "cancelled"],
    ["~", "cancelled"],
    ["!", "blocked"],
  ])("op tool, markdown: [%s] is %s", (marker, status) => {
    expect(parseMarkdown(`- [${marker}] Cut`).drafts).toEqual([{ text: "Cut", status }]);
  });

  it("op tool, markdown: items before any heading go to the phase Todos", () => {
    expect(parseMarkdown("- [ ] Cut\n# Ship\n- [ ] Pack").drafts).toEqual([
      { text: "Cut", status: "pending", phase: "Todos" },
      { text: "Pack", status: "pending", phase: "Ship" },
    ]);
  });

  it("markdown: reports an unknown marker with its line and reads the rest", () => {
    expect(parseMarkdown("# Build\n\n- [?] Cut\n- [x] Sew")).toEqual({
      drafts: [{ text: "Sew", status: "completed", phase: "Build" }],
      lines: [4],
      problems: [
        {
          line: 3,
          message: "unknown marker [?]; use one of [ ] [/] [x] [-] [!] [X] [>] [~]",
        },
      ],
      ignored: 0,
    });
  });

  it("op tool, markdown: a list read from markdown is normalised when it is written", () => {
    const { drafts } = parseMarkdown("- [x] Cut\n- [ ] Sew\n- [ ] Pack");
    const none = newList();
    none.set(drafts, { policy: PRESETS.ops });
    expect(shown(none)).toEqual(["1 [x] Cut", "2 [>] Sew", "3 [ ] Pack"]);
    const two = newList();
    two.set(parseMarkdown("- [>] Cut\n- [/] Sew").drafts, { policy: PRESETS.ops });
    expect(shown(two)).toEqual(["1 [>] Cut", "2 [ ] Sew"]);
  });
});
