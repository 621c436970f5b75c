import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fields } from "../../../src/agents/common/values.ts";
import type { Track, TrackId } from "../../../src/core/model.ts";
import { spoolEvent } from "../../../src/home/spool.ts";
import { ingestSpool } from "../../../src/servers/hooks/ingest.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type List, type Tracker, trackerOn } from "../../../src/tracker.ts";
import { pause } from "../../until.ts";

let home: string;
let tracker: Tracker;
let problems: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-fold-"));
  tracker = trackerOn(memoryStore()) as unknown as Tracker;
  problems = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function happen(agent: string, event: string, input: Fields | string): void {
  const json = typeof input === "string" ? input : JSON.stringify({ session_id: "s", ...input });
  spoolEvent(home, { session: "s", agent, event }, json);
  // File system timestamps are too coarse for consecutive events.
  const dir = join(home, "spool");
  for (const name of readdirSync(dir)) {
    if (timed.has(name) || name.startsWith(".")) continue;
    timed.add(name);
    utimesSync(join(dir, name), timed.size, timed.size);
  }
}

const timed = new Set<string>();

async function fold(agent = "main"): Promise<Track> {
  const say = (who: string, what: unknown) => {
    problems.push(`${who}: ${what instanceof Error ? what.name : what}`);
  };
  await ingestSpool(home, tracker, { onProblem: say });
  return tracker.list({ session: "s", agent }).read();
}

function todosOf({ todos }: Track): readonly string[] {
  return todos.map(({ text, status }) => `${status} ${text}`);
}

