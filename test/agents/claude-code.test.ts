import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Machine, Source } from "../../src/agents/agent.ts";
import { claudeCode } from "../../src/agents/claude-code/decoder.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { sized } from "../full.ts";
import { needleProperty } from "./decoder-properties.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/claude-code", import.meta.url));
const GOLDENS = fileURLToPath(new URL("./goldens/claude-code", import.meta.url));
const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
const SUBAGENT = "a189b90b0a09a3340";
const PROJECT = "todo-write/projects/-home-dev-demo";

const STREAM: Source = { kind: "stream" };
const FILE: Source = { kind: "file", session: SESSION };

const CASES: readonly (readonly [string, Source])[] = [
  ["todo-write/stream-2.0.jsonl", STREAM],
  ["todo-write/stream-2.1.jsonl", STREAM],
  ["todo-write/reminders.jsonl", FILE],
  [`${PROJECT}/${SESSION}.jsonl`, FILE],
  [`${PROJECT}/agent-a4431c4.jsonl`, { kind: "file", agent: "a4431c4", parent: "main" }],
  [`${PROJECT}/agent-a1c17c9.jsonl`, { kind: "file", agent: "a1c17c9", parent: "main" }],
  [
    `${PROJECT}/${SESSION}/subagents/agent-${SUBAGENT}.jsonl`,
    { ...FILE, agent: SUBAGENT, parent: "main" },
  ],
  ["tasks/stream.jsonl", STREAM],
  ["tasks/subagent-stream.jsonl", STREAM],
  ["tasks/subagent-file.jsonl", { ...FILE, agent: SUBAGENT, parent: "main" }],
  ["tasks/interactive.jsonl", FILE],
  ["plans/approved.jsonl", FILE],
  ["plans/rejected.jsonl", FILE],
  ["plans/headless.jsonl", STREAM],
  ["mcp/stream-2.0.77.jsonl", STREAM],
  ["mcp/stream-2.1.325.jsonl", STREAM],
  ["mcp/file-2.0.77.jsonl", FILE],
  ["mcp/file-2.1.325.jsonl", FILE],
];

const MARKS = { pending: " ", in_progress: ">", completed: "x", cancelled: "-", blocked: "!" };

function linesOf(path: string): string[] {
  return readFileSync(join(FIXTURES, path), "utf8").split("\n").filter(Boolean);
}

function readLines(source: Source, lines: readonly string[]): StreamEvent[] {
  const reader = openReader(claudeCode, source, { now: () => 0 });
  return lines.flatMap((line, index) => reader.line(line, index + 1));
}

function readRecords(source: Source, records: readonly unknown[]): StreamEvent[] {
  return readLines(
    source,
    records.map((record) => JSON.stringify(record)),
  );
}

/** Formats an event briefly, without the fields that every event has. */
function outline(event: StreamEvent): string {
  const { eventId, sessionId, agentId, agentType: _, timestamp, type, ...rest } = event;
  const key = eventId.slice(`${sessionId}:${agentId}:${type}:`.length);
  const head = `${timestamp} ${agentId} ${type} ${key}`;
  if (event.type !== "todo_list") return `${head} ${JSON.stringify(rest)}`;
  return [head, ...event.items.map((item) => `  ${itemLine(item)}`)].join("\n");
}

function itemLine({ text, status, id, ...rest }: { text: string; status: string; id?: string }) {
  const mark = MARKS[status as keyof typeof MARKS];
  const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : "";
  return `[${mark}] ${id === undefined ? "" : `#${id} `}${text}${more}`;
}

function finalLists(events: readonly StreamEvent[]): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const event of events)
    if (event.type === "todo_list")
      lists[event.agentId] = event.items.map(({ text, status }) => `[${MARKS[status]}] ${text}`);
  return lists;
}

function counts(events: readonly StreamEvent[]) {
  return {
    lists: events.filter(({ type }) => type === "todo_list").length,
    rejected: events.filter((event) => event.type === "warning" && event.code === "list_rejected")
      .length,
  };
}

const ALL_DONE = ["[x] Write the parser", "[x] Add tests", "[x] Update the docs"];

