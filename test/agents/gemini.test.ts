import { posix, win32 } from "node:path";
import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import { gemini, projectFolder, projectsFile } from "../../src/agents/gemini/decoder.ts";
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

const SESSION = "5b0f3c1e-7a34-4c55-9d0e-2f1a6b7c8d90";
const AGENT = "97cd373d-db2a-4832-bb0d-a9e63118bd00";

const stream = recording("gemini/0.61/stream.jsonl", { kind: "stream" });
const rejected = recording("gemini/0.61/stream-rejected.jsonl", { kind: "stream" });
const tracker = recording("gemini/0.61/stream-tracker.jsonl", { kind: "stream" });
const native = recording("gemini/0.61/stream-native.jsonl", { kind: "stream" });
const chat = recording("gemini/0.61/chat.jsonl", { kind: "file" });
const parent = recording("gemini/0.61/chat-parent.jsonl", { kind: "file" });
const trackerChat = recording("gemini/0.61/chat-tracker.jsonl", { kind: "file" });
const plan = recording("gemini/0.61/chat-plan.jsonl", { kind: "file" });
const subagent = recording("gemini/0.61/chat-subagent.jsonl", {
  kind: "file",
  session: SESSION,
  agent: AGENT,
  parent: "main",
});

const LAST: readonly StreamItem[] = [
  { text: "Measure the room", status: "completed" },
  { text: "Order the wood", status: "cancelled" },
  { text: "Build the shelf", status: "blocked" },
];

describe("stream", () => {
  test("accepts a list with its result, in any order of results", () => {
    const events = decode(gemini, stream);
    const [first, ...others] = only(events, "todo_list");
    expect(first).toEqual({
      type: "todo_list",
      eventId: `${SESSION}:main:todo_list:write_todos__write_todos_1794770000001_0`,
      sessionId: SESSION,
      agentId: "main",
      agentType: "gemini",
      timestamp: Date.parse("2026-11-15T09:00:08.056Z"),
      todoId: `${SESSION}-main`,
      items: [
        { text: "Measure the room", status: "in_progress" },
        { text: "Order the wood", status: "pending" },
        { text: "Build the shelf", status: "pending" },
      ],
    });
    expect(others.map(({ items }) => items.map(({ status }) => status))).toEqual([
      ["completed", "in_progress", "pending"],
      ["completed", "cancelled", "blocked"],
    ]);
    expect(summary(events)).toEqual({ lists: 3, rejected: [], other: [], last: { main: LAST } });
  });

  test("reads other tools, message chunks and the turn", () => {
    const events = decode(gemini, stream);
    expect(tools(events)).toEqual([
      "tool.started run_shell_command",
      "tool.completed run_shell_command",
      "tool.started read_file",
      "tool.failed read_file",
    ]);
    expect(
      only(events, "session.started", "turn.started", "message", "turn.completed").map(
        ({ type, ...rest }) => [
          type,
          "model" in rest && rest.model,
          "prompt" in rest && rest.prompt,
          "text" in rest && rest.text,
        ],
      ),
    ).toEqual([
      ["session.started", "gemini-2.5-pro", false, false],
      ["turn.started", false, "Plan the shelf", false],
      ["message", false, false, "First I measure."],
      ["turn.completed", false, false, false],
    ]);
  });

  test("ignores refused writes and clears an empty list", () => {
    const events = decode(gemini, rejected);
    expect(summary(events)).toEqual({
      lists: 1,
      rejected: [
        "only one may be in progress",
        "status not allowed",
        "description is missing",
        "must be array",
        "todos is missing",
        "empty description",
        `${"x".repeat(199)}…`,
        'Tool "write_todos" not found.',
      ],
      other: [],
      last: { main: [] },
    });
    expect(tools(events)).toEqual([]);
    expect(only(events, "turn.failed").map(({ message }) => message)).toEqual(["too many turns"]);
  });

  test("builds one list from tracker calls and does not guess what the stream hides", () => {
    const events = decode(gemini, tracker);
    expect(summary(events)).toEqual({
      lists: 5,
      rejected: ["Dependency not found.", "0f9e8d is still in progress"],
      other: ["list_unknown", "list_unknown", "list_unknown"],
      last: {
        main: [
          { text: "Shelf", status: "in_progress", id: "a1b2c3", notes: ["The whole of it"] },
          { text: "Measure", status: "completed", raw: "closed", parent: "a1b2c3", notes: ["d1"] },
          { text: "Saw", status: "completed", raw: "closed", parent: "a1b2c3", notes: ["d2"] },
        ],
      },
    });
    expect(tools(events)).toEqual([]);
  });

  test("reads Waymark's tool over MCP: whole lists, changes, refusals", () => {
    const events = decode(gemini, native);
    expect(only(events, "todo_list").map(({ items }) => items)).toEqual([
      [
        { text: "Measure", status: "in_progress", activeText: "Measuring", id: "1" },
        { text: "Saw", status: "pending", id: "2" },
      ],
      [
        { text: "Measure", status: "completed", activeText: "Measuring", id: "1" },
        { text: "Saw", status: "in_progress", id: "2" },
        { text: "Paint", status: "pending", id: "3" },
      ],
    ]);
    expect(summary(events).rejected).toEqual(['Nothing was changed. "text" is missing.']);
    expect(tools(events)).toEqual(["tool.started mcp_other_list", "tool.completed mcp_other_list"]);
  });

  test("knows the list after a change to an unseen list if the answer shows all of it", () => {
    const [call, answer] = native.lines.slice(6, 8);
    const late = (line = "") => summary(decode(gemini, { ...native, lines: [call ?? "", line] }));
    expect(late(answer).last.main).toEqual([
      { text: "Measure", status: "completed", id: "1" },
      { text: "Paint", status: "pending", id: "3" },
      { text: "Saw", status: "in_progress", id: "2" },
    ]);
    expect(late(answer?.replace("(1/3", "(1/5"))).toEqual({
      lists: 0,
      rejected: [],
      other: ["list_unknown"],
      last: {},
    });
  });
});