describe("agents' own list tools", () => {
  test("keeps the time of events that are ingested late", async () => {
    const write = (status: string) =>
      happen("qwen", "PostToolUse", {
        tool_name: "todo_write",
        tool_input: { todos: [{ id: "1", content: "Fix it", status }] },
        tool_response: {},
      });
    const run = { tool_name: "run_shell_command", tool_input: { command: "npm test" } };
    const output = "Command: npm test\nOutput: fine\nExit Code: 0\nSignal: (none)";
    const first = (timed.size + 1) * 1_000;
    write("in_progress");
    happen("qwen", "PreToolUse", run);
    happen("qwen", "PostToolUse", { ...run, tool_response: { llmContent: output } });
    write("completed");
    const track = await fold();
    expect(track.todos).toMatchObject([
      { startedAt: first, finishedAt: first + 3_000, check: { command: "npm test" } },
    ]);
    expect(track).toMatchObject({ updatedAt: first + 3_000, agentAt: first + 3_000 });
  });

  test("claude: reads TodoWrite from its result", async () => {
    happen("claude", "PreToolUse", { tool_name: "TodoWrite", tool_use_id: "t1" });
    happen("claude", "PostToolUse", {
      tool_name: "TodoWrite",
      tool_use_id: "t1",
      tool_input: { todos: [] },
      tool_response: {
        oldTodos: [],
        newTodos: [
          { content: "Read", status: "in_progress", activeForm: "Reading" },
          { content: "Write", status: "pending", activeForm: "Writing" },
        ],
      },
    });
    const track = await fold();
    expect(todosOf(track)).toEqual(["in_progress Read", "pending Write"]);
    expect(track.todos[0]?.activeText).toBe("Reading");
    expect(track.agentType).toBe("claude-code");
    // A call of a list tool is a list write, not an observed call.
    expect(track.activity?.counts).toMatchObject({ tools: 0, writes: 1 });
  });

  test("claude: keeps tasks of the agent and its subagents on one list", async () => {
    const task = (tool: string, id: string, input: Fields, response: Fields, more: Fields = {}) =>
      happen("claude", "PostToolUse", {
        tool_name: tool,
        tool_use_id: id,
        tool_input: input,
        tool_response: response,
        ...more,
      });
    task(
      "TaskCreate",
      "t1",
      { subject: "Read", activeForm: "Reading" },
      { task: { id: "1", subject: "Read" } },
    );
    task("TaskCreate", "t2", { subject: "Write" }, { task: { id: "2", subject: "Write" } });
    task(
      "TaskCreate",
      "t3",
      { subject: "Test" },
      { task: { id: "3", subject: "Test" } },
      { agent_id: "a1" },
    );
    task(
      "TaskUpdate",
      "t4",
      { taskId: "1", status: "completed" },
      { success: true, taskId: "1", statusChange: { from: "pending", to: "completed" } },
    );
    task(
      "TaskUpdate",
      "t5",
      { taskId: "2", status: "in_progress", addBlockedBy: ["3"] },
      { success: true, taskId: "2", statusChange: { from: "pending", to: "in_progress" } },
    );
    task("TaskUpdate", "t6", { taskId: "9", status: "completed" }, { success: false, error: "no" });
    const track = await fold();
    expect(todosOf(track)).toEqual(["completed Read", "in_progress Write", "pending Test"]);
    expect(track.todos.map(({ ref, blockedBy }) => [ref, blockedBy])).toEqual([
      ["1", undefined],
      ["2", ["3"]],
      ["3", undefined],
    ]);
    task(
      "TaskUpdate",
      "t7",
      { taskId: "3", status: "deleted" },
      { success: true, taskId: "3", updatedFields: ["deleted"] },
    );
    expect(todosOf(await fold())).toEqual(["completed Read", "in_progress Write"]);
    expect((await fold("a1")).version).toBe(0);
  });

  test("ingests a repeated call once", async () => {
    const create = {
      tool_name: "TaskCreate",
      tool_use_id: "t1",
      tool_input: { subject: "Read" },
      tool_response: { task: { id: "1", subject: "Read" } },
    };
    happen("claude", "PostToolUse", create);
    happen("claude", "PostToolUse", create);
    await fold();
    happen("claude", "PostToolUse", create);
    const track = await fold();
    expect(todosOf(track)).toEqual(["pending Read"]);
    expect(track.version).toBe(1);
  });

  test.each<[string, string, Fields, readonly string[]]>([
    [
      "codex",
      "PostToolUse",
      {
        tool_name: "update_plan",
        tool_input: { plan: [{ step: "Read", status: "in_progress" }] },
        tool_response: "Plan updated",
      },
      ["in_progress Read"],
    ],
    [
      "gemini",
      "AfterTool",
      {
        tool_name: "write_todos",
        tool_input: { todos: [{ description: "Read", status: "blocked" }] },
        tool_response: { llmContent: "ok", returnDisplay: "" },
      },
      ["blocked Read"],
    ],
    [
      "copilot",
      "PostToolUse",
      {
        tool_name: "sql",
        tool_input: { query: "INSERT INTO todos (id, title) VALUES ('a', 'Read')" },
        tool_result: {
          result_type: "success",
          text_result_for_llm: "1 row(s) inserted. Last inserted row ID: 1.",
        },
      },
      ["pending Read"],
    ],
    [
      "opencode",
      "PostToolUse",
      {
        tool_name: "todowrite",
        tool_input: { todos: [{ content: "Old", status: "pending", priority: "low" }] },
        tool_response: {
          output: "[]",
          metadata: { todos: [{ content: "Read", status: "cancelled", priority: "low" }] },
        },
      },
      ["cancelled Read"],
    ],
    [
      "qwen",
      "PostToolUse",
      {
        tool_name: "todo_write",
        tool_input: { todos: [] },
        tool_response: {
          returnDisplay: {
            type: "todo_list",
            todos: [{ id: "1", content: "Read", status: "completed" }],
          },
        },
      },
      ["completed Read"],
    ],
  ])("%s: its own tool", async (agent, event, input, todos) => {
    happen(agent, event, input);
    expect(todosOf(await fold())).toEqual(todos);
  });

  test.each<[string, string, Fields]>([
    [
      "codex",
      "PostToolUse",
      { tool_name: "update_plan", tool_input: { plan: "x" }, tool_response: "bad plan" },
    ],
    [
      "gemini",
      "AfterTool",
      {
        tool_name: "write_todos",
        tool_input: { todos: [{ description: "Read", status: "pending" }] },
        tool_response: { llmContent: "bad plan", error: { message: "bad plan" } },
      },
    ],
  ])("%s: a write that the agent refused changes nothing", async (agent, event, input) => {
    happen(agent, event, input);
    const track = await fold();
    expect(track.todos).toEqual([]);
    expect(track.refused?.why).toBe("bad plan");
  });
});

