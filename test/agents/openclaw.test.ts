import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { openclaw } from "../../src/agents/openclaw/decoder.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const plan = recording("openclaw/update-plan/plan.jsonl", { kind: "file" });

interface Tables {
  readonly windows: readonly object[];
  readonly nodes: readonly { readonly session_key: string; readonly current_session_id: string }[];
  readonly cards: readonly { readonly session_key: string }[];
  readonly events: readonly { readonly event_zstd: string | null; readonly created_at: number }[];
}

/** The tables of a database as the queries return them, with compressed events as text or unreadable. */
function database(name: string, queries: "all" | "recent", isReadable = true) {
  const tables: Tables = JSON.parse(fixture(`openclaw/2026.9/${name}.json`));
  const nodes = new Map(tables.nodes.map((node) => [node.session_key, node]));
  const nodeOf = (row: object) => nodes.get((row as { session_key: string }).session_key);
  const events = tables.events.map((row) => (isReadable ? row : { ...row, event_zstd: undefined }));
  const records = openclaw.database?.records({
    sessions: tables.windows.map((row) => ({ ...nodeOf(row), ...row })),
    cards: tables.cards.map((row) => ({ ...row, session_id: nodeOf(row)?.current_session_id })),
    [queries === "all" ? "events" : "recent"]: events,
  });
  return {
    name: `${name}, ${queries}`,
    source: { kind: "document" } as const,
    lines: (records ?? []).map((record) => JSON.stringify(record)),
  };
}

const deferred = database("deferred", "all");
const direct = database("direct", "all");