describe("sessions", () => {
  test.each(CASES)("%s matches its golden file", async (path, source) => {
    const actual = `${readLines(source, linesOf(path)).map(outline).join("\n")}\n`;
    const name = path.replaceAll("/", "_").replace(/\.jsonl$/, ".txt");
    await expect(actual).toMatchFileSnapshot(join(GOLDENS, name));
  });

  test.each([
    ["todo-write/stream-2.0.jsonl", 4, 1, { main: ALL_DONE, toolu_05: ["[x] Sub step"] }],
    ["todo-write/stream-2.1.jsonl", 4, 0, { main: [], [SUBAGENT]: ["[x] Sub step"] }],
    ["todo-write/reminders.jsonl", 3, 0, { main: ALL_DONE }],
    [`${PROJECT}/${SESSION}.jsonl`, 2, 0, { main: ALL_DONE }],
    [`${PROJECT}/agent-a4431c4.jsonl`, 1, 0, { a4431c4: ["[>] Sub step"] }],
    [`${PROJECT}/agent-a1c17c9.jsonl`, 0, 0, {}],
    [
      `${PROJECT}/${SESSION}/subagents/agent-${SUBAGENT}.jsonl`,
      1,
      1,
      { [SUBAGENT]: ["[>] Sub step"] },
    ],
    [
      "tasks/stream.jsonl",
      10,
      2,
      { main: ["[>] Add more tests", "[ ] Inner", "[ ] Only described"] },
    ],
    ["tasks/subagent-stream.jsonl", 3, 1, { main: ["[ ] Delegate", "[x] Sub step"] }],
    ["tasks/subagent-file.jsonl", 3, 0, { [SUBAGENT]: ["[x] Delegate", "[ ] Sub step"] }],
    ["tasks/interactive.jsonl", 7, 0, { main: ["[ ] Fourth"] }],
    [
      "mcp/file-2.0.77.jsonl",
      2,
      1,
      { main: ["[x] Write the parser", "[ ] Add tests", "[ ] Ship"] },
    ],
    [
      "mcp/stream-2.1.325.jsonl",
      2,
      1,
      { main: ["[x] Write the parser", "[ ] Add tests", "[ ] Ship"] },
    ],
  ])("%s: %i lists, %i refused", (path, lists, rejected, final) => {
    const source = CASES.find(([name]) => name === path)?.[1] ?? STREAM;
    const events = readLines(source, linesOf(path));
    expect({ ...counts(events), final: finalLists(events) }).toEqual({ lists, rejected, final });
  });

  test("events have session, agent, time and an id from the call", () => {
    const events = readLines(FILE, linesOf("tasks/interactive.jsonl")).filter(
      ({ type }) => type !== "usage",
    );
    const base = { sessionId: SESSION, agentId: "main", agentType: "claude-code" };
    expect(events.slice(1, 4)).toEqual([
      {
        ...base,
        type: "session.started",
        cwd: "/home/dev/demo",
        model: "claude-opus-5-5",
        version: "2.1.325",
        eventId: `${SESSION}:main:session.started:start`,
        timestamp: Date.parse("2026-11-15T18:20:02.250Z"),
      },
      {
        ...base,
        type: "todo_list",
        todoId: `${SESSION}-main`,
        items: [{ id: "1", text: "First", status: "pending" }],
        stepwise: true,
        eventId: `${SESSION}:main:todo_list:toolu_01`,
        timestamp: Date.parse("2026-11-15T18:20:03.250Z"),
      },
      {
        ...base,
        type: "todo_list",
        todoId: `${SESSION}-main`,
        items: [{ id: "1", text: "First", status: "completed" }],
        stepwise: true,
        eventId: `${SESSION}:main:todo_list:toolu_02`,
        timestamp: Date.parse("2026-11-15T18:20:05.250Z"),
      },
    ]);
  });

  test.each(CASES)(
    "%s: reports no tool events for list and plan tools, and uses no id twice",
    (path, source) => {
      const events = readLines(source, linesOf(path));
      const tools = events.flatMap((event) =>
        event.type === "tool.started" ||
        event.type === "tool.completed" ||
        event.type === "tool.failed"
          ? [event.name ?? ""]
          : [],
      );
      expect(
        tools.filter((name) =>
          /^(?:mcp__.*waymark__.*|TodoWrite|Task(?:Create|Update|Get|List)|(?:Enter|Exit)PlanMode)$/.test(
            name,
          ),
        ),
      ).toEqual([]);
      expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
    },
  );
});

