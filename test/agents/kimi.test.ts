import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { kimi } from "../../src/agents/kimi/decoder.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const SESSION = "session_d1f50f82-0c80-4454-bb8d-113c0f6d7367";
const main = recording("kimi/2.1/main.jsonl", { kind: "file", session: SESSION });
const subagent = recording("kimi/2.1/subagent.jsonl", {
  kind: "file",
  session: SESSION,
  agent: "agent-0",
  parent: "main",
});
const stream = recording("kimi/2.1/stream.jsonl", { kind: "stream" });
const waymark = recording("kimi/2.1/waymark.jsonl", { kind: "file", session: SESSION });
const old = recording("kimi/cli/context.jsonl", { kind: "file", session: "ab-1" });

describe("Kimi Code", () => {
  decoderProperties(kimi, [main, subagent, stream, waymark, old]);

  test("keeps lists apart that follow a call without a result", () => {
    const reader = openReader(kimi, { kind: "file", session: SESSION }, { now: () => 0 });
    const call = { type: "tool.call", toolCallId: "c1", name: "TodoList", args: { todos: [] } };
    const write = (title: string) => ({
      type: "tools.update_store",
      key: "todo",
      value: [{ title, status: "pending" }],
    });
    const records = [
      { type: "context.append_loop_event", event: call },
      write("Read the report"),
      write("Write the export"),
    ];
    const events = records.flatMap((record, at) => reader.record(record, at + 1));
    expect(only(events, "todo_list").map(({ eventId }) => eventId)).toEqual([
      `${SESSION}:main:todo_list:c1`,
      `${SESSION}:main:todo_list:3.0`,
    ]);
  });

  test("reads a session file: refused writes, a read, an emptied list", () => {
    const events = decode(kimi, main);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: [
        'Invalid args for tool "TodoList": /todos/0/status must be one of the allowed values',
        'Invalid args for tool "TodoList": /todos must be array',
      ],
      other: [],
      last: { main: [{ text: "Tell the team", status: "pending" }] },
    });
    const lists = only(events, "todo_list");
    expect(lists.map(({ items }) => items.length)).toEqual([2, 3, 0, 1]);
    expect(lists[0]).toEqual({
      type: "todo_list",
      todoId: `${SESSION}-main`,
      items: [
        { text: "Read the report", status: "in_progress" },
        { text: "Write the export", status: "pending" },
      ],
      eventId: `${SESSION}:main:todo_list:c1`,
      sessionId: SESSION,
      agentId: "main",
      agentType: "kimi",
      timestamp: expect.any(Number),
    });
    expect(lists[1]?.items[0]).toEqual({
      text: "Read the report",
      status: "completed",
      raw: "done",
    });
    expect(tools(events)).toEqual([
      "tool.started Bash",
      "tool.failed Bash 1",
      "tool.started Read",
      "tool.completed Read",
      "tool.started Agent",
      "tool.completed Agent",
    ]);
  });

  test("reads the turn, plan mode, a compaction and the start of a subagent", () => {
    const events = decode(kimi, main);
    expect(
      events
        .filter(({ type }) => /^(?:session|turn|mode)\./.test(type))
        .map((event) => [event.agentId, event.type]),
    ).toEqual([
      ["main", "session.started"],
      ["main", "turn.started"],
      ["main", "session.started"],
      ["main", "mode.changed"],
      ["main", "mode.changed"],
      ["agent-0", "session.started"],
      ["main", "session.compacted"],
      ["main", "turn.completed"],
    ]);
    const [opened, model, child] = only(events, "session.started");
    expect(opened).toMatchObject({ cwd: "/home/ann/shop" });
    expect(model).toMatchObject({ model: "mini-1" });
    expect(child).toMatchObject({ parentId: "main", name: "coder", title: "Find the columns" });
    expect(only(events, "turn.started")).toMatchObject([{ prompt: "Add the export" }]);
  });

  test("counts each request once, with the name of its model", () => {
    const usage = (given: typeof main) =>
      only(decode(kimi, given), "usage").map((event) => [event.model, event.usage]);
    const once = [
      "mini-1",
      { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 0, requests: 1 },
    ];
    expect(usage(main)).toEqual(Array(9).fill(once));
    expect(usage(subagent)).toEqual([once, once]);
  });

  test("a subagent has a list of its own", () => {
    const events = decode(kimi, subagent);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: [],
      other: [],
      last: { "agent-0": [{ text: "Grep the models", status: "completed", raw: "done" }] },
    });
    expect(only(events, "session.started")[0]).toMatchObject({
      agentId: "agent-0",
      parentId: "main",
    });
  });

  test("live output: a refusal has no flag, and broken arguments read the list", () => {
    const events = decode(kimi, stream);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: [
        'Invalid args for tool "TodoList": /todos/0/status must be one of the allowed values',
      ],
      other: [],
      last: { main: [{ text: "Tell the team", status: "completed", raw: "done" }] },
    });
    expect(tools(events)).toEqual(["tool.started Bash", "tool.completed Bash"]);
    expect(only(events, "session.started")).toMatchObject([{ version: "2.1.0" }]);
    expect(only(events, "turn.completed")).toHaveLength(1);
  });

  test("session files of Kimi CLI", () => {
    expect(summary(decode(kimi, old))).toEqual({
      lists: 2,
      rejected: ["<system>ERROR: bad status</system>"],
      other: ["bad_item"],
      last: { main: [{ text: "Read the report", status: "completed", raw: "done" }] },
    });
  });

  test("state.json has the title and the directory", () => {
    const reader = openReader(kimi, { kind: "document", session: SESSION }, { now: () => 5 });
    expect(reader.record(JSON.parse(fixture("kimi/2.1/state.json")), 1)).toMatchObject([
      {
        type: "session.started",
        cwd: "/home/ann/shop",
        title: "Export the orders",
        sessionId: SESSION,
        timestamp: 1795000000000,
      },
    ]);
    expect(reader.record({ version: 2, agents: {} }, 2)).toEqual([]);
  });

  test("reads Waymark's tool as a list", () => {
    const event = (event: object) => ({
      type: "context.append_loop_event",
      agentId: "main",
      event,
    });
    const call = (id: string, args: unknown, result: object) => [
      event({ type: "tool.call", toolCallId: id, name: "mcp__waymark__todos", args }),
      event({ type: "tool.result", toolCallId: id, result }),
    ];
    const reader = openReader(kimi, { kind: "file", session: SESSION }, { now: () => 5 });
    const events = [
      ...call(
        "w1",
        { todos: [{ text: "Read" }, { text: "Write" }] },
        { output: '1 [>] "Read"\n2 [ ] "Write"\n0 of 2 done.' },
      ),
      ...call("w2", { finish: "1" }, { output: '1 [x] "Read"\n2 [>] "Write"\n1 of 2 done.' }),
      ...call("w3", { finish: "9" }, { output: "there is no todo 9", isError: true }),
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
    expect(only(events, "todo_list").map(({ stepwise }) => stepwise)).toEqual([undefined, true]);
  });

  test("reads Waymark's tool in a recorded session", () => {
    expect(summary(decode(kimi, waymark))).toEqual({
      lists: 2,
      rejected: [],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "completed", id: "1" },
          { text: "Write the export", status: "in_progress", id: "2" },
        ],
      },
    });
  });

  test("a turn that failed or was cancelled", () => {
    const reader = openReader(kimi, { kind: "file", session: SESSION }, { now: () => 5 });
    const end = (more: object) =>
      reader.record({ type: "turn.ended", agentId: "main", turnId: 0, time: 7, ...more }, 1);
    expect(end({ reason: "cancelled" })).toMatchObject([{ type: "turn.cancelled" }]);
    expect(end({ reason: "failed", error: { message: "overloaded" } })).toMatchObject([
      { type: "turn.failed", message: "overloaded" },
    ]);
  });

  test("locations: session files, state files and those of Kimi CLI", () => {
    const machine = (env: Machine["env"]): Machine => ({
      home: "/home/ann",
      platform: "linux",
      env,
      join: posix.join,
    });
    const [wire, state, context] = kimi.locations?.(machine({})) ?? [];
    expect([wire?.root, state?.root, context?.root]).toEqual([
      "/home/ann/.kimi-code/sessions",
      "/home/ann/.kimi-code/sessions",
      "/home/ann/.kimi/sessions",
    ]);
    expect(wire?.accept(["wd_a", "session_b", "agents", "main", "wire.jsonl"])).toEqual({
      session: "session_b",
    });
    expect(wire?.accept(["wd_a", "session_b", "agents", "agent-0", "wire.jsonl"])).toEqual({
      session: "session_b",
      agent: "agent-0",
      parent: "main",
    });
    expect(wire?.accept(["wd_a", "session_b", "logs", "main", "wire.jsonl"])).toBeUndefined();
    expect(state?.accept(["wd_a", "session_b", "state.json"])).toEqual({ session: "session_b" });
    expect(state?.accept(["wd_a", "session_b", "notify", "state.json"])).toBeUndefined();
    expect(context?.accept(["f00", "ab-1", "context.jsonl"])).toEqual({ session: "ab-1" });
    expect(context?.accept(["f00", "ab-1", "wire.jsonl"])).toBeUndefined();
    const env = { KIMI_CODE_HOME: "/k", KIMI_SHARE_DIR: "/o" };
    expect(kimi.locations?.(machine(env)).map(({ root }) => root)).toEqual([
      "/k/sessions",
      "/k/sessions",
      "/o/sessions",
    ]);
  });
});
