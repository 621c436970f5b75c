import { describe, expect, test } from "vitest";
import { createTracker } from "../../../src/index.ts";
import { openSession } from "../../../src/sdk/session.ts";
import { type MessageFormat, type ParsedMessage, parsedMessage } from "../../../src/sdk/thread.ts";
import { fileStore } from "./file-store.ts";

/** Messages in the common format. */
const SHAPE: MessageFormat<ParsedMessage> = {
  read: (message) => message,
  create: (text) => user(text),
};
const user = (text: string) => parsedMessage("user", { text });
const answer = (id: string, name: string, input: unknown = {}) =>
  parsedMessage("assistant", { calls: [{ id, name, input }] });
const result = (id: string, output = "ok") =>
  parsedMessage("tool", { results: [{ id, output, failed: false }] });
const WRITE = { todos: [{ text: "Fix", status: "in_progress" }, { text: "Test" }] };

const guidance = { off: ["introduction", "initial", "empty"] as const };

async function withList() {
  const tracker = createTracker({ guidance });
  const session = openSession(tracker, SHAPE);
  const messages = [user("Go")];
  await session.before(messages);
  await session.tools[0]?.execute(WRITE, { key: "w" });
  messages.push(answer("w", "todos", WRITE), result("w"));
  return { tracker, session, messages };
}

describe("a conversation", () => {
  test("an inserted message keeps its position while messages are appended", async () => {
    const { session, messages } = await withList();
    await session.before(messages);
    const cut = [user("A summary"), answer("x", "look"), result("x")];
    const sent = await session.before(cut);
    expect(sent.slice(0, 3)).toEqual(cut);
    expect(sent).toHaveLength(4);
    const later = [...cut, answer("y", "look"), result("y")];
    const [, , , inserted] = sent;
    expect(await session.before(later)).toEqual([...cut, inserted, ...later.slice(3)]);
  });

  test("a host may keep inserted messages among its own", async () => {
    const { tracker, session, messages } = await withList();
    await session.before(messages);
    const kept = await session.before([user("A summary"), answer("x", "look"), result("x")]);
    const again = [...kept, answer("y", "look"), result("y")];
    expect(await session.before(again)).toEqual(again);
    expect(tracker.own.read().activity?.counts).toMatchObject({ turns: 1, tools: 1 });
  });

  test("reminds a new conversation of an open list once", async () => {
    const { tracker } = await withList();
    const next = openSession(tracker, SHAPE);
    const sent = await next.before([user("Go on")]);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.text).toContain('[>] "Fix"');
    const later = [user("Go on"), answer("x", "look"), result("x")];
    expect(await next.before(later)).toEqual([user("Go on"), sent[1], ...later.slice(1)]);
  });

  test("does not remind of a list that the messages show", async () => {
    const { tracker, messages } = await withList();
    const next = openSession(tracker, SHAPE);
    expect(await next.before([...messages, user("Go on")])).toEqual([...messages, user("Go on")]);
    expect(tracker.own.read().activity?.counts).toMatchObject({ turns: 2, tools: 0 });
  });

  test("records nothing twice when a request is sent again", async () => {
    const { tracker, session, messages } = await withList();
    messages.push(answer("x", "look"), result("x"));
    await session.before(messages);
    const before = tracker.own.read();
    await session.before(messages);
    expect(tracker.own.read()).toEqual(before);
  });

  test("counts an answer in several items as one step, and one that wrote the list not again", async () => {
    const { tracker, session, messages } = await withList();
    messages.push(answer("x", "look"), answer("y", "look"), result("x"), result("y"));
    await session.before(messages);
    const { guide, activity } = tracker.own.read();
    expect([guide?.steps, guide?.wroteAt, activity?.counts.tools]).toEqual([2, 1, 2]);
  });

  test("applies parallel calls in order on an asynchronous store", async () => {
    const tracker = createTracker({ store: await fileStore(), session: "s", guidance });
    const { tools, before } = openSession(tracker, SHAPE);
    await before([user("Go")]);
    const texts = Array.from({ length: 12 }, (_, index) => `Step ${index}`);
    await Promise.all(
      texts.map((text, index) => tools[0]?.execute({ add: [text] }, { key: `k${index}` })),
    );
    expect((await tracker.own.get()).map(({ text }) => text)).toEqual(texts);
    expect((await tracker.own.read()).guide?.steps).toBe(1);
  });

  test("does not remind a model without the list tool", async () => {
    const { tracker } = await withList();
    const subagent = openSession(tracker, SHAPE, { tools: { subagent: true } });
    const messages = [user("Go"), answer("x", "look"), result("x")];
    expect([subagent.tools, await subagent.before(messages)]).toEqual([[], messages]);
  });

  test("reads the exit codes of commands", async () => {
    const { tracker, session, messages } = await withList();
    messages.push(
      answer("x", "shell", { command: "npm test" }),
      parsedMessage("tool", {
        results: [{ id: "x", output: "1 failed", failed: false, exitCode: 1 }],
      }),
    );
    await session.before(messages);
    expect(tracker.own.read().activity?.recent).toMatchObject([
      { name: "shell", label: "npm test", ok: false, exitCode: 1 },
    ]);
  });
});