function call(id: string, name: string, input: unknown, more: object = {}) {
  return {
    type: "assistant",
    session_id: SESSION,
    parent_tool_use_id: null,
    message: { id: `msg_${id}`, model: "m", content: [{ type: "tool_use", id, name, input }] },
    ...more,
  };
}

function answer(
  id: string,
  result: unknown,
  content = "ok #1",
  isError = false,
  more: object = {},
) {
  return {
    type: "user",
    session_id: SESSION,
    parent_tool_use_id: null,
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }],
    },
    ...(result !== undefined && { tool_use_result: result }),
    ...more,
  };
}

function listsOf(events: readonly StreamEvent[]): string[][] {
  return events.flatMap((event) => (event.type === "todo_list" ? [event.items.map(itemLine)] : []));
}

describe("tasks", () => {
  const create = (n: number, subject: string) => [
    call(`c${n}`, "TaskCreate", { subject, description: "d" }),
    answer(`c${n}`, { task: { id: String(n), subject } }),
  ];

  test("a read that overlaps a write does not undo it", () => {
    const events = readRecords(STREAM, [
      ...create(1, "One"),
      call("list", "TaskList", {}),
      call("new", "TaskCreate", { subject: "Two", description: "d" }),
      call("done", "TaskUpdate", { taskId: "1", status: "completed" }),
      answer("new", { task: { id: "2", subject: "Two" } }),
      answer("done", { success: true, taskId: "1", updatedFields: ["status"] }),
      answer("list", { tasks: [{ id: "1", subject: "One", status: "pending", blockedBy: [] }] }),
    ]);
    expect(listsOf(events).at(-1)).toEqual(["[x] #1 One", "[ ] #2 Two"]);
  });

  test("a later read removes deleted tasks and keeps hidden ones", () => {
    const events = readRecords(STREAM, [
      ...create(1, "One"),
      ...create(2, "Two"),
      call("hide", "TaskUpdate", { taskId: "2", metadata: { _internal: true } }),
      answer("hide", { success: true, taskId: "2", updatedFields: ["metadata"] }),
      call("list", "TaskList", {}),
      answer("list", { tasks: [] }),
      call("show", "TaskUpdate", { taskId: "2", metadata: { _internal: null } }),
      answer("show", { success: true, taskId: "2", updatedFields: ["metadata"] }),
    ]);
    expect(listsOf(events).slice(-3)).toEqual([["[ ] #1 One"], [], ["[ ] #2 Two"]]);
  });

  test("warns about an accepted create without a number", () => {
    const events = readRecords(STREAM, [
      call("c", "TaskCreate", { subject: "One", description: "d" }),
      answer("c", undefined, "made"),
    ]);
    expect(events.filter(({ type }) => type === "warning" || type === "todo_list")).toMatchObject([
      { type: "warning", code: "list_unknown" },
    ]);
  });

  test("keeps a finished list in sessions that are not interactive", () => {
    const lines = linesOf("tasks/interactive.jsonl").filter((line) => !line.includes("_reminder"));
    const headless = lines.map((line) => line.replace('"cli"', '"sdk-cli"'));
    expect(listsOf(readLines(FILE, lines)).at(-1)).toEqual(["[ ] #4 Fourth"]);
    expect(listsOf(readLines(FILE, headless)).at(-1)).toEqual([
      "[x] #1 First",
      "[x] #2 Second",
      "[x] #3 Third",
      "[ ] #4 Fourth",
    ]);
  });

  test("a reused id refers to the last call", () => {
    const events = readRecords(STREAM, [
      ...create(1, "One"),
      call("x", "TaskUpdate", { taskId: "1", status: "completed" }),
      call("x", "Bash", { command: "ls" }),
      answer("x", { stdout: "" }, "#1 is what it printed"),
      call("y", "Bash", { command: "ls" }),
      call("y", "TaskUpdate", { taskId: "1", status: "in_progress" }),
      answer("y", { success: true, taskId: "1", updatedFields: ["status"] }),
    ]);
    expect(listsOf(events)).toEqual([["[ ] #1 One"], ["[>] #1 One"]]);
  });

  test("reports refused writes, but not refused reads", () => {
    const events = readRecords(STREAM, [
      call("l", "TaskList", {}),
      call("g", "TaskGet", { taskId: "1" }),
      call("u", "TaskUpdate", { taskId: "1", status: "completed" }),
      ...["l", "g", "u"].map((id) => answer(id, "Error: no such tool", "no such tool", true)),
    ]);
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([
      { code: "list_rejected", message: "no such tool", eventId: `${SESSION}:main:warning:u` },
    ]);
  });

  test("ignores the data of a line with several results", () => {
    const [first, second] = [answer("a", undefined), answer("b", undefined)];
    const both = {
      ...first,
      message: { role: "user", content: [first, second].flatMap(({ message }) => message.content) },
      tool_use_result: { oldTodos: [], newTodos: [] },
    };
    const todo = (content: string) => ({
      todos: [{ content, status: "pending", activeForm: "x" }],
    });
    const events = readRecords(STREAM, [
      call("a", "TodoWrite", todo("One")),
      call("b", "TodoWrite", todo("Two")),
      both,
    ]);
    expect(listsOf(events)).toEqual([
      ['[ ] One {"activeText":"x"}'],
      ['[ ] Two {"activeText":"x"}'],
    ]);
  });

  test("keeps a finished list that was emptied and starts a new one with the next task", () => {
    const events = readRecords(STREAM, [
      ...create(1, "One"),
      call("done", "TaskUpdate", { taskId: "1", status: "completed" }),
      answer("done", { success: true, taskId: "1", updatedFields: ["status"] }),
      call("list", "TaskList", {}),
      answer("list", { tasks: [] }),
      ...create(2, "Two"),
    ]);
    expect(listsOf(events)).toEqual([["[ ] #1 One"], ["[x] #1 One"], ["[ ] #2 Two"]]);
  });
});

