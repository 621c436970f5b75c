import { describe, expect, test } from "vitest";
import { acp } from "../../src/agents/acp/decoder.ts";
import { hermes } from "../../src/agents/hermes/decoder.ts";
import { ohMyPi } from "../../src/agents/oh-my-pi/decoder.ts";
import { opencode } from "../../src/agents/opencode/decoder.ts";
import { waymark } from "../../src/agents/waymark/decoder.ts";
import type { StreamBase, StreamBody, StreamEvent } from "../../src/core/stream/events.ts";
import { decode, decoderProperties, recording, summary } from "./decoder-properties.ts";

const base = (type: string, key = "1"): StreamBase => ({
  eventId: `s1:main:${type}:${key}`,
  sessionId: "s1",
  agentId: "main",
  agentType: "codex",
  timestamp: 1795000000000,
});

const one = (body: StreamBody, key?: string): StreamEvent => ({ ...body, ...base(body.type, key) });

/** One event of each type, with every field. */
const EVERY: readonly StreamEvent[] = [
  one({
    type: "todo_list",
    todoId: "s1-main",
    items: [
      {
        text: "Read the report",
        status: "blocked",
        raw: "waiting",
        id: "a",
        activeText: "Reading",
        phase: "Build",
        notes: ["in the attic"],
        priority: "high",
        parent: "b",
        blockedBy: ["c"],
        blocker: "no key",
        owner: "ann",
      },
      { text: "Write the export", status: "pending" },
    ],
    explanation: "first go",
    stepwise: true,
  }),
  one({
    type: "session.started",
    cwd: "/home/ann",
    model: "m",
    version: "1",
    title: "t",
    parentId: "main",
    name: "n",
  }),
  one({ type: "session.ended", reason: "over" }),
  one({ type: "session.compacted", trigger: "auto" }),
  one({ type: "turn.started", prompt: "go" }),
  one({ type: "turn.completed" }),
  one({ type: "turn.failed", message: "away" }),
  one({ type: "turn.cancelled" }),
  one({ type: "message", role: "user", text: "hello" }),
  one({ type: "task.started", taskId: "j1", title: "Serve", kind: "command" }),
  one({ type: "task.completed", taskId: "j1", summary: "it ran" }),
  one({ type: "task.failed", taskId: "j2", summary: "it did not" }),
  one({ type: "tool.started", callId: "c1", name: "sh", input: { command: ["ls", { a: null }] } }),
  one({ type: "tool.updated", callId: "c1", name: "sh", output: "…" }),
  one({ type: "tool.completed", callId: "c1", name: "sh", output: "ok", exitCode: 0 }),
  one({ type: "tool.failed", callId: "c2", name: "sh", output: "no", exitCode: 1 }),
  one({ type: "plan.delta", planId: "p", delta: "1." }),
  one({ type: "plan.proposed", planId: "p", text: "1. Read", path: "/p.md" }),
  one({ type: "plan.decided", planId: "p", decision: "rejected", comment: "later" }),
  one({ type: "mode.changed", mode: "plan" }),
  one({ type: "warning", code: "list_rejected", message: "no", file: "/a.jsonl", line: 3 }),
];

const recorded = (events: readonly StreamEvent[], name: string) => ({
  name,
  source: { kind: "stream" } as const,
  lines: events.map((event) => JSON.stringify(event)),
});

/** The decoded event, with its original ids, agent and time. */
function reread(given: readonly unknown[]): { events: unknown[]; warnings: StreamBody[] } {
  const events: unknown[] = [];
  const warnings: StreamBody[] = [];
  const state = waymark.start({ kind: "stream" });
  for (const record of given)
    waymark.read(state, record, (body, about) => {
      if (about?.base) events.push({ ...body, ...about.base });
      else warnings.push(body);
    });
  return { events, warnings };
}

const other = [
  decode(opencode, recording("opencode/serve/subagent.jsonl", { kind: "stream" })),
  decode(opencode, recording("opencode/1.18/malformed.jsonl", { kind: "stream" })),
  decode(acp, recording("acp/cursor/todos.jsonl", { kind: "stream" })),
  decode(ohMyPi, recording("oh-my-pi/18/session.jsonl", { kind: "file", path: "/a.jsonl" })),
  decode(hermes, recording("hermes/gateway/session.jsonl", { kind: "file", session: "h1" })),
];

describe("waymark", () => {
  decoderProperties(waymark, [
    recorded(EVERY, "every event"),
    recorded(other[0] ?? [], "a recording"),
  ]);

  test("decodes written events unchanged", () => {
    for (const events of [EVERY, ...other]) {
      const lines = events.map((event) => JSON.stringify(event));
      const back = reread(lines.map((line) => JSON.parse(line)));
      expect(back.warnings).toEqual([]);
      expect(back.events.map((event) => JSON.stringify(event))).toEqual(lines);
      expect(lines.map((line) => waymark.score(JSON.parse(line)))).toEqual(lines.map(() => 2));
    }
  });

  test("the reader keeps the ids of sessions, agents and events", () => {
    const ids = (events: readonly StreamEvent[]) =>
      events.map(({ eventId, sessionId, agentId, timestamp }) => [
        eventId,
        sessionId,
        agentId,
        timestamp,
      ]);
    for (const events of [EVERY, ...other])
      expect(ids(decode(waymark, recorded(events, "")))).toEqual(ids(events));
  });

  test("omits unknown and invalid fields", () => {
    const list = EVERY[0];
    const { events, warnings } = reread([
      {
        ...list,
        explanation: 5,
        stepwise: false,
        extra: true,
        items: [
          { text: "Stays", status: "pending", notes: [1], owner: null, x: 1 },
          { text: " ", status: "pending" },
          { text: "No such status", status: "done" },
          "text",
        ],
      },
    ]);
    expect(events).toEqual([
      {
        type: "todo_list",
        todoId: "s1-main",
        items: [{ text: "Stays", status: "pending" }],
        ...base("todo_list"),
      },
    ]);
    expect(warnings.map((body) => body.type === "warning" && body.message)).toEqual([
      "entry 2 of the list has no valid text",
      "entry 3 of the list has no valid status",
      "entry 4 of the list has no valid text",
    ]);
  });

  test("refuses an event without its required fields, with a warning", () => {
    const a = (wanted: string) => EVERY.find(({ type }) => type === wanted);
    const broken = [
      { ...a("todo_list"), items: {} },
      { ...a("todo_list"), timestamp: "now" },
      { ...a("message"), role: "system" },
      { ...a("warning"), code: "other" },
    ];
    const { events, warnings } = reread(broken);
    expect(events).toEqual([]);
    expect(warnings.map((body) => body.type === "warning" && body.message)).toEqual([
      "a todo_list event without a valid items",
      "a todo_list event without a valid timestamp",
      "a message event without a valid role",
      "a warning event without a valid code",
    ]);
    expect(
      reread([
        { ...EVERY[0], type: "constructor" },
        { ...EVERY[0], type: 1 },
      ]),
    ).toEqual({
      events: [],
      warnings: [],
    });
  });

  test("finds the lists", () => {
    expect(summary(decode(waymark, recorded(other[0] ?? [], "")))).toEqual(summary(other[0] ?? []));
  });
});
