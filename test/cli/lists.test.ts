import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ListForm } from "../../src/cli/print/list-form.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { trackerOn } from "../../src/tracker.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const S = ["--session", "s"];

function ok(...args: string[]): string {
  const { status, stdout, stderr } = machine.run(args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

function texts(): string[] {
  const { todos } = machine.json(["todos", ...S]) as ListForm;
  return todos.map(({ id, text, status }) => `${id} ${text} ${status}`);
}

describe("waymark tool", () => {
  test("prints what the model gets, and todos shows what was stored", () => {
    const input = {
      todos: [
        { content: "Read", status: "completed", activeForm: "Reading" },
        { content: "Write", status: "in_progress", activeForm: "Writing" },
        { content: "Test", status: "pending", activeForm: "Testing" },
      ],
    };
    const ran = machine.tool("TodoWrite", input, ...S, "--key", "k1");
    expect(ran).toEqual({
      status: 0,
      stdout: "[x] Read\n[>] Write <- Writing\n[ ] Test\n\n(1/3 completed)\n",
      stderr: "",
    });

    const form = machine.json(["todos", ...S]) as ListForm;
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const evidence = { level: "none", references: [] };
    const base = { createdAt: at, movedBy: "agent", evidence };
    const read = { id: "1", text: "Read", status: "completed", activeText: "Reading" };
    const write = { id: "2", text: "Write", status: "in_progress", activeText: "Writing" };
    const next = { id: "3", text: "Test", status: "pending", activeText: "Testing", ...base };
    const current = { ...write, ...base, startedAt: at };
    expect(form).toEqual({
      session: "s",
      agent: "main",
      todos: [{ ...read, ...base, finishedAt: at }, current, next],
      progress: { completed: 1, total: 3, percent: 33, verified: 0 },
      current,
      next,
      finished: false,
      version: 1,
    });
    expect(JSON.parse(machine.snapshot("s"))).toEqual(input.todos);
  });

  test("prints ok, text, data and rejected with --json", () => {
    const ran = machine.tool("todos", { add: ["One"] }, ...S, "--json");
    expect(JSON.parse(ran.stdout)).toEqual({
      ok: true,
      text: '1 [ ] "One"\n0 of 1 done.',
      data: {
        changed: [{ id: "1", text: "One", status: "pending" }],
        current: null,
        next: { id: "1", text: "One", status: "pending" },
        progress: { completed: 0, total: 1, percent: 0, verified: 0 },
      },
      rejected: [],
    });
  });

  test("repeats no call with the same key", () => {
    for (let n = 0; n < 2; n++)
      expect(machine.tool("todos", { add: ["One"] }, ...S, "--key", "k").status).toBe(0);
    expect(texts()).toEqual(["1 One pending"]);
  });

  test("selects one of two tools of the same name by the input", () => {
    const ops = machine.tool(
      "todo_write",
      { ops: [{ op: "append", items: ["A"], phase: "P" }] },
      ...S,
    );
    expect(ops.status).toBe(0);
    const qwen = { todos: [{ id: "a", content: "B", status: "pending" }] };
    expect(machine.tool("todo_write", qwen, ...S).status).toBe(0);
    expect(texts().map((line) => line.slice(2))).toEqual(["B pending"]);
  });

  test("refuses writes in plan mode and all calls with WAYMARK_TOOLS=off", () => {
    machine.tool("todos", { add: ["One"] }, ...S);
    const planned = machine.tool("todos", { add: ["Two"] }, ...S, "--plan-mode", "--json");
    expect(planned.status).toBe(1);
    expect(JSON.parse(planned.stdout).rejected[0].code).toBe("plan_mode");
    expect(machine.tool("todos", {}, ...S, "--plan-mode").status).toBe(0);
    const off = machine.run(["tool", "todos", ...S, "--json"], {
      input: '{"add":["Two"]}',
      env: { WAYMARK_TOOLS: "off" },
    });
    expect(off.status).toBe(1);
    expect(JSON.parse(off.stdout)).toMatchObject({ ok: false, rejected: [{ code: "gated" }] });
    expect(texts()).toEqual(["1 One pending"]);
  });

  test("--list names every tool; --json and --full print their definitions", () => {
    const lines = ok("tool", "--list").trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual([
      "todos",
      "TodoWrite",
      "todo_write.ops",
      "update_plan",
      "write_todos",
      "todo",
      "todowrite",
      "todo_write.qwen",
      "tasks",
      "TaskCreate",
      "TaskUpdate",
      "TaskGet",
      "TaskList",
    ]);
    const short = machine.json(["tool", "--list"]) as { description: string; id: string }[];
    const full = machine.json(["tool", "--list", "--full"]) as typeof short;
    expect(short.map(({ id }) => id)).toEqual(lines.map((line) => line.split(" ")[0]));
    expect(Object.keys(short[0] ?? {})).toContain("inputSchema");
    for (const [n, { description }] of full.entries())
      expect(description.length).toBeGreaterThan(short[n]?.description.length ?? 0);
  });
});

describe("waymark todo", () => {
  test("each action changes the list and prints its state", () => {
    expect(ok("todo", "add", "Read", "Write", ...S)).toBe(
      "Added 1, 2; 0 of 2 completed; next 1 Read\n",
    );
    expect(
      ok("todo", "add", "Think", "--start", "--active", "Thinking", "--phase", "P", ...S),
    ).toBe("Added 3; 0 of 3 completed; now 3 Think; next 1 Read\n");
    expect(ok("todo", "start", "1", ...S)).toBe("0 of 3 completed; now 1 Read; next 2 Write\n");
    expect(ok("todo", "done", "Read", "--evidence", "npm test", ...S)).toBe(
      "1 of 3 completed; next 2 Write\n",
    );
    expect(ok("todo", "block", "wri", "--reason", "no pen", ...S)).toBe(
      "1 of 3 completed; next 3 Think\n",
    );
    expect(texts()).toEqual(["1 Read completed", "2 Write blocked", "3 Think pending"]);
    expect(machine.json(["todos", ...S])).toMatchObject({
      todos: [
        { evidence: { level: "reported", references: ["npm test"] }, movedBy: "user" },
        { blocker: "no pen" },
        { activeText: "Thinking", phase: "P" },
      ],
    });
    ok("todo", "unblock", "2", ...S);
    ok("todo", "note", "2", "in ink", ...S);
    ok("todo", "edit", "2", "--text", "Write it", "--phase", "Q", ...S);
    ok("todo", "move", "2", "1", ...S);
    ok("todo", "reopen", "1", ...S);
    ok("todo", "drop", "3", ...S);
    expect(texts()).toEqual(["2 Write it pending", "1 Read pending", "3 Think cancelled"]);
    expect(machine.json(["todos", ...S])).toMatchObject({
      todos: [{ notes: ["in ink"], phase: "Q" }, {}, {}],
    });
    ok("todo", "edit", "2", "--phase", "", ...S);
    expect(JSON.stringify(machine.json(["todos", ...S]))).not.toContain('"Q"');
    expect(ok("todo", "done", "1", "2", ...S)).toBe("2 of 2 completed; the list is finished\n");
    ok("todo", "rm", "1", "3", ...S);
    expect(texts()).toEqual(["2 Write it completed"]);
    expect(ok("todo", "clear", ...S)).toBe("The list is empty.\n");
    expect(machine.json(["history", ...S, "--todo", "3"])).toMatchObject([
      { todo: "3", text: "Think", from: null, to: "in_progress", by: "user", via: "cli" },
      { from: "in_progress", to: "pending" },
      { from: "pending", to: "cancelled" },
      { from: "cancelled", to: null, change: "removed" },
    ]);
  });

  test("--json prints ok, rejected and the list", () => {
    const form = machine.json(["todo", "add", "Read", ...S]);
    expect(form).toMatchObject({
      ok: true,
      rejected: [],
      session: "s",
      version: 1,
      todos: [{ id: "1" }],
    });
    const refused = machine.run(["todo", "start", "9", ...S, "--json"]);
    expect(refused.status).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      ok: false,
      rejected: [{ code: "not_found" }],
      version: 1,
    });
  });

  test("applies all changes or none", () => {
    ok("todo", "add", "Read", "Write", ...S);
    expect(machine.run(["todo", "done", "1", "nope", ...S]).status).toBe(1);
    expect(texts()).toEqual(["1 Read pending", "2 Write pending"]);
  });

  test("repeats no change with the same key, and prints that", () => {
    ok("todo", "add", "Read", ...S, "--key", "a");
    const again = machine.run(["todo", "add", "Read", ...S, "--key", "a"]);
    expect(again).toEqual({
      status: 0,
      stdout: "0 of 1 completed; next 1 Read\n",
      stderr: "This key was used before, so nothing was changed.\n",
    });
  });

  test("accepts text that begins with a dash after --", () => {
    ok("todo", "add", ...S, "--", "-v is broken");
    expect(texts()).toEqual(["1 -v is broken pending"]);
  });
});

