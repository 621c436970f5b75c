import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { ohMyPi } from "../../src/agents/oh-my-pi/decoder.ts";
import {
  decode,
  decoderProperties,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const now = recording("oh-my-pi/18/session.jsonl", { kind: "file" });
const events = recording("oh-my-pi/18/events.jsonl", { kind: "stream" });
const mounted = recording("oh-my-pi/18/mounted.jsonl", {
  kind: "file",
  session: "01a1f211-219e-722f-ac55-4df005af6974",
});
const mountedEvents = recording("oh-my-pi/18/mounted-events.jsonl", { kind: "stream" });
const old = recording("oh-my-pi/todo-write/session.jsonl", { kind: "file" });

describe("oh-my-pi", () => {
  decoderProperties(ohMyPi, [now, events, mounted, mountedEvents, old]);

  test("reads a session file: phases, a refused operation, a view, an edit of the user", () => {
    const read = decode(ohMyPi, now);
    expect(summary(read)).toEqual({
      lists: 3,
      rejected: ['Errors: Task "Nothing like it" not found'],
      other: ["bad_item"],
      last: { main: [{ text: "Tell the team", status: "pending", phase: "Ship" }] },
    });
    expect(only(read, "todo_list")[1]).toEqual({
      type: "todo_list",
      todoId: "0195c0de-77aa-7000-8f31-5d2b9e4c1a10-main",
      items: [
        { text: "Read the report", status: "completed", phase: "Build" },
        { text: "Write the export", status: "blocked", phase: "Build", blocker: "no access" },
        { text: "Tell the team", status: "cancelled", raw: "abandoned", phase: "Ship" },
      ],
      eventId: "0195c0de-77aa-7000-8f31-5d2b9e4c1a10:main:todo_list:t3",
      sessionId: "0195c0de-77aa-7000-8f31-5d2b9e4c1a10",
      agentId: "main",
      agentType: "oh-my-pi",
      timestamp: 1795000010000,
    });
    expect(tools(read)).toEqual([
      "tool.started bash",
      "tool.completed bash 0",
      "tool.started read",
      "tool.failed read",
    ]);
    expect(
      read.map(({ type }) => type).filter((type) => /^(?:session|turn|mode)/.test(type)),
    ).toEqual([
      "session.started",
      "turn.started",
      "mode.changed",
      "mode.changed",
      "session.compacted",
      "turn.completed",
      "session.ended",
    ]);
  });

  test("takes the title from the first line, which is rewritten in place", () => {
    const slot = (title: string) =>
      JSON.stringify({ type: "title", v: 1, title, updatedAt: "", pad: " ".repeat(8) });
    const [header = "", ...lines] = now.lines;
    const titled = (title: string) =>
      only(
        decode(ohMyPi, { ...now, lines: [slot(title), header, ...lines] }),
        "session.started",
      ).map((event) => event.title);
    expect(titled("Export the orders")).toEqual(["Export the orders"]);
    expect(titled("")).toEqual(["Add the export"]);
  });

  test("live events: counts a result once that comes twice", () => {
    const read = decode(ohMyPi, events);
    expect(summary(read)).toEqual({
      lists: 1,
      rejected: [],
      other: [],
      last: { main: [{ text: "Read the report", status: "in_progress", phase: "Tasks" }] },
    });
    expect(tools(read)).toEqual(["tool.started bash", "tool.completed bash"]);
    expect(only(read, "turn.cancelled")).toHaveLength(1);
  });

  test.each([
    ["session file", mounted],
    ["live events", mountedEvents],
  ])("%s: reads calls of Waymark's tool, which is mounted as a device", (_, given) => {
    const read = decode(ohMyPi, given);
    expect(summary(read)).toEqual({
      lists: 1,
      rejected: [expect.stringContaining('No todo has the id "9"')],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "in_progress", id: "1" },
          { text: "Write the export", status: "pending", id: "2" },
        ],
      },
    });
    expect(tools(read)).toEqual([
      "tool.started bash",
      expect.stringMatching(/^tool.completed bash/),
    ]);
  });

  test("reads the applied part of todo_write batches", () => {
    const read = decode(ohMyPi, old);
    expect(summary(read)).toEqual({
      lists: 2,
      rejected: ['Errors: Task "Fly" not found', "Invalid arguments"],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "completed", phase: "Build" },
          { text: "Write the export", status: "in_progress", phase: "Build" },
        ],
      },
    });
    expect(only(read, "todo_list")[0]?.items[0]).toEqual({
      text: "Read the report",
      status: "in_progress",
      phase: "Build",
      notes: ["in the attic"],
    });
    expect(only(read, "turn.failed").map(({ message }) => message)).toEqual(["the model is away"]);
  });

  test("reads a todo tool of another shape", () => {
    const result = (details: unknown) => ({
      type: "message",
      message: { role: "toolResult", toolCallId: "x", toolName: "todo", content: [], details },
    });
    const read = (details: unknown) =>
      summary(
        decode(ohMyPi, {
          name: "",
          source: { kind: "file", session: "s" },
          lines: [JSON.stringify(result(details))],
        }),
      );
    expect(
      read({ action: "add", todos: [{ id: 1, text: "Read", done: true }], nextId: 2 }),
    ).toEqual({
      lists: 1,
      rejected: [],
      other: [],
      last: { main: [{ text: "Read", status: "completed", id: "1" }] },
    });
    expect(read(undefined)).toEqual({ lists: 0, rejected: [], other: ["list_unknown"], last: {} });
  });

  test("an emptied list, and a repaired call that completed everything", () => {
    const result = (id: string, op: string, tasks: readonly object[]) =>
      JSON.stringify({
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: id,
          toolName: "todo",
          content: [],
          details: { op, phases: [{ name: "Tasks", tasks }], storage: "session" },
        },
      });
    const read = (...lines: readonly string[]) =>
      summary(decode(ohMyPi, { name: "", source: { kind: "file", session: "s" }, lines })).last;
    const open = result("a", "init", [{ content: "Read", status: "pending" }]);
    // The result counts: the call was cut off before its target.
    expect(read(open, result("b", "done", [{ content: "Read", status: "completed" }]))).toEqual({
      main: [{ text: "Read", status: "completed", phase: "Tasks" }],
    });
    expect(read(open, result("b", "rm", []))).toEqual({ main: [] });
  });

  test("assigns a subagent's file to the session of its directory", () => {
    const [started] = decode(ohMyPi, {
      ...now,
      source: { kind: "file", session: "root", agent: "Scout", parent: "main" },
    });
    expect(started).toEqual({
      type: "session.started",
      cwd: "/home/ann/shop",
      title: "Add the export",
      parentId: "main",
      name: "Scout",
      eventId: "root:Scout:session.started:0195c0de-77aa-7000-8f31-5d2b9e4c1a10",
      sessionId: "root",
      agentId: "Scout",
      agentType: "oh-my-pi",
      timestamp: 1795000000000,
    });
  });

  test("score is certain only for lists", () => {
    const scores = (lines: readonly string[]) =>
      lines.map((line) => ohMyPi.score(JSON.parse(line))).join("");
    expect(scores(now.lines)).toBe("1011212112210002210");
    expect(scores(old.lines)).toBe("111212111");
  });

  test("locations", () => {
    const machine = (env: Machine["env"]): Machine => ({
      home: "/home/ann",
      platform: "linux",
      env,
      join: posix.join,
    });
    const roots = (env: Machine["env"]) => ohMyPi.locations?.(machine(env)).map(({ root }) => root);
    expect(roots({})).toEqual(["/home/ann/.omp/agent/sessions"]);
    expect(roots({ XDG_DATA_HOME: "/d" })).toEqual([
      "/home/ann/.omp/agent/sessions",
      "/d/omp/sessions",
    ]);
    expect(roots({ PI_CODING_AGENT_DIR: "/pi", XDG_DATA_HOME: "/d" })).toEqual(["/pi/sessions"]);
    const accept = (...path: string[]) => ohMyPi.locations?.(machine({}))[0]?.accept(path);
    const file = "2026-11-18T10-00-00-000Z_0195c0de-77aa-7000-8f31-5d2b9e4c1a10";
    expect(accept("--home-ann-shop--", `${file}.jsonl`)).toEqual({
      session: "0195c0de-77aa-7000-8f31-5d2b9e4c1a10",
    });
    expect(accept("--home-ann-shop--", file, "Scout.jsonl")).toEqual({
      session: "0195c0de-77aa-7000-8f31-5d2b9e4c1a10",
      agent: "Scout",
      parent: "main",
    });
    expect(accept("--home-ann-shop--", file, "__advisor.jsonl")).toBeUndefined();
    expect(accept("--home-ann-shop--", "notes.txt")).toBeUndefined();
  });
});