describe("chat file", () => {
  test("reports messages once that are written twice or rewritten", () => {
    const events = decode(gemini, chat);
    expect(only(events, "todo_list").map(({ eventId }) => eventId.split(":").at(-1))).toEqual([
      "write_todos_1",
      "write_todos_3",
      "write_todos_7",
    ]);
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: ["must be array", "the call was cancelled"],
      other: [],
      last: { main: LAST },
    });
    expect(tools(events)).toEqual([
      "tool.started run_shell_command",
      "tool.failed run_shell_command 2",
      "tool.started run_shell_command",
      "tool.completed run_shell_command 0",
    ]);
    expect(events.flatMap(({ type }) => (/^(?:session|turn)/.test(type) ? [type] : []))).toEqual([
      "session.started",
      "turn.started",
      "turn.completed",
      "turn.started",
      "turn.completed",
      "session.compacted",
      "turn.started",
      "turn.failed",
    ]);
    expect(only(events, "message").map(({ text }) => text)).toEqual([
      "First I measure.",
      "Shall I go on?",
    ]);
  });

  test("a rewritten history never restores an old list, however long it is", () => {
    const call = (index: number) => ({
      id: `c-${index}`,
      name: "write_todos",
      args: {},
      status: "success",
      timestamp: new Date(1_790_000_000_000 + index * 1_000).toISOString(),
      resultDisplay: { todos: [{ description: `Step ${index}`, status: "pending" }] },
    });
    const messages = Array.from({ length: 1_500 }, (_, index) => ({
      id: `m-${index}`,
      timestamp: "2026-11-15T09:00:00.000Z",
      type: "gemini",
      content: "",
      toolCalls: [call(index)],
    }));
    const reader = openReader(gemini, { kind: "file" }, { now: () => 0 });
    const first = messages.flatMap((message, index) => reader.record(message, index + 1));
    expect(only(first, "todo_list").length).toBe(1_500);
    expect(reader.record({ $set: { messages } }, 1_501)).toEqual([]);
  });

  test("warns that the list is unknown after a rewind", () => {
    const rewound = { ...chat, lines: [...chat.lines, '{"$rewindTo":"p-1"}'] };
    expect(summary(decode(gemini, rewound)).other).toEqual(["list_unknown"]);
  });

  test("reads ids, parents and links of the tracker and ignores reads", () => {
    const events = decode(gemini, trackerChat);
    expect(summary(events)).toEqual({
      lists: 5,
      rejected: ["Dependency not found.", "ffffff was not found"],
      other: [],
      last: {
        main: [
          {
            text: "Shelf",
            status: "pending",
            raw: "open",
            id: "a1b2c3",
            notes: ["The whole of it"],
          },
          {
            text: "Measure",
            status: "completed",
            raw: "closed",
            id: "0f9e8d",
            parent: "a1b2c3",
            notes: ["d1"],
          },
          {
            text: "Saw (by hand)",
            status: "blocked",
            id: "d4e5f6",
            parent: "a1b2c3",
            blockedBy: ["0f9e8d"],
            notes: ["d2"],
          },
          { text: "Left over", status: "in_progress", id: "777777" },
        ],
      },
    });
    expect(tools(events)).toEqual([]);
  });

  test("gives a subagent its own list in the session of its parent", () => {
    const events = [...decode(gemini, parent), ...decode(gemini, subagent)];
    expect(summary(events).last).toEqual({
      main: [
        { text: "Delegate", status: "completed" },
        { text: "Merge", status: "completed" },
      ],
      [AGENT]: [
        { text: "Part one", status: "completed" },
        { text: "Part two", status: "completed" },
      ],
    });
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([SESSION]));
    expect(
      only(events, "session.started").map(({ agentId, parentId, name, cwd }) => [
        agentId,
        parentId,
        name,
        cwd,
      ]),
    ).toEqual([
      ["main", undefined, undefined, undefined],
      [AGENT, "main", "generalist", undefined],
      [AGENT, "main", undefined, "/home/dev/shelf"],
    ]);
    expect(only(events, "turn.completed").map(({ agentId }) => agentId)).toEqual([AGENT]);
  });

  test("reads a plan: its file, a rejection with a comment, the approval", () => {
    const events = decode(gemini, plan);
    expect(
      events.flatMap(({ eventId, sessionId, agentId, agentType, timestamp, ...body }) =>
        /^(?:plan|mode)/.test(body.type) ? [body] : [],
      ),
    ).toEqual([
      { type: "mode.changed", mode: "plan" },
      { type: "plan.proposed", planId: "shelf.md", text: "# Shelf\n- [ ] Saw", path: "shelf.md" },
      { type: "plan.decided", planId: "shelf.md", decision: "rejected", comment: "measure first" },
      {
        type: "plan.proposed",
        planId: "shelf.md",
        text: "# Shelf\n- [ ] Measure\n- [ ] Saw",
        path: "shelf.md",
      },
      { type: "plan.decided", planId: "shelf.md", decision: "approved" },
      { type: "mode.changed", mode: "work" },
    ]);
    expect(tools(events)).toEqual([
      "tool.started write_file",
      "tool.completed write_file",
      "tool.started replace",
      "tool.completed replace",
    ]);
  });
});