describe("without --session", () => {
  test("the first write creates a session for the directory, and later calls use it", () => {
    const first = machine.run(["todo", "add", "Read"]);
    const [, session] =
      /^session (project-[0-9a-f]{6}), agent main \(new list for this directory\)\n$/.exec(
        first.stderr,
      ) ?? ["", ""];
    expect({ status: first.status, session }).not.toEqual({ status: 0, session: "" });
    const found = { stderr: `session ${session}, agent main\n` };
    expect(machine.run(["todo", "done", "1"])).toMatchObject({ status: 0, ...found });
    expect(machine.run(["todos"])).toMatchObject({ status: 0, ...found });
    expect(machine.run(["tool", "todos"], { input: "{}" })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 [x] "Read"'),
      ...found,
    });
    expect(machine.json(["ls"])).toMatchObject([{ session, agent: "main", cwd: machine.cwd }]);
  });

  test("uses the newest list in the directory, or of the named agent", () => {
    ok("todo", "add", "Old", "--session", "old");
    ok("todo", "add", "New", "--session", "new", "--agent", "sub");
    expect(machine.run(["todo", "export"])).toMatchObject({
      stdout: "- [ ] New\n",
      stderr: "session new, agent sub\n",
    });
    expect(machine.run(["todo", "export", "--agent", "main"])).toMatchObject({
      stdout: "- [ ] Old\n",
      stderr: "session old, agent main\n",
    });
    expect(machine.run(["todos"], { cwd: machine.root }).status).toBe(1);
  });
});

