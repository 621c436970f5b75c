import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { copilot } from "../../src/agents/copilot/decoder.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const SESSION = "2d809038-735c-41a7-b8c4-21d10df14c45";
const FAMILY = "6b7e1ffc-f99c-49d0-a5b7-460d1d883a2f";

const file = recording("copilot/1.0.102/session.jsonl", { kind: "file", session: SESSION });
const stream = recording("copilot/1.0.102/session-stream.jsonl", { kind: "stream" });
const family = recording("copilot/1.0.102/subagents.jsonl", { kind: "file", session: FAMILY });
const familyStream = recording("copilot/1.0.102/subagents-stream.jsonl", { kind: "stream" });
const older = recording("copilot/1.0.2/events.jsonl", {
  kind: "file",
  session: "3f0d6a52-9d1e-4c73-8a57-0c5d1e2f3a4b",
});
const rows = {
  name: "rows",
  source: { kind: "document", session: "s" } as const,
  lines: [JSON.stringify(JSON.parse(fixture("copilot/1.0.102/rows.json")))],
};

describe("copilot", () => {
  decoderProperties(copilot, [file, stream, family, familyStream, older, rows]);

  test.each([file, stream])(
    "$name: computes the list from SQL, and says when it cannot",
    (given) => {
      const events = decode(copilot, given);
      expect(summary(events)).toEqual({
        lists: 4,
        rejected: [
          "Error: CHECK constraint failed: status IN ('pending', 'in_progress', 'done', 'blocked')",
          expect.stringMatching(/^SQL Error after statement 2 \(UPDAT\)/),
        ],
        // An expression, and the statement after it.
        other: ["list_unknown", "list_unknown"],
        last: { main: [{ text: "Fit the roof", status: "in_progress", id: "roof" }] },
      });
      const [first, half, cleared] = only(events, "todo_list").map(({ items }) => items);
      const nail = { text: "Nail the walls", status: "pending", id: "nail", blockedBy: ["cut"] };
      const paint = { text: "Paint it", status: "pending", id: "paint" };
      expect(first).toEqual([
        { text: "Cut the boards", status: "in_progress", id: "cut" },
        nail,
        paint,
      ]);
      // The batch failed at its second statement: the first one counts, the third was not run.
      expect(half).toEqual([
        { text: "Cut the boards", status: "completed", raw: "done", id: "cut" },
        nail,
        paint,
      ]);
      expect(cleared).toEqual([]);
      expect(only(events, "todo_list").every(({ stepwise }) => stepwise)).toBe(true);
      expect(tools(events)).toEqual([
        "tool.started bash",
        "tool.completed bash 0",
        // A query about another table.
        "tool.started sql",
        "tool.completed sql",
      ]);
    },
  );

  test("a stream that continues a session does not know the rows before it", () => {
    const call = (id: string, query: string, content: string) => [
      {
        type: "tool.execution_start",
        data: { toolCallId: id, toolName: "sql", arguments: { query } },
      },
      {
        type: "tool.execution_complete",
        data: { toolCallId: id, success: true, result: { content } },
      },
    ];
    const lines = [
      ...call("c1", "UPDATE todos SET status = 'done' WHERE id = 'a'", "1 row(s) updated."),
      ...call(
        "c2",
        "INSERT INTO todos (id, title) VALUES ('c', 'Third')",
        "1 row(s) inserted. Last inserted row ID: 3.",
      ),
      ...call("c3", "SELECT id FROM todos", "3 row(s) returned:\n\n| id |"),
      ...call("c4", "DELETE FROM todos", "3 row(s) deleted."),
      ...call(
        "c5",
        "INSERT INTO todos (id, title) VALUES ('d', 'Fourth')",
        "1 row(s) inserted. Last inserted row ID: 1.",
      ),
    ].map((line) => JSON.stringify(line));
    expect(summary(decode(copilot, { name: "", source: { kind: "stream" }, lines }))).toEqual({
      lists: 2,
      rejected: [],
      other: ["list_unknown", "list_unknown"],
      last: { main: [{ text: "Fourth", status: "pending", id: "d" }] },
    });
  });

  test.each([family, familyStream])("$name: subagents share the list", (given) => {
    const events = decode(copilot, given);
    expect(summary(events)).toEqual({
      lists: 5,
      rejected: [],
      other: [],
      last: {
        main: [
          { text: "Dig the trench", status: "completed", raw: "done", id: "dig-the-trench" },
          { text: "Water it", status: "completed", raw: "done", id: "water-it" },
          { text: "Order the plants", status: "completed", raw: "done", id: "order" },
        ],
      },
    });
    const child = events.find(
      ({ type, agentId }) => type === "session.started" && agentId !== "main",
    );
    expect(child).toMatchObject({ name: "general-purpose", parentId: "main" });
    const types = events.flatMap(({ type, agentId }) =>
      agentId === child?.agentId && type !== "usage" ? [type] : [],
    );
    expect(types).toEqual([
      "session.started",
      "turn.started",
      "tool.started",
      "tool.failed",
      "message",
      "turn.completed",
      "session.ended",
    ]);
  });

  test("knows session, turns and usage", () => {
    const events = decode(copilot, file);
    expect(only(events, "session.started")[0]).toMatchObject({
      sessionId: SESSION,
      cwd: "/home/dev/demo",
      model: "mock",
      version: "1.0.102",
    });
    const types = events.flatMap(({ type }) => (/^(?:session|turn)\./.test(type) ? [type] : []));
    expect(types).toEqual(["session.started", "turn.started", "turn.completed", "session.ended"]);
    const used = only(events, "usage");
    expect(used).toHaveLength(12);
    expect(used[0]).toMatchObject({ model: "mock", usage: { input: 10, output: 5, requests: 1 } });
    const cached = JSON.stringify({
      type: "session.usage_record",
      id: "u1",
      data: {
        usage: {
          model: "m",
          inputTokens: 100,
          outputTokens: 20,
          cacheReadTokens: 40,
          reasoningTokens: 7,
        },
      },
    });
    expect(only(decode(copilot, { ...file, lines: [cached] }), "usage")[0]?.usage).toMatchObject({
      input: 60,
      cacheRead: 40,
      output: 20,
      reasoning: 7,
    });
    const [last] = decode(copilot, stream).slice(-1);
    expect(last).toMatchObject({ type: "session.ended", sessionId: SESSION });
  });

  test("reads the checklist tool of earlier versions", () => {
    expect(summary(decode(copilot, older))).toEqual({
      lists: 2,
      rejected: ["todos must not be empty"],
      other: ["bad_item", "bad_item"],
      last: {
        main: [
          { text: "Read the report", status: "completed" },
          { text: "Write the export", status: "pending", raw: "[?]" },
          { text: "Tell the team", status: "completed" },
        ],
      },
    });
  });

  test("reads the rows of a database", () => {
    expect(summary(decode(copilot, rows)).last).toEqual({
      main: [
        { text: "Read the report", status: "completed", raw: "done", id: "read" },
        { text: "Write the export", status: "blocked", id: "write", blockedBy: ["read"] },
      ],
    });
  });

  test("reads Waymark's tool, by its name in this program", () => {
    const call = (id: string, args: object, content: string) => [
      {
        type: "tool.execution_start",
        data: { toolCallId: id, toolName: "waymark-todos", arguments: args },
      },
      {
        type: "tool.execution_complete",
        data: { toolCallId: id, success: true, result: { content } },
      },
    ];
    const lines = [
      ...call(
        "c1",
        { todos: [{ text: "Read", status: "in_progress" }] },
        '1 [>] "Read"\n0 of 1 done.',
      ),
      ...call("c2", { finish: ["1"] }, '1 [x] "Read"\n1 of 1 done.'),
    ].map((line) => JSON.stringify(line));
    expect(summary(decode(copilot, { ...file, lines })).last).toEqual({
      main: [{ text: "Read", status: "completed", id: "1" }],
    });
  });

  test("is certain about records that only it writes", () => {
    for (const { lines } of [file, stream, family, familyStream])
      expect(copilot.score(JSON.parse(lines[0] ?? ""))).toBe(2);
    for (const record of [{ type: "user.message", data: {} }, { type: "abort" }, {}, null, []])
      expect(copilot.score(record)).toBe(0);
  });

  test("locations", () => {
    const machine = (env: Machine["env"]): Machine => ({
      home: "/home/ann",
      platform: "linux",
      env,
      join: posix.join,
    });
    const [files, databases] = copilot.locations?.(machine({})) ?? [];
    expect([files?.root, files?.kind, databases?.kind]).toEqual([
      "/home/ann/.copilot",
      "file",
      "sqlite",
    ]);
    expect(files?.accept(["session-state", "s1", "events.jsonl"])).toEqual({ session: "s1" });
    expect(files?.accept(["session-state", "s1.jsonl"])).toEqual({ session: "s1" });
    expect(files?.accept(["session-state", "s1", "other.jsonl"])).toBeUndefined();
    expect(databases?.accept(["session-state", "s1", "session.db"])).toEqual({ session: "s1" });
    expect(databases?.accept(["session-store.db"])).toBeUndefined();
    expect(copilot.locations?.(machine({ COPILOT_HOME: "/c" }))[0]?.root).toBe("/c");
  });
});