describe("documents", () => {
  const file = (name: string): unknown => JSON.parse(fixture(`gemini/0.61/tracker/${name}.json`));

  test("builds the list from all files of the tracker", () => {
    const reader = openReader(gemini, { kind: "document", session: SESSION }, { now: () => 0 });
    const read = (name: string) => reader.record(file(name), 1);
    const events = [...read("0f9e8d"), ...read("a1b2c3"), ...read("d4e5f6"), ...read("a1b2c3")];
    expect(summary(events)).toEqual({
      lists: 3,
      rejected: [],
      other: [],
      last: {
        main: [
          {
            text: "Measure",
            status: "completed",
            raw: "closed",
            id: "0f9e8d",
            parent: "a1b2c3",
            notes: ["d1"],
          },
          { text: "Shelf", status: "in_progress", id: "a1b2c3", notes: ["The whole of it"] },
          {
            text: "Saw",
            status: "pending",
            raw: "open",
            id: "d4e5f6",
            parent: "a1b2c3",
            blockedBy: ["0f9e8d"],
            notes: ["d2"],
          },
        ],
      },
    });
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  });

  test("reads a chat in one document", () => {
    const reader = openReader(gemini, { kind: "document" }, { now: () => 0 });
    const events = reader.record(JSON.parse(fixture("gemini/document/session.json")), 1);
    expect(summary(events).lists).toBe(2);
    expect(summary(events).last.main?.map(({ status }) => status)).toEqual([
      "completed",
      "in_progress",
      "pending",
    ]);
    expect(events[0]).toMatchObject({ type: "session.started", sessionId: SESSION });
  });

  test("maps projects to directories", () => {
    const map: unknown = JSON.parse(fixture("gemini/0.61/projects.json"));
    expect(["shelf", "shelf-1", "lamp"].map((name) => projectFolder(map, name))).toEqual([
      "/home/dev/shelf",
      "/home/dev/work/shelf",
      undefined,
    ]);
    expect(projectFolder({ projects: "no" }, "shelf")).toBeUndefined();
  });
});