describe("reading commands", () => {
  test("todos prints every style, and the list at a past time", () => {
    ok("todo", "add", "Read", ...S);
    const between = new Date().toISOString();
    ok("todo", "done", "1", ...S);
    for (const style of ["waymark", "boxed", "tree", "plan", "checkbox"])
      expect(ok("todos", ...S, "--style", style)).toContain("Read");
    expect(machine.json(["todos", ...S, "--at", between])).toMatchObject({
      version: 1,
      todos: [{ status: "pending" }],
    });
    expect(ok("todos", ...S, "--at", between)).toContain("0 of 1");
    expect(machine.json(["todos", ...S, "--at", "1h"])).toMatchObject({ version: 0, todos: [] });
    const never = machine.run(["todos", ...S, "--at", "1h"]);
    expect(never).toMatchObject({ status: 1, stdout: "" });
    expect(never.stderr).toContain("Session s has no list of agent main at 1h.");
  });

  test("prints ASCII in a locale without UTF-8, and colors with FORCE_COLOR", () => {
    ok("todo", "add", "Read", "--start", ...S);
    const ascii = machine.run(["todos", ...S], { env: { LANG: "C" } }).stdout;
    expect(ascii).toMatch(/^[\n\x20-\x7e]*$/);
    expect(ascii).toContain("[>]  Read");
    const colored = machine.run(["todos", ...S], { env: { FORCE_COLOR: "1" } }).stdout;
    expect(colored).toContain("\u001b[");
    const narrow = machine.run(["todos", ...S], { env: { COLUMNS: "30" } }).stdout;
    expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(30);
  });

  test("history prints all changes, of one todo, or the newest", () => {
    ok("todo", "add", "Read", "Write", ...S);
    ok("todo", "start", "1", ...S);
    ok("todo", "note", "2", "ink", ...S);
    const rows = machine.json(["history", ...S]) as { at: string }[];
    const common = { by: "user", via: "cli", at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(rows).toEqual([
      { ...common, todo: "1", text: "Read", from: null, to: "pending", change: "added", seq: 1 },
      { ...common, todo: "2", text: "Write", from: null, to: "pending", change: "added", seq: 1 },
      {
        ...common,
        todo: "1",
        text: "Read",
        from: "pending",
        to: "in_progress",
        change: "moved",
        after: expect.any(Number),
        seq: 2,
      },
      {
        ...common,
        todo: "2",
        text: "Write",
        from: "pending",
        to: "pending",
        change: "noted",
        detail: "ink",
        seq: 3,
      },
    ]);
    expect(machine.json(["history", ...S, "--todo", "writ"])).toEqual([rows[1], rows[3]]);
    expect(machine.json(["history", ...S, "--limit", "1"])).toEqual([rows[3]]);
    const drawn = ok("history", ...S);
    expect(drawn).toContain("pending -> in_progress");
    expect(drawn).toContain("note added");
    expect(machine.run(["history", ...S, "--todo", "zzz"])).toMatchObject({
      status: 1,
      stdout: "",
    });
  });

  test("show prints everything", () => {
    ok("todo", "add", "Read", "--start", ...S);
    ok("todo", "note", "1", "the small print", ...S);
    ok("todo", "done", "1", "--evidence", "notes.md", ...S);
    const drawn = ok("show", "s");
    for (const part of [
      "session    s",
      machine.cwd,
      "the small print",
      "evidence: notes.md",
      "last changed by user",
    ])
      expect(drawn).toContain(part);
    expect(machine.json(["show", "s"])).toMatchObject({
      session: "s",
      agent: "main",
      cwd: machine.cwd,
      mode: "work",
      version: 3,
      revision: 3,
      list: 1,
      todos: [{ notes: ["the small print"], evidence: { references: ["notes.md"] } }],
      history: [
        { change: "added" },
        { change: "noted" },
        { change: "evidenced" },
        { to: "completed" },
      ],
    });
  });

  test("ls and waymark without a command print the table", async () => {
    expect(ok()).toMatch(/^No sessions yet\. Start an agent and it appears/);
    const tracker = trackerOn(
      await sqliteStore(join(machine.home, "waymark.db"), { createDirectory: true }),
    );
    for (let n = 1; n <= 21; n++)
      await tracker.list({ session: `s${n}`, agent: "main" }).set([{ text: "x" }]);
    await tracker.close();
    const all = machine.json(["ls", "--all"]) as { session: string }[];
    expect(all.map(({ session }) => session)).toEqual(
      Array.from({ length: 21 }, (_, n) => `s${21 - n}`),
    );
    expect(machine.json(["ls"])).toEqual(all.slice(0, 20));
    expect(machine.run(["ls"]).stderr).toBe(
      "20 sessions, older ones not shown. `waymark ls --all` lists all.\n",
    );
    expect(ok().split("\n")[1]).toContain("s21");
    expect(machine.run(["ls", "--cwd"], { cwd: machine.root }).stdout).toBe("No sessions yet.\n");
  });

  test("the commands of the welcome screen work", () => {
    const shown = ok();
    const lines = shown.split("\n").filter((line) => /^ {2}\S/.test(line));
    expect(lines).toHaveLength(4);
    // The recording takes a minute; test/cli/demo.test.ts plays it faster.
    const demo = "  waymark demo";
    expect(lines).toContain(demo);
    for (const line of lines.filter((each) => each !== demo))
      expect(machine.bash(line).status).toBe(0);
    expect(machine.run(["todo", "export"]).stdout).toBe(
      "- [/] Write the first test\n- [ ] Run it\n",
    );
  });
});