test("reads the text-only answers of Waymark's tool to a subagent, also for long lists", () => {
  const todos = Array.from({ length: 100 }, (_, n) => ({
    id: String(n + 1),
    text: `A step with a longer text, number ${n + 1}`,
    status: "pending",
  }));
  const content = [{ type: "text", text: JSON.stringify({ todos }) }];
  const reply = answer("a", undefined);
  const block = { type: "tool_result", tool_use_id: "a", content };
  const events = readRecords(STREAM, [
    call("a", "mcp__waymark__todos", { todos: [] }),
    { ...reply, message: { role: "user", content: [block] } },
  ]);
  expect(listsOf(events).map((items) => items.length)).toEqual([100]);
});

describe("session and agent", () => {
  test("takes the session from an init line, not from a hook line", () => {
    const hook = { type: "system", subtype: "hook_started", session_id: "provisional" };
    const init = { type: "system", subtype: "init", session_id: SESSION, model: "m", cwd: "/p" };
    const events = readRecords(STREAM, [
      hook,
      init,
      call("a", "TaskCreate", { subject: "One", description: "d" }),
      hook,
      answer("a", { task: { id: "1", subject: "One" } }),
    ]);
    expect(events.map(({ sessionId, type }) => [sessionId, type])).toEqual([
      [SESSION, "session.started"],
      [SESSION, "turn.started"],
      [SESSION, "todo_list"],
    ]);
  });

  test("another session in the same stream starts with an empty list", () => {
    const other = { session_id: "other" };
    const events = readRecords(STREAM, [
      call("a", "TaskCreate", { subject: "One", description: "d" }),
      answer("a", { task: { id: "1", subject: "One" } }),
      call("b", "TaskCreate", { subject: "Two", description: "d" }, other),
      answer("b", { task: { id: "2", subject: "Two" } }, "ok", false, other),
    ]);
    expect(
      events.flatMap((event) =>
        event.type === "todo_list" ? [[event.todoId, event.items.length]] : [],
      ),
    ).toEqual([
      [`${SESSION}-main`, 1],
      ["other-main", 1],
    ]);
  });

  test("the path of a file takes precedence over the session in its lines", () => {
    const events = readLines({ ...FILE, session: "fork" }, linesOf("tasks/interactive.jsonl"));
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(["fork"]));
  });

  test("separates subagents in the file of their session", () => {
    const line = {
      isSidechain: true,
      userType: "external",
      sessionId: SESSION,
      type: "assistant",
      message: { id: "m", model: "m", content: [{ type: "text", text: "hi" }] },
    };
    expect(readRecords(FILE, [line]).map(({ agentId, type }) => [agentId, type])).toEqual([
      ["sidechain", "session.started"],
      ["sidechain", "turn.started"],
      ["sidechain", "message"],
    ]);
  });

  test("a background subagent continues after its call has a result", () => {
    const inside = { parent_tool_use_id: "go", agent_id: "bg" };
    const note = {
      type: "system",
      subtype: "task_notification",
      session_id: SESSION,
      tool_use_id: "go",
      status: "failed",
      summary: "ran out",
    };
    const events = readRecords(STREAM, [
      call("go", "Agent", { prompt: "x" }),
      call("ls", "Bash", { command: "ls" }, inside),
      answer("go", { status: "async_launched", agentId: "bg" }),
      answer("ls", undefined, "ok", false, inside),
      note,
      note,
    ]);
    const ends = events.filter(({ agentId, type }) => agentId === "bg" && type.startsWith("turn."));
    expect(ends).toMatchObject([
      { type: "turn.started" },
      { type: "turn.failed", message: "ran out" },
    ]);
  });

  test("does not read the input of hooks", () => {
    const hook = {
      session_id: SESSION,
      hook_event_name: "PostToolUse",
      tool_name: "TodoWrite",
      tool_input: { todos: [] },
      tool_response: { newTodos: [] },
    };
    expect([claudeCode.score(hook), readRecords(STREAM, [hook])]).toEqual([0, []]);
  });
});

