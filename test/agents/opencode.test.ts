import { posix, win32 } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine, Source } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { opencode } from "../../src/agents/opencode/decoder.ts";
import { recordsOfRows } from "../../src/agents/opencode/rows.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const SESSION = "ses_d2c41a7f3ffeKq0ZbT8mWvXyLh";
const CHILD = "ses_d2c419e05ffeR1sNdJ4uPoGcEf";
const stream: Source = { kind: "stream" };
const run = recording("opencode/1.18/run.jsonl", stream);
const malformed = recording("opencode/1.18/malformed.jsonl", stream);
const subagent = recording("opencode/1.18/subagent.jsonl", stream);
const old = recording("opencode/1.1/run.jsonl", stream);
const serve = recording("opencode/serve/subagent.jsonl", stream);

describe("opencode", () => {
  decoderProperties(opencode, [run, malformed, subagent, old, serve]);

  test("run: reads lists, calls and the turn", () => {
    const events = decode(opencode, run);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: [],
      other: [],
      last: {
        main: [
          { text: "Sketch the schema", status: "completed", priority: "high" },
          { text: "Write the migration", status: "completed", priority: "medium" },
          { text: "Check the rollback", status: "cancelled", priority: "low" },
        ],
      },
    });
    expect(tools(events)).toEqual([
      "tool.started bash",
      "tool.completed bash 0",
      "tool.started read",
      "tool.failed read",
    ]);
    expect(events.filter(({ type }) => type.startsWith("turn.")).map(({ type }) => type)).toEqual([
      "turn.started",
      "turn.completed",
    ]);
    expect(only(events, "todo_list")[0]).toEqual({
      type: "todo_list",
      todoId: `${SESSION}-main`,
      items: [
        { text: "Sketch the schema", status: "in_progress", priority: "high" },
        { text: "Write the migration", status: "pending", priority: "medium" },
        { text: "Check the rollback", status: "pending", priority: "low" },
      ],
      eventId: `${SESSION}:main:todo_list:call_a1`,
      sessionId: SESSION,
      agentId: "main",
      agentType: "opencode",
      timestamp: 1795000000254,
    });
  });

  test("run: keeps free statuses, ignores refused writes and invalid calls", () => {
    const events = decode(opencode, malformed);
    const { lists, rejected, other, last } = summary(events);
    expect({ lists, other, last }).toEqual({
      lists: 2,
      other: ["bad_item"],
      last: { main: [{ text: "Write the migration", status: "in_progress", priority: "medium" }] },
    });
    expect(only(events, "todo_list")[0]?.items).toEqual([
      { text: "Sketch the schema", status: "in_progress", raw: "doing", priority: "urgent" },
    ]);
    expect(rejected.map((message) => message.length)).toEqual([200, 58, 57]);
    expect(rejected[2]).toBe("Invalid input for tool todowrite: the JSON ends too early");
    // A removed tool that only read; the third invalid call was for another tool.
    expect(tools(events)).toEqual(["tool.started grep", "tool.failed grep"]);
    expect(only(events, "turn.failed").map(({ message }) => message)).toEqual([
      "the model is overloaded",
    ]);
  });

  test("run: announces a subagent and clears an emptied list", () => {
    const events = decode(opencode, subagent);
    expect(summary(events).last).toEqual({ main: [] });
    expect(only(events, "session.started")).toEqual([
      {
        type: "session.started",
        model: "mini-1",
        title: "Look for old columns",
        parentId: "main",
        name: "explore",
        eventId: `${SESSION}:${CHILD}:session.started:${CHILD}`,
        sessionId: SESSION,
        agentId: CHILD,
        agentType: "opencode",
        timestamp: expect.any(Number),
      },
    ]);
  });

  test("keeps the ids of old items", () => {
    expect(summary(decode(opencode, old)).last).toEqual({
      main: [
        { text: "Sketch the schema", status: "in_progress", id: "1", priority: "high" },
        { text: "Write the migration", status: "pending", id: "2", priority: "low" },
      ],
    });
  });

  test("serve: counts each write once and keeps the list of a subagent separate", () => {
    const events = decode(opencode, serve);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: ["there is no tool todowrite here"],
      other: [],
      last: {
        main: [{ text: "Tell the team", status: "pending", priority: "medium" }],
        [CHILD]: [{ text: "Grep the models", status: "in_progress", priority: "medium" }],
      },
    });
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([SESSION]));
    expect(tools(events)).toEqual([
      "tool.started bash",
      "tool.completed bash 2",
      "tool.started task",
      "tool.completed task",
    ]);
    expect(
      events
        .filter(({ type }) => /^(?:turn|session)\./.test(type))
        .map((event) => [event.agentId, event.type, "prompt" in event ? event.prompt : ""]),
    ).toEqual([
      ["main", "session.started", ""],
      ["main", "turn.started", "Move the orders to the new table"],
      [CHILD, "session.started", ""],
      [CHILD, "turn.started", "List them"],
      [CHILD, "turn.completed", ""],
      ["main", "turn.completed", ""],
      ["main", "turn.started", "Go on"],
      ["main", "session.compacted", ""],
      ["main", "turn.cancelled", ""],
    ]);
  });

  test("reads an event of the global stream like the plain event", () => {
    const lines = serve.lines.map((line) =>
      JSON.stringify({ directory: "/a", payload: JSON.parse(line) }),
    );
    expect(decode(opencode, { ...serve, lines })).toEqual(decode(opencode, serve));
  });

  test("files of 1.1: emits a list whenever it changed", () => {
    const reader = openReader(opencode, { kind: "document", session: SESSION }, { now: () => 5 });
    const todos = JSON.parse(fixture("opencode/1.1/todo.json"));
    const [first, ...more] = reader.record(todos, 1);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      type: "todo_list",
      sessionId: SESSION,
      items: [
        { text: "Sketch the schema", status: "completed", id: "1", priority: "high" },
        { text: "Write the migration", status: "in_progress", id: "2", priority: "low" },
      ],
    });
    expect(reader.record(todos, 1)).toEqual([]);
    const [second] = reader.record([], 1);
    const [third] = reader.record(todos, 1);
    expect(second).toMatchObject({ type: "todo_list", items: [] });
    expect(new Set([first, second, third].map((event) => event?.eventId)).size).toBe(3);
    expect(reader.record(JSON.parse(fixture("opencode/1.1/session.json")), 1)).toEqual([
      {
        type: "session.started",
        cwd: "/home/ann/shop",
        version: "1.1.65",
        title: "Migrate the orders",
        eventId: `${SESSION}:main:session.started:${SESSION}`,
        sessionId: SESSION,
        agentId: "main",
        agentType: "opencode",
        timestamp: 1795000000000,
      },
    ]);
  });

  test("database rows: sorts parents first and items by position, emits an emptied list once", () => {
    const rows = JSON.parse(fixture("opencode/1.18/rows.json"));
    const reader = openReader(opencode, { kind: "document" }, { now: () => 5 });
    const read = (given: Parameters<typeof recordsOfRows>[0]) =>
      recordsOfRows(given).flatMap((record, index) => reader.record(record, index + 1));
    const events = read({ sessions: rows.session, todos: rows.todo });
    expect(events.map(({ type, agentId, timestamp }) => [type, agentId, timestamp])).toEqual([
      ["session.started", "main", 1795000000000],
      ["todo_list", "main", 1795000006000],
      ["session.started", CHILD, 1795000004000],
      ["todo_list", CHILD, 1795000004500],
    ]);
    expect(summary(events).last).toEqual({
      main: [
        { text: "Sketch the schema", status: "completed", priority: "high" },
        { text: "Write the migration", status: "in_progress", priority: "medium" },
      ],
      [CHILD]: [{ text: "Grep the models", status: "in_progress", raw: "doing", priority: "low" }],
    });
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([SESSION]));
    expect(read({ sessions: rows.session, todos: rows.todo })).toEqual([]);
    const emptied = read({ sessions: rows.session, todos: rows.todo.slice(0, 2) });
    expect(summary(emptied).last).toEqual({ [CHILD]: [] });
    expect(read({ sessions: rows.session, todos: rows.todo.slice(0, 2) })).toEqual([]);
    const history = read({ sessions: [], todos: [], parts: rows.part });
    expect(history.map(({ eventId }) => eventId)).toEqual([`${SESSION}:main:todo_list:call_f1`]);
  });

  test("skips malformed rows", () => {
    const loop = [
      { id: "ses_a", parent_id: "ses_b" },
      { id: "ses_b", parent_id: "ses_a" },
      { id: "ses_c", parent_id: "ses_c" },
      null,
      3,
    ];
    const records = recordsOfRows({
      sessions: loop,
      todos: [null, { session_id: 3 }],
      parts: [{ data: "{" }, 1],
    });
    const reader = openReader(opencode, { kind: "document" }, { now: () => 5 });
    const events = records.flatMap((record, index) => reader.record(record, index + 1));
    expect(events.map(({ type }) => type)).toEqual([
      "session.started",
      "session.started",
      "session.started",
    ]);
  });

  test("reads Waymark's tool as a list", () => {
    const call = (callID: string, input: unknown, output: string, status = "completed") => ({
      type: "tool_use",
      sessionID: SESSION,
      part: {
        type: "tool",
        tool: "waymark_todos",
        callID,
        state: status === "error" ? { status, input, error: output } : { status, input, output },
      },
    });
    const reader = openReader(opencode, stream, { now: () => 5 });
    const events = [
      call(
        "w1",
        { todos: [{ text: "Read" }, { text: "Write" }] },
        "1. [>] Read\n2. [ ] Write\n(0/2 completed)",
      ),
      call("w2", { finish: "1" }, "1. [x] Read\n2. [>] Write\n(1/2 completed)"),
      call("w3", { finish: "9" }, "there is no todo 9", "error"),
    ].flatMap((record, index) => reader.record(record, index + 1));
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: ["there is no todo 9"],
      other: [],
      last: {
        main: [
          { text: "Read", status: "completed", id: "1" },
          { text: "Write", status: "in_progress", id: "2" },
        ],
      },
    });
    expect(tools(events)).toEqual([]);
    expect(only(events, "todo_list").map(({ stepwise }) => stepwise)).toEqual([undefined, true]);
  });

  test("score recognizes its own records", () => {
    for (const { lines } of [run, malformed, subagent, old, serve])
      expect(new Set(lines.map((line) => opencode.score(JSON.parse(line))))).toEqual(new Set([2]));
    expect(opencode.score(JSON.parse(fixture("opencode/1.1/todo.json")))).toBe(1);
    expect(opencode.score({ type: "assistant", message: {}, session_id: "x" })).toBe(0);
  });

  test("locations: database and files, in the XDG directory", () => {
    const machine = (env: Machine["env"], join: Machine["join"] = posix.join): Machine => ({
      home: "/home/ann",
      platform: "linux",
      env,
      join,
    });
    const found = opencode.locations?.(machine({})) ?? [];
    expect(found.map(({ root, depth, kind }) => [root, depth, kind])).toEqual([
      ["/home/ann/.local/share/opencode", 0, "sqlite"],
      ["/home/ann/.local/share/opencode/storage/session", 1, "document"],
      ["/home/ann/.local/share/opencode/storage/todo", 0, "document"],
    ]);
    const [database, sessions, todos] = found;
    expect(database?.accept(["opencode.db"])).toEqual({});
    expect(database?.accept(["opencode-beta.db"])).toEqual({});
    expect(database?.accept(["opencode.db-wal"])).toBeUndefined();
    expect(sessions?.accept(["global", `${SESSION}.json`])).toEqual({ session: SESSION });
    expect(todos?.accept([`${SESSION}.json`])).toEqual({ session: SESSION });
    expect(todos?.accept(["other.json"])).toBeUndefined();
    expect(opencode.locations?.(machine({ XDG_DATA_HOME: "/data" }))[0]?.root).toBe(
      "/data/opencode",
    );
    expect(opencode.locations?.(machine({ XDG_DATA_HOME: "D:\\data" }, win32.join))[0]?.root).toBe(
      "D:\\data\\opencode",
    );
  });
});