test("copilot: applies only the completed statements of a failed query", async () => {
  const sql = (query: string, more: object) => ({
    tool_name: "sql",
    tool_input: { query },
    ...more,
  });
  const insert = "INSERT INTO todos (id, title) VALUES ('a', 'Read')";
  happen("copilot", "PostToolUseFailure", sql(insert, { error: "Error: disk I/O error" }));
  expect((await fold()).todos).toEqual([]);
  const error = `SQL Error after statement 2 (UPDAT): Error: near "UPDAT"

Completed 1 statement(s) before failure:

1. INSERT
   1 row(s) inserted. Last inserted row ID: 1.`;
  happen("copilot", "PostToolUseFailure", sql(`${insert}; UPDAT`, { error }));
  expect(todosOf(await fold())).toEqual(["pending Read"]);
});

test("counts a check only with a known result", async () => {
  const call = { tool_name: "Bash", tool_use_id: "1", tool_input: { command: "npm test" } };
  happen("codex", "PreToolUse", call);
  happen("codex", "PostToolUse", { ...call, tool_response: "1 failed" });
  expect((await fold()).activity?.check).toBeUndefined();
  happen("claude", "PreToolUse", { ...call, tool_use_id: "2" });
  happen("claude", "PostToolUse", { ...call, tool_use_id: "2", tool_response: { stdout: "" } });
  expect((await fold()).activity?.check).toMatchObject({ command: "npm test", exitCode: 0 });
});

