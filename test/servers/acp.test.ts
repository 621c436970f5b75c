import * as v1 from "@agentclientprotocol/sdk";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { acp } from "../../src/agents/acp/decoder.ts";
import { openReader } from "../../src/agents/common/reader.ts";
import type { StreamBody, StreamEvent } from "../../src/core/stream/events.ts";
import { createTracker, type Draft, PRESETS, type Todo } from "../../src/index.ts";
import {
  type AcpEra,
  acpEra,
  acpUpdates,
  planMessage,
  toolMessage,
} from "../../src/servers/acp/index.ts";
import { draft } from "../core/arbitrary.ts";
import { ID, type MemoryList, newList } from "../tools/call.ts";
import { fileStore } from "./sdk/file-store.ts";

/** A connection of the official SDK, with both ends in this process. */
async function connected(era: AcpEra = "v1") {
  const received: unknown[] = [];
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  const agentSide = [toClient.writable, toAgent.readable] as const;
  const clientSide = [toAgent.writable, toClient.readable] as const;
  const { agent, protocolVersion } =
    era === "v1"
      ? await connectV1(agentSide, clientSide, received)
      : await connectV2(agentSide, clientSide, received);
  expect(acpEra(protocolVersion)).toBe(era);
  return { received, context: agent.client };
}

type Side = readonly [WritableStream<Uint8Array>, ReadableStream<Uint8Array>];

async function connectV1(agentSide: Side, clientSide: Side, received: unknown[]) {
  const agent = v1
    .agent({ name: "tern" })
    .onRequest(v1.methods.agent.initialize, ({ params }) => ({
      protocolVersion: params.protocolVersion,
    }))
    .connect(v1.ndJsonStream(...agentSide));
  const client = v1
    .client({ name: "editor" })
    .onNotification(v1.methods.client.session.update, ({ params }) => void received.push(params))
    .connect(v1.ndJsonStream(...clientSide));
  onTestFinished(() => [client, agent].forEach((one) => void one.close()));
  const { protocolVersion } = await client.agent.request(v1.methods.agent.initialize, {
    protocolVersion: v1.PROTOCOL_VERSION,
  });
  return { agent, protocolVersion };
}

async function connectV2(agentSide: Side, clientSide: Side, received: unknown[]) {
  const info = { name: "test", version: "1" };
  const agent = v2
    .agent({ name: "tern" })
    .onRequest(v2.methods.agent.initialize, ({ params }) => ({
      protocolVersion: params.protocolVersion,
      info,
    }))
    .connect(v2.ndJsonStream(...agentSide));
  const client = v2
    .client({ name: "editor" })
    .onNotification(v2.methods.client.session.update, ({ params }) => void received.push(params))
    .connect(v2.ndJsonStream(...clientSide));
  onTestFinished(() => [client, agent].forEach((one) => void one.close()));
  const { protocolVersion } = await client.agent.request(v2.methods.agent.initialize, {
    protocolVersion: v2.PROTOCOL_VERSION,
    info,
  });
  return { agent, protocolVersion };
}

/** Waits until the client has received `count` messages. */
async function receivedCount(received: readonly unknown[], count: number): Promise<void> {
  await expect.poll(() => received.length).toBe(count);
}

const set = (list: MemoryList, ...todos: readonly Draft[]) =>
  list.set(todos, { policy: PRESETS.external });

/** The events that Waymark's ACP decoder reads from the sent messages. */
function readBack(received: readonly unknown[]): readonly StreamEvent[] {
  const reader = openReader(acp, { kind: "stream" }, { now: () => 0 });
  const lines = received.map((params) =>
    JSON.stringify({ jsonrpc: "2.0", method: "session/update", params }),
  );
  return [...lines.flatMap((line, index) => reader.line(line, index + 1)), ...reader.end()];
}

const TOOLS: readonly StreamBody[] = [
  { type: "tool.started", callId: "c1", name: "shell", input: { command: "npm test" } },
  { type: "tool.started", callId: "c2", name: "mcp__waymark__todos", input: { add: ["One"] } },
  { type: "tool.completed", callId: "c2", output: "1. [ ] One" },
  { type: "tool.failed", callId: "c1", output: "1 failed", exitCode: 1 },
  { type: "tool.started", name: "read_file" },
  { type: "message", role: "assistant", text: "Done" },
];

