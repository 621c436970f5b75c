import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { createTracker } from "../../../src/index.ts";
import { withWaymark } from "../../../src/sdk/ai.ts";
import { anthropicSession } from "../../../src/sdk/anthropic.ts";
import { langchainMiddleware } from "../../../src/sdk/langchain.ts";
import { chatSession, responsesSession } from "../../../src/sdk/openai-session.ts";
import type { SessionTracker } from "../../../src/sdk/session.ts";
import type { ToolboxOptions } from "../../../src/tools/toolbox.ts";

/** A call of a list tool in an earlier conversation, and its result. */
interface Past {
  readonly name: string;
  readonly input: unknown;
  readonly answer: string;
  readonly failed?: boolean;
}

type Conversation = (
  tracker: SessionTracker,
  past: readonly Past[],
  tools?: ToolboxOptions,
) => Promise<readonly unknown[]>;

const CONVERSATIONS: Readonly<Record<string, Conversation>> = {
  anthropic: (tracker, past, tools) =>
    anthropicSession(tracker, tools && { tools }).before([
      { role: "user", content: "Fix it" },
      ...past.flatMap(({ name, input, answer, failed = false }, index) => [
        { role: "assistant", content: [{ type: "tool_use", id: `c${index}`, name, input }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: `c${index}`, content: answer, is_error: failed },
          ],
        },
      ]),
      { role: "user", content: "Go on" },
    ]),
  "openai chat": (tracker, past, tools) =>
    chatSession(tracker, tools && { tools }).before([
      { role: "user", content: "Fix it" },
      ...past.flatMap(({ name, input, answer }, index) => [
        {
          role: "assistant",
          tool_calls: [
            {
              id: `c${index}`,
              type: "function" as const,
              function: { name, arguments: JSON.stringify(input) },
            },
          ],
        },
        { role: "tool", tool_call_id: `c${index}`, content: answer },
      ]),
      { role: "user", content: "Go on" },
    ]),
  "openai responses": (tracker, past, tools) =>
    responsesSession<unknown>(tracker, tools && { tools }).before([
      { type: "message", role: "user", content: "Fix it" },
      ...past.flatMap(({ name, input, answer }, index) => [
        { type: "function_call", call_id: `c${index}`, name, arguments: JSON.stringify(input) },
        { type: "function_call_output", call_id: `c${index}`, output: answer },
      ]),
      { type: "message", role: "user", content: "Go on" },
    ]),
  "ai sdk": async (tracker, past, tools) => {
    const messages: ModelMessage[] = [
      { role: "user", content: "Fix it" },
      ...past.flatMap(({ name, input, answer, failed }, index): ModelMessage[] => {
        const ids = { toolCallId: `c${index}`, toolName: name };
        const type = failed ? ("error-text" as const) : ("text" as const);
        return [
          { role: "assistant", content: [{ type: "tool-call", ...ids, input }] },
          {
            role: "tool",
            content: [{ type: "tool-result", ...ids, output: { type, value: answer } }],
          },
        ];
      }),
      { role: "user", content: "Go on" },
    ];
    return (await withWaymark(tracker, tools && { tools }).prepareStep({ messages })).messages;
  },
  langchain: async (tracker, past, tools) => {
    const messages = [
      { type: "human", content: "Fix it" },
      ...past.flatMap(({ name, input, answer, failed }, index) => [
        { type: "ai", content: "", tool_calls: [{ id: `c${index}`, name, args: input }] },
        {
          type: "tool",
          content: answer,
          tool_call_id: `c${index}`,
          ...(failed && { status: "error" }),
        },
      ]),
      { type: "human", content: "Go on" },
    ];
    const middleware = langchainMiddleware(
      tracker,
      {
        tool: () => ({}),
        HumanMessage: class {
          readonly type = "human";
          readonly content: string;
          constructor(content: string) {
            this.content = content;
          }
        },
        createMiddleware: (config) => config,
      },
      tools && { tools },
    );
    return middleware.wrapModelCall({ messages }, ({ messages: sent }) => sent);
  },
};

const PAST: readonly Past[] = [
  {
    name: "todos",
    input: { todos: [{ text: "Read", status: "in_progress" }, { text: "Fix" }, { text: "Test" }] },
    answer: '1 [>] "Read"\n2 [ ] "Fix"\n3 [ ] "Test"\n0 of 3 done.',
  },
  { name: "todos", input: { finish: ["1"], start: "2" }, answer: '1 [x] "Read"\n2 [>] "Fix"' },
  {
    name: "todos",
    input: { todos: "none" },
    answer: "todos must be an array. Nothing was changed.",
    failed: true,
  },
  {
    name: "todos",
    input: { todos: [{ text: "Refused by an earlier version" }] },
    answer: "Nothing was changed. todos: not a list.",
    failed: true,
  },
];

const newTracker = () => createTracker();

const texts = (tracker: ReturnType<typeof newTracker>) =>
  tracker.own.read().todos.map(({ id, text, status }) => `${id} ${text}: ${status}`);

describe.each(Object.entries(CONVERSATIONS))(
  "%s: a conversation with earlier list calls",
  (...given) => {
    const [, open] = given;

    test("restores the open todos with their ids and does not remind of a missing list", async () => {
      const tracker = newTracker();
      const sent = await open(tracker, PAST);
      expect(texts(tracker)).toEqual(["2 Fix: in_progress", "3 Test: pending"]);
      expect(JSON.stringify(sent)).not.toContain("no todo list");
      expect(tracker.own.read().refused).toBeUndefined();
    });

    test("does not change a known list", async () => {
      const tracker = newTracker();
      tracker.own.set([{ text: "Mine", status: "pending" }]);
      await open(tracker, PAST);
      expect(texts(tracker)).toEqual(["1 Mine: pending"]);
    });

    test("restores nothing from refused calls or a finished list", async () => {
      const tracker = newTracker();
      await open(tracker, PAST.slice(2));
      await open(tracker, [
        ...PAST.slice(0, 2),
        {
          name: "todos",
          input: { finish: ["2", "3"] },
          answer: "3 of 3 done, 0 verified. The list is finished.",
        },
      ]);
      expect(texts(tracker)).toEqual([]);
    });

    test("reads Hermes calls, whose results have the list", async () => {
      const tracker = newTracker();
      const todos = [
        { id: "a", content: "Read", status: "completed" },
        { id: "b", content: "Fix", status: "in_progress" },
      ];
      const past = [{ name: "todo", input: { todos }, answer: JSON.stringify({ todos }) }];
      await open(tracker, past, { tools: ["todo"] });
      expect(tracker.own.read().todos.map(({ ref, text }) => `${ref} ${text}`)).toEqual(["b Fix"]);
    });
  },
);