describe("spooled events", () => {
  test("are ingested once, in order, as one event per track", async () => {
    happen("claude", "UserPromptSubmit", { prompt: "Go" });
    happen("claude", "PreToolUse", { tool_name: "Bash", tool_use_id: "1", tool_input: {} });
    happen("claude", "PreToolUse", { tool_name: "Read", tool_use_id: "2", agent_id: "a1" });
    happen("claude", "PostToolUse", { tool_name: "Bash", tool_use_id: "1", tool_response: "" });
    happen("claude", "PreToolUse", { tool_name: "Edit", tool_use_id: "3", tool_input: {} });
    const main = await fold();
    const sub = await fold("a1");
    expect(main.version).toBe(1);
    expect(main.activity?.recent.map(({ name }) => name)).toEqual(["Bash"]);
    expect(main.activity?.open.map(({ name }) => name)).toEqual(["Edit"]);
    expect(main.guide?.steps).toBe(2);
    expect(sub.parentAgent).toBe("main");
    expect(sub.activity?.open.map(({ name }) => name)).toEqual(["Read"]);
    expect(readdirSync(join(home, "spool"))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("are reported and skipped if unreadable", async () => {
    happen("claude", "PreToolUse", '{"session_id":"s","tool_na');
    happen("claude", "PreToolUse", "[]");
    happen("claude", "NoSuchEvent", {});
    happen("nobody", "PreToolUse", {});
    happen("claude", "PreToolUse", { session_id: "../../x" });
    happen("claude", "PreToolUse", { tool_name: "Bash", tool_use_id: "1" });
    writeFileSync(join(home, "spool", "note.txt"), "hello");
    const track = await fold();
    expect(track.activity?.counts.tools).toBe(1);
    expect(problems.sort()).toEqual([
      "claude NoSuchEvent: unknown event",
      "claude PreToolUse: SyntaxError",
      "claude PreToolUse: the input has no valid session id",
      "claude PreToolUse: the input has no valid session id",
      "nobody PreToolUse: unknown event",
      "spool: skipped a file whose name is not that of an event",
    ]);
    expect(readdirSync(join(home, "spool"))).toEqual([]);
  });

  test("stay in the spool if the store fails", async () => {
    happen("claude", "PreToolUse", { tool_name: "Bash", tool_use_id: "1" });
    const failing = {
      ...tracker,
      list: (id: TrackId) => ({
        ...tracker.list(id),
        observe: () => Promise.reject(new Error("full")),
      }),
    };
    const broken = failing as unknown as Tracker;
    await expect(ingestSpool(home, broken, { onProblem: () => {} })).rejects.toThrow("full");
    const [sealed = ""] = readdirSync(join(home, "spool"));
    expect(sealed).toMatch(/^\.sealed-/);
    // The batch belongs to this live process, but its ingestion has ended.
    const began = performance.now();
    expect((await fold()).activity?.counts.tools).toBe(1);
    // It counts as abandoned two seconds after its last change.
    expect(performance.now() - began).toBeLessThan(1_900);
    expect(existsSync(join(home, "spool", sealed))).toBe(false);
  });

  test("are waited for while this or another process ingests them", async () => {
    happen("claude", "PreToolUse", { tool_name: "Bash", tool_use_id: "1" });
    const sound = tracker;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const slow = (list: List): List => ({
      ...list,
      observe: async (seen, options) => {
        await held;
        return list.observe(seen, options);
      },
    });
    const callbacks = { onProblem: () => {} };
    const first = ingestSpool(
      home,
      { ...sound, list: (id, origin) => slow(sound.list(id, origin)) },
      callbacks,
    );
    const second = fold();
    let isOver = false;
    void second.finally(() => {
      isOver = true;
    });
    await pause(50, "without waiting, it would have ended by then");
    expect(isOver).toBe(false);
    letGo();
    await first;
    expect((await second).activity?.counts.tools).toBe(1);
    expect(readdirSync(join(home, "spool"))).toEqual([]);
  });

  test("do not replace a list that was written after them", async () => {
    const write = (content: string) =>
      happen("claude", "PostToolUse", {
        tool_name: "TodoWrite",
        tool_use_id: content,
        tool_input: { todos: [{ content, status: "pending", activeForm: content }] },
        tool_response: {},
      });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const slow = (list: List): List => ({
      ...list,
      observe: async (seen, options) => {
        await held;
        return list.observe(seen, options);
      },
    });
    write("Older");
    const first = ingestSpool(
      home,
      { ...tracker, list: (id, origin) => slow(tracker.list(id, origin)) },
      { onProblem: () => {} },
    );
    write("Newer");
    const second = fold();
    await pause(50, "without waiting, it would have ended by then");
    letGo();
    await first;
    expect(todosOf(await second)).toEqual(["pending Newer"]);
  });

  test("are not waited for if their batch started later", async () => {
    const spool = join(home, "spool");
    const folder = (name: string) => join(spool, `.sealed-${process.ppid}-${name}`);
    mkdirSync(folder("first"), { recursive: true });
    const folding = fold();
    await pause(50, "the pending batches are read by then");
    mkdirSync(folder("second"));
    // Never abandoned: waiting for it would never end.
    const future = Date.now() / 1_000 + 3_600;
    utimesSync(folder("second"), future, future);
    rmSync(folder("first"), { recursive: true });
    await folding;
    expect(readdirSync(spool)).toHaveLength(1);
  });

  test("are not waited for without end if their process hangs", async () => {
    const spool = join(home, "spool");
    for (const how of ["sealed", "open"]) {
      happen("claude", "PreToolUse", { tool_name: "Bash", tool_use_id: how });
      // A live process that never continues.
      const dir = join(spool, `.${how}-${process.ppid}-x${how}`);
      mkdirSync(dir);
      for (const name of readdirSync(spool))
        if (!name.startsWith(".")) renameSync(join(spool, name), join(dir, name));
    }
    expect((await fold()).activity?.counts.tools).toBe(2);
    expect(readdirSync(spool)).toEqual([]);
  });

  test("are reported and skipped if they cannot be ingested, without stopping others", async () => {
    happen("claude", "PreToolUse", { tool_name: "Bash", tool_use_id: "1" });
    happen("claude", "PreToolUse", { tool_name: "Poison", tool_use_id: "2" });
    happen("claude", "PreToolUse", { tool_name: "Read", tool_use_id: "3", agent_id: "a1" });
    happen("claude", "PreToolUse", { tool_name: "Edit", tool_use_id: "4" });
    const sound = tracker;
    tracker = { ...sound, list: (id, origin) => poisoned(sound.list(id, origin)) };
    const main = await fold();
    expect(main.activity?.open.map(({ name }) => name)).toEqual(["Bash", "Edit"]);
    expect((await fold("a1")).activity?.open.map(({ name }) => name)).toEqual(["Read"]);
    expect(problems).toEqual(["claude-code: RangeError"]);
    expect(readdirSync(join(home, "spool"))).toEqual([]);
  });
});

/** A tracker that fails on one tool. */
function poisoned(list: List): List {
  return {
    ...list,
    observe: (seen, options) =>
      JSON.stringify(seen).includes("Poison")
        ? Promise.reject(new RangeError("too much"))
        : list.observe(seen, options),
  };
}
