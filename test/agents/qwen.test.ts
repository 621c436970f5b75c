import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { qwen } from "../../src/agents/qwen/decoder.ts";
import type { StreamItem } from "../../src/core/stream/events.ts";
import {
  decode,
  decoderProperties,
  fixture,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const SESSION = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

const stream = recording("qwen/0.24/stream.jsonl", { kind: "stream" });
const rejected = recording("qwen/0.24/stream-rejected.jsonl", { kind: "stream" });
const agents = recording("qwen/0.24/stream-agents.jsonl", { kind: "stream" });
const transcript = recording("qwen/0.24/transcript.jsonl", { kind: "file", session: SESSION });
const subagentFile = recording("qwen/0.24/subagent.jsonl", {
  kind: "file",
  session: SESSION,
  agent: "general-purpose-call_1",
  parent: "main",
});
const oldStream = recording("qwen/0.15/stream-subagent.jsonl", { kind: "stream" });
const oldTranscript = recording("qwen/0.15/transcript-subagent.jsonl", {
  kind: "file",
  session: SESSION,
});

const BEGUN: readonly StreamItem[] = [
  { text: "Measure the room", status: "in_progress", id: "1" },
  { text: "Order the wood", status: "pending", id: "2", blockedBy: ["1"] },
  { text: "Build the shelf", status: "pending", id: "3" },
];
const MEASURED: readonly StreamItem[] = [
  { text: "Measure the room", status: "completed", id: "1" },
  { text: "Order the wood", status: "in_progress", id: "2" },
  { text: "Build the shelf", status: "pending", id: "3" },
];
const PARTS_DONE: readonly StreamItem[] = [
  { text: "Part one", status: "completed", id: "1" },
  { text: "Part two", status: "completed", id: "2" },
];

describe("stream", () => {
  test("reads the list from the result, with blockers that the call omits", () => {
    const events = decode(qwen, stream);
    const lists = only(events, "todo_list");
    expect(lists[0]).toEqual({
      type: "todo_list",
      eventId: `${SESSION}:main:todo_list:call_1`,
      sessionId: SESSION,
      agentId: "main",
      agentType: "qwen",
      timestamp: 0,
      todoId: `${SESSION}-main`,
      items: BEGUN,
    });
    expect(lists.map(({ items }) => items)).toEqual([
      BEGUN,
      MEASURED.map((item) => (item.id === "2" ? { ...item, blockedBy: ["1"] } : item)),
      [],
    ]);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: ["Failed to modify todos. Disk full."],
      other: [],
      last: { main: [] },
    });
    expect(tools(events)).toEqual([
      "tool.started run_shell_command",
      "tool.completed run_shell_command",
    ]);
    expect(
      events.flatMap(({ eventId, sessionId, agentId, agentType, timestamp, ...body }) =>
        /^(?:session|turn|message)/.test(body.type) ? [body] : [],
      ),
    ).toEqual([
      {
        type: "session.started",
        cwd: "/home/dev/shelf",
        model: "qwen-coder",
        version: "0.24.4",
      },
      { type: "turn.started" },
      { type: "message", role: "assistant", text: "First I measure." },
      { type: "turn.completed" },
    ]);
  });

  test("rejects refused writes and a disabled tool, accepts parallel writes and extra keys", () => {
    const events = decode(qwen, rejected);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: [
        "status is not valid",
        "id is missing",
        "ids must differ",
        "id must be text",
        "must be an array",
        'Tool "todo_write" is switched off.',
      ],
      other: [],
      last: { main: [{ text: "Extra", status: "pending", id: "1", priority: "high" }] },
    });
    expect(only(events, "todo_list")[0]?.items.map(({ status }) => status)).toEqual([
      "in_progress",
      "in_progress",
    ]);
    expect(tools(events)).toEqual([]);
    expect(only(events, "turn.failed").map(({ message }) => message)).toEqual([
      "the model is gone",
    ]);
  });

  test("keeps the list of a subagent separate", () => {
    const events = decode(qwen, oldStream);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: [],
      other: [],
      last: { main: MEASURED, "general-purpose-call_2": PARTS_DONE },
    });
    expect(tools(events)).toEqual(["tool.started agent", "tool.completed agent"]);
    expect(only(events, "session.started")[1]).toMatchObject({
      agentId: "general-purpose-call_2",
      parentId: "main",
      name: "general-purpose",
      title: "The part",
    });
  });

  test("announces background agents once and reads Waymark's tool as a list, also through tool_call", () => {
    const events = decode(qwen, agents);
    expect(only(events, "session.started").map(({ agentId, name }) => [agentId, name])).toEqual([
      ["main", undefined],
      ["general-purpose-call_1", "general-purpose"],
    ]);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: ["Nothing was changed. 9 is not known."],
      other: [],
      last: {
        main: [
          { text: "Measure", status: "completed", id: "1" },
          { text: "Saw", status: "in_progress", id: "2" },
        ],
      },
    });
    expect(tools(events)).toEqual(["tool.started agent", "tool.completed agent"]);
    const taskId = "general-purpose-call_1";
    expect(only(events, "task.started")).toMatchObject([{ taskId, title: "Count", kind: "agent" }]);
    expect(only(events, "task.completed")).toMatchObject([{ taskId, agentId: "main" }]);
  });
});

