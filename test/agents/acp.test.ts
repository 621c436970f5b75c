import { describe, expect, test } from "vitest";
import { acp } from "../../src/agents/acp/decoder.ts";
import type { Source } from "../../src/agents/agent.ts";
import {
  decode,
  decoderProperties,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const stream: Source = { kind: "stream" };
const v1 = recording("acp/v1/both-sides.jsonl", stream);
const listTool = recording("acp/v1/list-tool.jsonl", stream);
const unstable = recording("acp/v1-unstable/plans.jsonl", stream);
const v2 = recording("acp/v2/draft.jsonl", stream);
const cursor = recording("acp/cursor/todos.jsonl", stream);

/** The type, agent and main content of each event. */
const outline = (given: typeof v1) =>
  decode(acp, given).map((event) => {
    const { eventId: _, sessionId: __, agentType: ___, timestamp: ____, ...rest } = event;
    return rest;
  });

describe("acp", () => {
  decoderProperties(acp, [v1, listTool, unstable, v2, cursor]);

  test("v1: reads both sides of a connection", () => {
    const agentId = "main";
    expect(outline(v1)).toEqual([
      { type: "session.started", cwd: "/home/ann/shop", version: "tern 3.2.0", agentId },
      { type: "mode.changed", mode: "plan", agentId },
      { type: "turn.started", prompt: "Add the export", agentId },
      { type: "mode.changed", mode: "work", agentId },
      { type: "message", role: "assistant", text: "I will begin.", agentId },
      {
        type: "warning",
        code: "bad_item",
        message: "entry 2 of the list has no text",
        line: 11,
        agentId,
      },
      {
        type: "todo_list",
        todoId: "sess_9f2c71e4-main",
        items: [
          { text: "Read the report", status: "in_progress", priority: "high" },
          { text: "Write the export", status: "pending", priority: "medium" },
        ],
        agentId,
      },
      {
        type: "tool.started",
        callId: "tc_1",
        name: "shell",
        input: { command: "npm test" },
        agentId,
      },
      { type: "tool.updated", callId: "tc_1", name: "shell", output: "running", agentId },
      { type: "tool.completed", callId: "tc_1", name: "shell", output: "4 passed", agentId },
      { type: "tool.started", callId: "tc_2", name: "Edit export.ts", agentId },
      {
        type: "tool.failed",
        callId: "tc_2",
        name: "Edit export.ts",
        output: "no such file",
        agentId,
      },
      {
        type: "todo_list",
        todoId: "sess_9f2c71e4-main",
        items: [
          { text: "Read the report", status: "completed", priority: "high" },
          { text: "Write the export", status: "completed", priority: "medium" },
        ],
        agentId,
      },
      { type: "turn.completed", agentId },
      { type: "mode.changed", mode: "plan", agentId },
      { type: "turn.started", prompt: "Go on", agentId },
      { type: "todo_list", todoId: "sess_9f2c71e4-main", items: [], agentId },
      { type: "turn.cancelled", agentId },
      { type: "turn.started", prompt: "Again", agentId },
      { type: "turn.failed", message: "the model is away", agentId },
    ]);
  });

  test("v1: reads calls of the list tool if no plan is sent", () => {
    const events = decode(acp, listTool);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: ["todos must be a list", "todos must be an array"],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "in_progress", priority: "high" },
          { text: "Write the export", status: "pending", priority: "low" },
          { text: "Tell the team", status: "pending", id: "b" },
        ],
      },
    });
    expect(tools(events)).toEqual(["tool.started bash", "tool.completed bash 0"]);
    // The call first came without its command.
    expect(only(events, "tool.started").map(({ input }) => input)).toEqual([
      { command: "npm test", cwd: "/home/ann/shop" },
    ]);
  });

  test("v1 unstable: reads plans with ids, of three kinds, and subagents", () => {
    const events = decode(acp, unstable);
    expect(
      only(events, "todo_list").map(({ agentId, todoId, items }) => [
        agentId,
        todoId,
        items.length,
      ]),
    ).toEqual([
      ["main", "plan-a", 1],
      ["main", "plan-b", 1],
      ["sess_child_03", "sess_9f2c71e4-sess_child_03", 1],
      // Removing a replaced plan changes nothing.
      ["main", "plan-b", 0],
    ]);
    expect(
      only(events, "plan.proposed").map(({ planId, text, path }) => ({ planId, text, path })),
    ).toEqual([
      { planId: "plan-m", text: "1. Read\n2. Write", path: undefined },
      { planId: "plan-f", text: "", path: "/home/ann/shop/plan.md" },
    ]);
    expect(
      only(events, "session.started").map(({ sessionId, agentId, parentId, title }) => [
        sessionId,
        agentId,
        parentId,
        title,
      ]),
    ).toEqual([
      ["sess_9f2c71e4", "main", undefined, undefined],
      ["sess_9f2c71e4", "sess_child_03", "main", "Find the callers"],
    ]);
    expect(only(events, "session.compacted")).toHaveLength(1);
  });

  test("v2: keeps unknown statuses and starts a call with its first update", () => {
    const events = decode(acp, v2);
    expect(summary(events).last).toEqual({
      main: [
        { text: "Read the report", status: "cancelled", priority: "medium" },
        { text: "Write the export", status: "pending", raw: "_waiting", priority: "_soon" },
      ],
    });
    expect(tools(events)).toEqual(["tool.started ls", "tool.failed ls"]);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("turn."))).toEqual([
      "turn.started",
      "turn.completed",
    ]);
  });

  test("Cursor: merges by id and decides a plan by its response", () => {
    const events = decode(acp, cursor);
    expect(only(events, "todo_list").map(({ items }) => items)).toEqual([
      [
        { text: "Read the report", status: "in_progress", id: "a" },
        { text: "Write the export", status: "pending", id: "b" },
      ],
      [
        { text: "Read the report", status: "completed", id: "a" },
        {
          text: "Write the export",
          status: "in_progress",
          raw: "TODO_STATUS_IN_PROGRESS",
          id: "b",
        },
        { text: "Tell the team", status: "pending", id: "c" },
      ],
      [{ text: "Tell the team", status: "cancelled", id: "c" }],
    ]);
    expect(summary(events).other).toEqual(["bad_item"]);
    expect(only(events, "todo_list").map(({ stepwise }) => stepwise)).toEqual([
      undefined,
      true,
      undefined,
    ]);
    expect(
      only(events, "plan.proposed", "plan.decided").map((event) => [
        event.type,
        event.planId,
        event.type === "plan.decided" ? event.decision : event.text,
      ]),
    ).toEqual([
      ["plan.proposed", "tool_plan", "Adds the export.\n\n1. Write it"],
      ["plan.decided", "tool_plan", "approved"],
    ]);
  });

  test("a reused id with another tool refers to the new call", () => {
    const update = (given: object) =>
      JSON.stringify({
        jsonrpc: "2.0",
        method: "session/update",
        params: { sessionId: "s", update: { toolCallId: "t1", ...given } },
      });
    const todos = [{ content: "Ship it", status: "pending" }];
    const lines = [
      update({ sessionUpdate: "tool_call", title: "bash", rawInput: { command: "sleep 9" } }),
      update({ sessionUpdate: "tool_call", title: "todowrite", rawInput: { todos } }),
      update({ sessionUpdate: "tool_call_update", status: "completed" }),
    ];
    const events = decode(acp, { ...v1, lines });
    expect(summary(events).last).toEqual({ main: [{ text: "Ship it", status: "pending" }] });
    expect(tools(events)).toEqual(["tool.started bash"]);
  });

  test("reads a bare notification like one in an envelope", () => {
    const lines = unstable.lines.slice(1).map((line) => JSON.stringify(JSON.parse(line).params));
    const bare = decode(acp, { ...unstable, lines });
    expect(summary(bare)).toEqual(summary(decode(acp, unstable)));
    expect(lines.map((line) => acp.score(JSON.parse(line)))).toEqual(lines.map(() => 2));
  });

  test("score ignores other protocols", () => {
    expect(acp.score({ method: "turn/plan/updated", params: {} })).toBe(0);
    expect(acp.score({ jsonrpc: "2.0", method: "tools/call", params: {} })).toBe(0);
    expect(acp.score({ jsonrpc: "2.0", id: 1, result: { tools: [] } })).toBe(0);
  });
});