describe("openclaw", () => {
  decoderProperties(openclaw, [plan, deferred, direct, database("direct", "recent")]);

  test("reads calls through the wrapper once, with the name of the tool inside", () => {
    const events = decode(openclaw, deferred);
    const last = [
      { text: "Knead the dough", status: "completed" },
      { text: "Let it rise", status: "in_progress" },
      { text: "Bake it", status: "pending" },
    ];
    expect(summary(events)).toEqual({
      // Two calls, and the card at the end.
      lists: 3,
      rejected: ["Invalid arguments for the tool"],
      other: [],
      last: { main: last },
    });
    expect(only(events, "todo_list").at(-1)?.explanation).toBe("Smells **good**.");
    expect(tools(events)).toEqual([
      "tool.started tool_search",
      "tool.completed tool_search",
      "tool.started no_such_tool",
      "tool.failed no_such_tool",
      "tool.started exec",
      "tool.completed exec 3",
    ]);
    const used = only(events, "usage").at(-1);
    expect(used?.usage).toMatchObject({ input: 60, cacheRead: 40, output: 20, requests: 1 });
  });

  test("an event that cannot be decompressed is unknown, the list is not", () => {
    const events = decode(openclaw, database("deferred", "all", false));
    expect(summary(events)).toMatchObject({
      lists: 3,
      other: ["unknown_record", "unknown_record", "unknown_record"],
      last: { main: [{ text: "Knead the dough", status: "completed" }, {}, {}] },
    });
  });

  test("a cleared card, or one with only a text, has no steps", () => {
    const events = decode(openclaw, direct);
    expect(only(events, "todo_list").map(({ items }) => items.length)).toEqual([2, 0, 2, 0, 0]);
    expect(summary(events).rejected).toEqual([
      "plan can contain at most one in_progress step",
      "Tool update_plan not found",
    ]);
  });

  test("knows the session, its turns and its subagents", () => {
    const id = only(decode(openclaw, direct), "session.started")[0]?.sessionId;
    const types = decode(openclaw, direct).flatMap(({ type }) =>
      /^(?:session|turn)\./.test(type) ? [type] : [],
    );
    expect(types).toEqual(["session.started", "session.started", "turn.started", "turn.completed"]);
    expect(only(decode(openclaw, direct), "session.started")[1]).toMatchObject({
      sessionId: id,
      cwd: "/home/dev/demo",
    });
    const rows = [
      {
        session_id: "b",
        session_key: "k:b",
        current_session_id: "b",
        spawned_by: "k:a",
        label: "helper",
      },
      {
        session_id: "a",
        session_key: "k:a",
        current_session_id: "a",
        spawned_by: null,
        label: "Garden",
      },
    ];
    const lines = (openclaw.database?.records({ sessions: rows }) ?? []).map((each) =>
      JSON.stringify(each),
    );
    const started = only(decode(openclaw, { ...direct, lines }), "session.started");
    expect(
      started.map(({ sessionId, agentId, title, parentId, name }) => [
        sessionId,
        agentId,
        title,
        parentId,
        name,
      ]),
    ).toEqual([
      ["a", "main", "Garden", undefined, undefined],
      ["a", "b", "helper", "main", "helper"],
    ]);
  });

  test("reads Waymark's tool by the name it has there", () => {
    const message = (more: object) => JSON.stringify({ type: "message", message: more });
    const call = {
      type: "toolCall",
      id: "c1",
      name: "tool_call",
      arguments: { id: "waymark__todos", args: { todos: [{ text: "Read" }] } },
    };
    const lines = [
      message({ role: "assistant", content: [call] }),
      message({
        role: "toolResult",
        toolCallId: "c1",
        toolName: "tool_call",
        content: [],
        details: { result: { content: [{ type: "text", text: '1 [ ] "Read"\n0 of 1 done.' }] } },
      }),
    ];
    expect(summary(decode(openclaw, { ...plan, lines })).last).toEqual({
      main: [{ text: "Read", status: "pending", id: "1" }],
    });
  });

  test("accepts plans with their result, from the details or the call", () => {
    const events = decode(openclaw, plan);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: ["plan can contain at most one step in progress", "plan required"],
      other: ["bad_item"],
      last: {
        main: [
          { text: "Read the report", status: "completed" },
          { text: "Write the export", status: "in_progress" },
        ],
      },
    });
    expect(only(events, "todo_list").map(({ explanation }) => explanation)).toEqual([
      "first go",
      undefined,
    ]);
    expect(tools(events)).toEqual(["tool.started exec", "tool.completed exec 0"]);
  });

  test("warns about a result without a plan", () => {
    const line = JSON.stringify({
      type: "message",
      message: { role: "toolResult", toolCallId: "x", toolName: "update_plan", content: [] },
    });
    expect(
      summary(decode(openclaw, { name: "", source: { kind: "file" }, lines: [line] })),
    ).toEqual({
      lists: 0,
      rejected: [],
      other: ["list_unknown"],
      last: {},
    });
  });

  test("score is certain only for an accepted plan", () => {
    for (const { lines } of [deferred, direct])
      expect(openclaw.score(JSON.parse(lines[0] ?? ""))).toBe(2);
    expect(plan.lines.map((line) => openclaw.score(JSON.parse(line))).join("")).toBe(
      "1112111111111",
    );
  });

  test("locations include the former names", () => {
    const machine = (env: Machine["env"]): Machine => ({
      home: "/home/ann",
      platform: "linux",
      env,
      join: posix.join,
    });
    const found = openclaw.locations?.(machine({})) ?? [];
    expect(found.filter(({ kind }) => kind === "file").map(({ root }) => root)).toEqual([
      "/home/ann/.openclaw/agents",
      "/home/ann/.moltbot/agents",
      "/home/ann/.clawdbot/agents",
    ]);
    const databases = found.filter(({ kind }) => kind === "sqlite");
    expect(databases).toHaveLength(3);
    expect(databases[0]?.accept(["main", "agent", "openclaw-agent.sqlite"])).toEqual({});
    expect(databases[0]?.accept(["main", "sessions", "openclaw-agent.sqlite"])).toBeUndefined();
    const session = "5d8f7c1e-1f2a-4b7e-9d3c-6a5b4c3d2e1f";
    expect(found[0]?.accept(["main", "sessions", `${session}.jsonl`])).toEqual({ session });
    expect(found[0]?.accept(["main", "sessions", "sessions.json"])).toBeUndefined();
    expect(found[0]?.accept(["main", "agent", `${session}.jsonl`])).toBeUndefined();
    expect(
      openclaw.locations?.(machine({ OPENCLAW_STATE_DIR: "/o" })).map(({ root }) => root),
    ).toEqual(["/o/agents", "/o/agents"]);
  });
});