describe("transcript", () => {
  test("reads lists, refusals, exit codes, compaction and turns", () => {
    const events = decode(qwen, transcript);
    expect(only(events, "todo_list").map(({ items }) => items)[2]).toEqual([
      { text: "Measure", status: "in_progress", id: "1" },
    ]);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: ["status is not valid", "Error writing todos: disk full", "[Operation Cancelled]"],
      other: [],
      last: { main: [] },
    });
    expect(only(events, "todo_list")[0]).toMatchObject({
      eventId: `${SESSION}:main:todo_list:call_1`,
      timestamp: Date.parse("2026-11-15T09:00:06.042Z"),
      items: BEGUN,
    });
    expect(tools(events)).toEqual([
      "tool.started run_shell_command",
      "tool.failed run_shell_command 2",
    ]);
    expect(
      events.flatMap(({ eventId, sessionId, agentId, agentType, timestamp, ...body }) =>
        /^(?:session|turn|message|plan|mode)/.test(body.type) ? [body] : [],
      ),
    ).toEqual([
      { type: "session.started", cwd: "/home/dev/shelf", version: "0.24.4" },
      { type: "turn.started", prompt: "Plan the shelf" },
      { type: "message", role: "assistant", text: "First I measure." },
      { type: "session.compacted" },
      { type: "plan.proposed", planId: "call_7", text: "# Shelf\n- [ ] Saw" },
      { type: "plan.decided", planId: "call_7", decision: "rejected" },
      { type: "plan.proposed", planId: "call_8", text: "# Shelf\n- [ ] Measure" },
      { type: "plan.decided", planId: "call_8", decision: "approved" },
      { type: "mode.changed", mode: "work" },
      { type: "message", role: "assistant", text: "Done." },
      { type: "turn.completed" },
      { type: "turn.started", prompt: "And the lamp?" },
      { type: "message", role: "assistant", text: "Later." },
      { type: "turn.completed" },
    ]);
  });

  test("reads a subagent of 0.15 from telemetry, with the same id as in the stream", () => {
    const events = decode(qwen, oldTranscript);
    expect(summary(events)).toEqual({
      lists: 4,
      rejected: ["must be an array"],
      other: [],
      last: { main: MEASURED, "general-purpose-call_2": PARTS_DONE },
    });
    expect(tools(events)).toEqual(["tool.started agent", "tool.completed agent"]);
    expect(
      only(events, "session.started").map(({ agentId, parentId, name }) => [
        agentId,
        parentId,
        name,
      ]),
    ).toEqual([
      ["main", undefined, undefined],
      ["general-purpose-call_2", "main", "general-purpose"],
    ]);
  });

  test("reads the file of a subagent of 0.24, with partial records", () => {
    const events = decode(qwen, subagentFile);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: ["no such tool"],
      other: [],
      last: { "general-purpose-call_1": PARTS_DONE },
    });
    expect(tools(events)).toEqual([
      "tool.started run_shell_command",
      "tool.failed run_shell_command 3",
    ]);
    expect(events.flatMap(({ type }) => (type.startsWith("turn.") ? [type] : []))).toEqual([
      "turn.started",
      "turn.completed",
      "turn.started",
      "turn.completed",
    ]);
    expect(events[0]).toMatchObject({
      type: "session.started",
      sessionId: SESSION,
      agentId: "general-purpose-call_1",
      parentId: "main",
      name: "general-purpose",
      cwd: "/home/dev/shelf",
    });
    expect(new Set(events.map(({ agentId }) => agentId))).toEqual(
      new Set(["general-purpose-call_1"]),
    );
  });

  test("reads the list of a result without its call", () => {
    const late = { ...transcript, lines: transcript.lines.slice(5, 6) };
    expect(summary(decode(qwen, late)).last).toEqual({ main: BEGUN });
  });
});