describe("documents", () => {
  const read = (source: Source, documents: readonly unknown[]) => {
    const reader = openReader(claudeCode, source, { now: () => 0 });
    return documents.flatMap((document) => reader.record(document, 1));
  };
  const files = (folder: string) =>
    readdirSync(join(FIXTURES, folder))
      .toSorted()
      .map((name) => JSON.parse(readFileSync(join(FIXTURES, folder, name), "utf8")));

  test("reads the files of a directory as one list without hidden tasks", () => {
    const events = read({ kind: "document", session: SESSION }, files(`tasks/files/${SESSION}`));
    expect(events.at(-1)).toMatchObject({
      type: "todo_list",
      agentId: "main",
      todoId: `${SESSION}-main`,
      items: [
        {
          id: "1",
          text: "Write the parser",
          status: "completed",
          activeText: "Writing the parser",
          owner: "main",
        },
        { id: "2", text: "Add tests", status: "in_progress", blockedBy: ["1"] },
      ],
    });
  });

  test("emits a file again only if it changed, with a new id", () => {
    const task = { id: "1", subject: "One", status: "pending", blocks: [], blockedBy: [] };
    const done = { ...task, status: "completed" };
    const events = read({ kind: "document", session: SESSION }, [task, task, done, task]);
    expect(listsOf(events)).toEqual([["[ ] #1 One"], ["[x] #1 One"], ["[ ] #1 One"]]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  });

  test("reads a file of todos as the list of its agent, and ignores an empty one after a finished list", () => {
    const [open = [], empty] = files("todo-write/todos");
    const done = open.map((todo: object) => ({ ...todo, status: "completed" }));
    const source: Source = { kind: "document", session: SESSION, agent: "a4431c4" };
    expect(listsOf(read(source, [empty]))).toEqual([]);
    expect(listsOf(read(source, [open, empty])).map((items) => items.length)).toEqual([3, 0]);
    expect(listsOf(read(source, [done, empty])).map((items) => items.length)).toEqual([3]);
    expect(read(source, [open])[0]).toMatchObject({ agentId: "a4431c4" });
  });

  test("warns about a file that is neither", () => {
    expect(read({ kind: "document" }, [{ id: 1 }, "text", null])).toMatchObject([
      { type: "warning", code: "bad_item" },
      { type: "warning", code: "bad_item" },
      { type: "warning", code: "bad_item" },
    ]);
  });
});

describe("locations", () => {
  const machine = (env: Machine["env"], windows = false): Machine => ({
    home: windows ? "C:\\Users\\dev" : "/home/dev",
    platform: windows ? "win32" : "linux",
    env,
    join: windows ? win32.join : posix.join,
  });
  const roots = (given: Machine) => claudeCode.locations?.(given).map(({ root }) => root);
  const [projects, todos, tasks] = claudeCode.locations?.(machine({})) ?? [];

  test("are in the home directory or where the environment says", () => {
    expect(roots(machine({}))).toEqual([
      "/home/dev/.claude/projects",
      "/home/dev/.claude/todos",
      "/home/dev/.claude/tasks",
      "/home/dev/.claude/sessions",
      "/home/dev/.config/claude/projects",
      "/home/dev/.config/claude/todos",
      "/home/dev/.config/claude/tasks",
      "/home/dev/.config/claude/sessions",
    ]);
    expect(roots(machine({ CLAUDE_CONFIG_DIR: "/cfg" }))).toEqual([
      "/cfg/projects",
      "/cfg/todos",
      "/cfg/tasks",
      "/cfg/sessions",
    ]);
    expect(roots(machine({}, true))?.[0]).toBe("C:\\Users\\dev\\.claude\\projects");
  });

  test.each([
    [["-p", `${SESSION}.jsonl`], { session: SESSION }],
    [["-p", "agent-a4431c4.jsonl"], { agent: "a4431c4", parent: "main" }],
    [
      ["-p", SESSION, "subagents", `agent-${SUBAGENT}.jsonl`],
      { session: SESSION, agent: SUBAGENT, parent: "main" },
    ],
    [
      ["-p", SESSION, "subagents", "workflows", "w1", "agent-b1.jsonl"],
      { session: SESSION, agent: "b1", parent: "main" },
    ],
    [["-p", SESSION, "subagents", `agent-${SUBAGENT}.meta.json`], undefined],
    [["-p", SESSION, "subagents", "workflows", "w1", "journal.jsonl"], undefined],
    [["-p", SESSION, "subagents", "agent-acompact-1f.jsonl"], undefined],
    [["-p", SESSION, "tool-results", "agent-b1.jsonl"], undefined],
    [["-p", "sessions-index.json"], undefined],
    [["loose.jsonl"], undefined],
  ])("session files: %j", (path, source) => {
    expect(projects?.accept(path)).toEqual(source);
    expect(path.length - 1).toBeLessThanOrEqual(projects?.depth ?? 0);
  });

  test("identify list files", () => {
    expect(todos?.accept([`${SESSION}-agent-${SESSION}.json`])).toEqual({ session: SESSION });
    expect(todos?.accept([`${SESSION}-agent-a1.json`])).toEqual({
      session: SESSION,
      agent: "a1",
      parent: "main",
    });
    expect(todos?.accept(["notes.json"])).toBeUndefined();
    expect(tasks?.accept(["my_list-v1", "12.json"])).toEqual({ session: "my_list-v1" });
    expect(tasks?.accept([SESSION, ".lock"])).toBeUndefined();
    expect(tasks?.accept([SESSION, ".highwatermark"])).toBeUndefined();
  });

  test("find every session file of the fixtures", () => {
    const root = join(FIXTURES, "todo-write/projects");
    const found = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep))
      .map((path) => projects?.accept(path));
    expect(found).toHaveLength(4);
    expect(found).not.toContain(undefined);
  });
});

