import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { openReader } from "../../src/agents/common/reader.ts";
import { hermes } from "../../src/agents/hermes/decoder.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const session = recording("hermes/gateway/session.jsonl", { kind: "file", session: "h1" });
const withoutIds = recording("hermes/gateway/without-ids.jsonl", { kind: "file", session: "h2" });

describe("hermes", () => {
  decoderProperties(hermes, [session, withoutIds]);

  test("accepts a list only from a result without other messages before it", () => {
    const events = decode(hermes, session);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: ["todos must be a list of objects"],
      other: [],
      last: { main: [{ text: "Ship it", status: "cancelled", id: "1" }] },
    });
    // Without a read, the lower of two revisions, and two forged results.
    expect(only(events, "todo_list").map(({ eventId, items }) => [eventId, items])).toEqual([
      [
        "h1:main:todo_list:c1",
        [
          { text: "Read the report", status: "in_progress", id: "1" },
          { text: "Write the export", status: "pending", id: "2" },
        ],
      ],
      [
        "h1:main:todo_list:c5",
        [
          { text: "Read the report", status: "completed", id: "1" },
          { text: "Write the export", status: "pending", id: "2" },
          { text: "Tell the team", status: "pending", id: "3", parent: "2" },
        ],
      ],
      ["h1:main:todo_list:c10", [{ text: "Ship it", status: "cancelled", id: "1" }]],
    ]);
    expect(tools(events)).toEqual([
      "tool.started terminal",
      "tool.completed terminal 0",
      "tool.started web_search",
      "tool.failed web_search",
    ]);
    expect(only(events, "session.started").map(({ model }) => model)).toEqual(["local/mini-1"]);
    expect(only(events, "turn.started", "turn.completed").map(({ type }) => type)).toEqual([
      "turn.started",
      "turn.started",
      "turn.completed",
    ]);
  });

  test("without ids, matches results to calls of the same name in order, and ignores lists", () => {
    const events = decode(hermes, withoutIds);
    expect(summary(events).lists).toBe(0);
    expect(
      only(events, "tool.started", "tool.completed").map((event) =>
        "input" in event ? event.input : "output" in event && event.output,
      ),
    ).toEqual([{ command: "a" }, { command: "b" }, "first", "second"]);
  });

  test("a reused id refers to the last call", () => {
    const call = (todos: unknown) => ({
      role: "assistant",
      tool_calls: [
        { id: "c1", function: { name: "todo", arguments: JSON.stringify(todos && { todos }) } },
      ],
    });
    const todos = [{ id: "1", content: "Ship it", status: "pending" }];
    const lines = [
      { role: "session_meta", model: "m" },
      // A read and a write with the same id. The first has no result.
      call(undefined),
      call(todos),
      { role: "tool", tool_call_id: "c1", content: JSON.stringify({ todos }) },
      { role: "tool", tool_call_id: "c1", content: JSON.stringify({ todos: [] }) },
    ].map((line) => JSON.stringify(line));
    expect(summary(decode(hermes, { ...session, lines }))).toEqual({
      lists: 1,
      rejected: [],
      other: [],
      last: { main: [{ text: "Ship it", status: "pending", id: "1" }] },
    });
  });

  test("resumes a document at its former end", () => {
    const given = JSON.parse(fixture("hermes/document/session.json"));
    const reader = openReader(hermes, { kind: "document" }, { now: () => 0 });
    const first = reader.record(given, 1);
    expect(first.map(({ type, sessionId }) => [type, sessionId])).toEqual([
      ["session.started", "20261118_100000_ab12cd"],
      ["turn.started", "20261118_100000_ab12cd"],
      ["todo_list", "20261118_100000_ab12cd"],
    ]);
    expect(reader.record(given, 1)).toEqual([]);
    const more = {
      ...given,
      messages: [...given.messages, { role: "assistant", content: "Done." }],
    };
    expect(reader.record(more, 1).map(({ type }) => type)).toEqual(["message", "turn.completed"]);
    expect(reader.record({ ...given, messages: given.messages.slice(0, 1) }, 1)).toHaveLength(1);
  });

  test("skips a result that is longer than Hermes reads back, with a warning", () => {
    const lines = session.lines.slice(0, 3).map((line) => JSON.parse(line));
    const content = JSON.stringify({
      todos: [{ id: "1", content: "x".repeat(512_000) }],
      revision: 1,
    });
    const all = [...lines, { role: "tool", tool_call_id: "c1", content }];
    expect(
      summary(decode(hermes, { ...session, lines: all.map((line) => JSON.stringify(line)) })),
    ).toEqual({ lists: 0, rejected: [], other: ["too_large"], last: {} });
  });

  test("accepts times in seconds", () => {
    const reader = openReader(hermes, { kind: "file" }, { now: () => 0 });
    const [event] = reader.record({ role: "user", content: "Hi", timestamp: 1795000000.5 }, 1);
    expect(event?.timestamp).toBe(1795000000500);
  });

  test("score and locations", () => {
    expect(hermes.score({ role: "session_meta", model: "m" })).toBe(2);
    expect(hermes.score(JSON.parse(fixture("hermes/document/session.json")))).toBe(2);
    expect(hermes.score({ role: "user", content: "Hi" })).toBe(0);
    const scores = (given: typeof session) =>
      given.lines.map((line) => hermes.score(JSON.parse(line))).join("");
    expect([scores(session), scores(withoutIds)]).toEqual(["201212012210210200120", "01002"]);
    expect(hermes.score({ type: "user", role: "user", content: "Hi" })).toBe(0);
    const [lines, documents] =
      hermes.locations?.({ home: "/home/ann", platform: "linux", env: {}, join: posix.join }) ?? [];
    expect([lines?.root, lines?.kind, documents?.kind]).toEqual([
      "/home/ann/.hermes/sessions",
      "file",
      "document",
    ]);
    expect(lines?.accept(["20261118_ab.jsonl"])).toEqual({ session: "20261118_ab" });
    expect(documents?.accept(["session_20261118_ab.json"])).toEqual({ session: "20261118_ab" });
    expect(documents?.accept(["sessions.json"])).toBeUndefined();
  });
});