test("emits a document when it changed, never twice with one id", () => {
  const reader = openReader(qwen, { kind: "document", session: SESSION }, { now: () => 0 });
  const begun: unknown = JSON.parse(fixture("qwen/0.24/todos.json"));
  const measured: unknown = JSON.parse(fixture("qwen/0.15/todos.json"));
  const events = [begun, begun, measured, begun].flatMap((file) => reader.record(file, 1));
  expect(only(events, "todo_list").map(({ items }) => items)).toEqual([BEGUN, MEASURED, BEGUN]);
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
});

describe("locations", () => {
  const machine = (env: Machine["env"]): Machine => ({
    home: "/home/dev",
    platform: "darwin",
    env,
    join: posix.join,
  });

  test("prefer the runtime directory to the home directory", () => {
    const roots = (env: Machine["env"]) =>
      qwen.locations?.(machine(env)).map(({ root, kind }) => [root, kind]);
    expect(roots({})).toEqual([
      ["/home/dev/.qwen/projects", "file"],
      ["/home/dev/.qwen/todos", "document"],
    ]);
    expect(roots({ QWEN_HOME: "/srv/q" })?.[1]).toEqual(["/srv/q/todos", "document"]);
    expect(roots({ QWEN_HOME: "/srv/q", QWEN_RUNTIME_DIR: "/run/q" })?.[0]).toEqual([
      "/run/q/projects",
      "file",
    ]);
  });

  test("identify files by their path", () => {
    const [files, documents] = qwen.locations?.(machine({})) ?? [];
    const file = (path: string) => files?.accept(path.split("/"));
    expect(file(`-home-dev-shelf/chats/${SESSION}.jsonl`)).toEqual({ session: SESSION });
    expect(file(`-home-dev-shelf/subagents/${SESSION}/agent-Explore-call_1.jsonl`)).toEqual({
      session: SESSION,
      agent: "Explore-call_1",
      parent: "main",
    });
    expect(
      file(`-home-dev-shelf/subagents/${SESSION}/agent-Explore-call_1.meta.json`),
    ).toBeUndefined();
    expect(file("-home-dev-shelf/other.jsonl")).toBeUndefined();
    expect(documents?.accept([`${SESSION}.json`])).toEqual({ session: SESSION });
    expect(documents?.accept(["x", `${SESSION}.json`])).toBeUndefined();
  });
});

test("score distinguishes its records from those of Claude Code", () => {
  const best = [stream, rejected, transcript, subagentFile, oldStream, oldTranscript].map(
    ({ lines }) => Math.max(...lines.map((line) => qwen.score(JSON.parse(line)))),
  );
  expect(best).toEqual([2, 2, 2, 2, 2, 2]);
  const claude = [
    { type: "system", subtype: "init", uuid: "u", session_id: "s", claude_code_version: "2.1.325" },
    { type: "assistant", uuid: "u", session_id: "s", message: { id: "msg_1", content: [] } },
    { type: "user", uuid: "u", session_id: "s", message: {}, tool_use_result: {} },
    { type: "user", uuid: "u", sessionId: "s", isSidechain: false, message: { content: "hi" } },
  ];
  expect(claude.map((record) => qwen.score(record))).toEqual([0, 0, 0, 0]);
});

decoderProperties(qwen, [
  stream,
  rejected,
  agents,
  transcript,
  subagentFile,
  oldStream,
  oldTranscript,
]);