describe("score", () => {
  test("recognizes its own records", () => {
    const best = (path: string) =>
      Math.max(...linesOf(path).map((line) => claudeCode.score(JSON.parse(line))));
    expect(CASES.map(([path]) => best(path))).toEqual(CASES.map(() => 2));
  });

  test.each([
    // Qwen Code writes the same envelopes with its own version, and files with parts as content.
    [0, { type: "system", subtype: "init", session_id: "s", qwen_code_version: "0.15.10" }],
    [1, { type: "assistant", session_id: "s", parent_tool_use_id: null, message: {} }],
    [0, { uuid: "u", parentUuid: null, sessionId: "s", type: "user", message: { parts: [] } }],
    // Cursor.
    [
      1,
      { type: "system", subtype: "init", session_id: "s", model: "m", permissionMode: "default" },
    ],
    [0, { type: "tool_call", subtype: "started", session_id: "s", call_id: "c" }],
    // Gemini.
    [0, { type: "init", session_id: "s", model: "gemini-2.5-pro" }],
    // Codex.
    [0, { type: "thread.started", thread_id: "t" }],
    [0, null],
    [0, "text"],
    [0, []],
  ] as const)("%i for %j", (score, record) => {
    expect(claudeCode.score(record)).toBe(score);
  });
});