describe("ACP updates", () => {
  test("v1: sends the whole list at the start and after each change", async () => {
    const { received, context } = await connected();
    const list = newList();
    const updates = acpUpdates(list, context, "sess_1");
    await updates.settled();
    expect(received).toEqual([]);
    set(list, { text: "Read", status: "in_progress", priority: "high" }, { text: "Write" });
    await updates.settled();
    list.submit([{ op: "note", target: { text: "Read" }, text: "Only a note" }]);
    await updates.settled();
    list.submit([{ op: "finish", target: { text: "Read" } }]);
    list.submit([{ op: "start", target: { text: "Write" } }]);
    await updates.settled();
    updates.close();
    list.submit([{ op: "finish", target: { text: "Write" } }]);
    await updates.settled();
    await receivedCount(received, 2);
    const plan = (...entries: readonly unknown[]) => ({
      sessionId: "sess_1",
      update: { sessionUpdate: "plan", entries },
    });
    expect(received).toEqual([
      plan(
        { content: "Read", priority: "high", status: "in_progress" },
        { content: "Write", priority: "medium", status: "pending" },
      ),
      plan(
        { content: "Read", priority: "high", status: "completed" },
        { content: "Write", priority: "medium", status: "in_progress" },
      ),
    ]);
  });

  test("v2: sends plan_update with an id", async () => {
    const { received, context } = await connected("v2");
    const list = newList();
    set(list, { text: "A", status: "blocked" }, { text: "B", status: "cancelled" });
    const updates = acpUpdates(list, context, "sess_1", { era: "v2" });
    await updates.settled();
    list.clear();
    await updates.settled();
    await receivedCount(received, 2);
    const plan = (...entries: readonly unknown[]) => ({
      sessionId: "sess_1",
      update: { sessionUpdate: "plan_update", plan: { type: "items", planId: "todos", entries } },
    });
    expect(received).toEqual([
      plan(
        {
          content: "A",
          priority: "medium",
          status: "pending",
          _meta: { waymark: { status: "blocked" } },
        },
        { content: "B", priority: "medium", status: "cancelled" },
      ),
      plan(),
    ]);
  });

  test.each(["v1", "v2"] as const)(
    "%s: sends tool calls except those of todo tools",
    async (era) => {
      const { received, context } = await connected(era);
      const list = newList();
      const updates = acpUpdates(list, context, "sess_1", { era });
      list.observe(TOOLS);
      await updates.settled();
      await receivedCount(received, 3);
      expect(received.map((params) => (params as { update: unknown }).update)).toEqual([
        {
          sessionUpdate: era === "v1" ? "tool_call" : "tool_call_update",
          toolCallId: "c1",
          title: "npm test",
          name: "shell",
          kind: "execute",
          status: "in_progress",
        },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "c1",
          status: "failed",
          rawOutput: { exitCode: 1 },
        },
        {
          sessionUpdate: era === "v1" ? "tool_call" : "tool_call_update",
          toolCallId: "waymark-1-1",
          title: "read_file",
          name: "read_file",
          kind: "read",
          status: "in_progress",
        },
      ]);
      const [started, failed] = readBack(received);
      expect([started, failed]).toMatchObject([
        { type: "tool.started", callId: "c1", name: "shell" },
        { type: "tool.failed", callId: "c1", name: "shell", exitCode: 1 },
      ]);
    },
  );

  test.each(["v1", "v2"] as const)(
    "%s: assigns ids to calls without one, first in first out by name",
    async (era) => {
      const { received, context } = await connected(era);
      const list = createTracker().list(ID);
      const updates = acpUpdates(list, context, "sess_1", { era });
      list.observe([
        { type: "tool.started", name: "shell", input: { command: "npm test" } },
        { type: "tool.started", name: "read", input: { path: "a.ts" } },
        { type: "tool.started", name: "shell", input: { command: "npm run lint" } },
        { type: "tool.started", name: "TodoWrite", input: { todos: [] } },
        { type: "tool.completed", name: "TodoWrite" },
      ]);
      list.observe({ type: "tool.failed", name: "shell", exitCode: 1 });
      list.observe({ type: "tool.completed", name: "read" });
      list.observe({ type: "tool.completed", name: "shell" });
      list.observe({ type: "tool.completed", name: "shell" });
      await updates.settled();
      await expect.poll(() => received.length).toBe(6);
      const sent = received.map(
        (each) =>
          (each as { update: { toolCallId: string; title?: string; status: string } }).update,
      );
      const [test, read, lint] = sent.map(({ toolCallId }) => toolCallId);
      expect(new Set([test, read, lint]).size).toBe(3);
      expect(sent.map(({ toolCallId, title, status }) => [toolCallId, title, status])).toEqual([
        [test, "npm test", "in_progress"],
        [read, "read a.ts", "in_progress"],
        [lint, "npm run lint", "in_progress"],
        [test, undefined, "failed"],
        [read, undefined, "completed"],
        [lint, undefined, "completed"],
      ]);
      updates.close();
    },
  );

  test.each(["v1", "v2"] as const)("%s: lets a host send inputs and outputs itself", (era) => {
    const update = { type: "tool.updated", callId: "c1", output: "3 passed" } as const;
    const sent = [TOOLS[0], update, TOOLS[3]].map((body) => body && toolMessage(body, era));
    expect(sent).toEqual([
      {
        sessionUpdate: era === "v1" ? "tool_call" : "tool_call_update",
        toolCallId: "c1",
        title: "npm test",
        name: "shell",
        kind: "execute",
        status: "in_progress",
        rawInput: { command: "npm test" },
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "in_progress",
        content: [{ type: "content", content: { type: "text", text: "3 passed" } }],
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "failed",
        content: [{ type: "content", content: { type: "text", text: "1 failed" } }],
        rawOutput: { exitCode: 1 },
      },
    ]);
    expect(readBack(sent.map((one) => ({ sessionId: "s", update: one })))).toMatchObject([
      { type: "tool.started", callId: "c1", name: "shell", input: { command: "npm test" } },
      { type: "tool.updated", callId: "c1", name: "shell", output: "3 passed" },
      { type: "tool.failed", callId: "c1", name: "shell", output: "1 failed", exitCode: 1 },
    ]);
  });

  test("sends the final list of a file after many concurrent writes", async () => {
    const { received, context } = await connected();
    const list = createTracker({ store: await fileStore() }).list(ID);
    const updates = acpUpdates(list, context, "sess_1");
    const texts = Array.from({ length: 12 }, (_, index) => `Step ${index}`);
    await Promise.all(texts.map((text) => list.submit([{ op: "add", todos: [{ text }] }])));
    const sent = () =>
      (received.at(-1) as { update: v1.Plan } | undefined)?.update.entries.map(
        (entry) => entry.content,
      );
    await expect.poll(sent).toEqual(texts);
    updates.close();
  });

  test("reports a closed client once, and stops silently on abort", async () => {
    const errors: unknown[] = [];
    const list = newList();
    const client = { notify: () => Promise.reject(new Error("The pipe is closed.")) };
    const updates = acpUpdates(list, client, "sess_1", { onError: (error) => errors.push(error) });
    for (const text of ["A", "B", "C"]) {
      set(list, { text });
      await updates.settled();
    }
    const abort = new AbortController();
    const quiet = acpUpdates(list, client, "sess_1", {
      signal: abort.signal,
      onError: (error) => errors.push(error),
    });
    abort.abort();
    await quiet.settled();
    expect(errors).toEqual([new Error("The pipe is closed.")]);
  });
});

describe("ACP round trip", () => {
  const lists = fc.array(draft, { maxLength: 8 });
  const todosOf = (drafts: readonly Draft[]): readonly Todo[] => {
    const list = newList();
    list.set(drafts, { policy: PRESETS.external });
    return list.get();
  };
  const PLAIN = new Set(["high", "medium", "low"]);
  const expected = (todos: readonly Todo[]) =>
    todos.map(({ text, status, priority = "medium" }) => ({
      text,
      status,
      priority: PLAIN.has(priority) ? priority : "medium",
    }));

  test.each(["v1", "v2"] as const)("%s: Waymark's decoder reads the list that was sent", (era) => {
    fc.assert(
      fc.property(lists, (drafts) => {
        const todos = todosOf(drafts);
        const update = planMessage(todos, era, "todos");
        const [event, ...more] = readBack([{ sessionId: "s", update }]);
        const items = event?.type === "todo_list" ? event.items : undefined;
        const known = era === "v1" ? todos.filter(({ status }) => status !== "cancelled") : todos;
        expect([items, more]).toEqual([expected(known), []]);
      }),
      { numRuns: 500 },
    );
  });
});