describe("locations", () => {
  const machine = (env: Machine["env"]): Machine => ({
    home: "/home/dev",
    platform: "linux",
    env,
    join: posix.join,
  });

  test("are below the home directory or GEMINI_CLI_HOME", () => {
    const roots = (on: Machine) => gemini.locations?.(on).map(({ root, kind }) => [root, kind]);
    expect(roots(machine({}))).toEqual([
      ["/home/dev/.gemini/tmp", "file"],
      ["/home/dev/.gemini/tmp", "document"],
      ["/home/dev/.gemini/tmp", "document"],
    ]);
    expect(projectsFile(machine({ GEMINI_CLI_HOME: "/srv/g" }))).toBe(
      "/srv/g/.gemini/projects.json",
    );
    const windows: Machine = {
      home: "C:\\Users\\dev",
      platform: "win32",
      env: {},
      join: win32.join,
    };
    expect(roots(windows)?.[0]).toEqual(["C:\\Users\\dev\\.gemini\\tmp", "file"]);
  });

  test("identify files by their path", () => {
    const locations = gemini.locations?.(machine({})) ?? [];
    const accept = (path: string) => locations.map((location) => location.accept(path.split("/")));
    expect(accept("shelf/chats/session-2026-11-15T09-00-5b0f3c1e.jsonl")).toEqual([
      {},
      undefined,
      undefined,
    ]);
    expect(accept(`shelf/chats/${SESSION}/${AGENT}.jsonl`)).toEqual([
      { session: SESSION, agent: AGENT, parent: "main" },
      undefined,
      undefined,
    ]);
    expect(accept("shelf/chats/session-2026-11-15T09-00-5b0f3c1e.json")).toEqual([
      undefined,
      undefined,
      {},
    ]);
    expect(accept(`shelf/${SESSION}/tracker/0f9e8d.json`)).toEqual([
      undefined,
      { session: SESSION },
      undefined,
    ]);
    for (const other of ["shelf/logs.json", "shelf/chats/x.txt", `shelf/${SESSION}/tracker/x.json`])
      expect(accept(other)).toEqual([undefined, undefined, undefined]);
  });
});

test("score recognizes its own records", () => {
  const sniffed = [stream, rejected, chat, subagent, trackerChat].map(({ lines }) =>
    Math.max(...lines.map((line) => gemini.score(JSON.parse(line)))),
  );
  expect(sniffed).toEqual([2, 2, 2, 2, 2]);
  const others = [
    { type: "system", subtype: "init", session_id: "s", claude_code_version: "2.1.325" },
    { type: "tool_use", sessionID: "ses_1", part: { tool: "todowrite" } },
    { type: "result", subtype: "success", is_error: false },
    { type: "message", id: "m", parentId: null, timestamp: "t", message: { role: "user" } },
    { type: "thread.started", thread_id: "t" },
  ];
  expect(others.map((record) => gemini.score(record))).toEqual([0, 0, 0, 0, 0]);
});

decoderProperties(gemini, [
  stream,
  rejected,
  tracker,
  native,
  chat,
  parent,
  subagent,
  trackerChat,
  plan,
]);