describe("properties", () => {
  const corpus = CASES.map(([path, source]) => ({ source, lines: linesOf(path) }));

  test("gives the same events when the input is read in two halves", () => {
    for (const { source, lines } of corpus) {
      const whole = readLines(source, lines);
      for (let cut = 0; cut <= lines.length; cut++) {
        const first = openReader(claudeCode, source, { now: () => 0 });
        const before = lines.slice(0, cut).flatMap((line, index) => first.line(line, index + 1));
        const state = JSON.parse(JSON.stringify(first.state));
        const second = openReader(claudeCode, source, { now: () => 0, state });
        const after = lines.slice(cut).flatMap((line, index) => second.line(line, cut + index + 1));
        expect([...before, ...after]).toEqual(whole);
      }
    }
  });

  needleProperty(
    claudeCode,
    CASES.map(([name, source]) => ({ name, source, lines: linesOf(name) })),
  );

  const junk = fc.oneof(
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1e308,
      "",
      "\ud800",
      [],
      {},
      [null],
      [[]],
      "x".repeat(3_000),
    ),
    fc.string(),
    fc.jsonValue({ maxDepth: 3 }),
  );

  test("malformed records neither throw nor leave a state that cannot be saved", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...corpus.keys()),
        fc.array(
          fc.record({
            line: fc.nat(),
            field: fc.nat(),
            how: fc.constantFrom("drop", "junk", "cut", "twice", "nest"),
            value: junk,
          }),
          { minLength: 1, maxLength: 12 },
        ),
        fc.constantFrom("stream", "file", "document"),
        (which, faults, kind) => {
          const { source, lines } = corpus[which] ?? { source: STREAM, lines: [] };
          const records = lines.map((line) => JSON.parse(line));
          for (const { line, field, how, value } of faults)
            breakOne(records, line, field, how, value);
          const state = claudeCode.start({ ...source, kind });
          for (const record of records) claudeCode.read(state, record, () => undefined);
          expect(JSON.parse(JSON.stringify(state))).toMatchObject({ kind });
        },
      ),
      { numRuns: sized(600, 5_000) },
    );
  });

  test("records of any shape neither throw nor emit anything but events", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 10 }), (records) => {
        const types: string[] = [];
        const state = claudeCode.start(STREAM);
        for (const record of records)
          claudeCode.read(state, record, ({ type }) => types.push(type));
        expect(types).toEqual([]);
      }),
      { numRuns: sized(500, 5_000) },
    );
  });

  test("the state stays small, however long the session", () => {
    const state = claudeCode.start(STREAM);
    const read = (record: unknown) => claudeCode.read(state, record, () => undefined);
    read(call("list", "TaskList", {}));
    for (let n = 0; n < 5_000; n++) {
      read(
        call(
          `open${n}`,
          "Bash",
          { command: "ls" },
          { agent_id: `a${n}`, parent_tool_use_id: `p${n}` },
        ),
      );
      if (n % 5 === 0) {
        read(call(`task${n}`, "TaskCreate", { subject: `Task ${n}`, description: "d" }));
        read(answer(`task${n}`, { task: { id: String(n), subject: `Task ${n}` } }));
      }
    }
    expect(JSON.stringify(state).length).toBeLessThan(500_000);
  });
});

/** Breaks one field of one record, at any depth. */
function breakOne(
  records: unknown[],
  line: number,
  field: number,
  how: "drop" | "junk" | "cut" | "twice" | "nest",
  value: unknown,
): void {
  const at = line % records.length;
  if (how === "twice") {
    records.splice(at, 0, structuredClone(records[at]));
    return;
  }
  const spots: { holder: Record<string, unknown>; key: string }[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      const holder = node as Record<string, unknown>;
      spots.push({ holder, key });
      walk(holder[key]);
    }
  };
  walk(records[at]);
  const spot = spots[field % Math.max(1, spots.length)];
  if (!spot) return;
  const { holder, key } = spot;
  const former = holder[key];
  if (how === "drop") delete holder[key];
  else if (how === "nest") holder[key] = [former];
  else if (how === "cut" && typeof former === "string")
    holder[key] = former.slice(0, former.length / 2);
  else holder[key] = structuredClone(value);
}
