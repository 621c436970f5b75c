import { describe, expect, test } from "vitest";
import { detectAgent } from "../../src/agents/index.ts";
import { langchain } from "../../src/agents/langchain/decoder.ts";
import {
  decode,
  decoderProperties,
  only,
  recording,
  summary,
  tools,
} from "./decoder-properties.ts";

const messages = recording("langchain/messages.jsonl", { kind: "stream" });
const updates = recording("langchain/updates.jsonl", { kind: "stream" });
const deepagents = recording("langchain/deepagents.jsonl", { kind: "stream" });

describe("LangChain", () => {
  decoderProperties(langchain, [messages, updates, deepagents]);

  test("reads messages", () => {
    const events = decode(langchain, messages);
    expect(summary(events)).toEqual({
      lists: 1,
      rejected: ["Error: one call per turn", "Error: one call per turn"],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "in_progress" },
          { text: "Write the export", status: "pending" },
        ],
      },
    });
    expect(tools(events)).toEqual(["tool.started search", "tool.completed search"]);
  });

  test("reads updates and the states after them once", () => {
    expect(summary(decode(langchain, updates))).toEqual({
      lists: 2,
      rejected: [],
      other: [],
      last: { main: [{ text: "Read the report", status: "completed" }] },
    });
  });

  test("deepagents: a state repeats its messages and its list, a subagent has its own", () => {
    const events = decode(langchain, deepagents);
    expect(summary(events)).toEqual({
      lists: 2,
      rejected: [
        "Error invoking tool 'write_todos'",
        "Error: write_todos is not a valid tool",
        "Error: never in parallel",
        "Error: never in parallel",
      ],
      other: [],
      last: {
        main: [
          { text: "Read the report", status: "completed" },
          { text: "Write the export", status: "in_progress" },
        ],
      },
    });
    expect(tools(events)).toEqual(["tool.started task", "tool.completed task"]);
    expect(only(events, "turn.started", "turn.completed").map((event) => event.agentId)).toEqual([
      "main",
      "tools:d6b1f914",
      "tools:d6b1f914",
      "main",
    ]);
    expect(only(events, "session.started")).toMatchObject([{ parentId: "main" }]);
  });

  test.each([messages, updates, deepagents])("$name: is detected", ({ lines }) => {
    const detected = detectAgent(lines.map((line) => JSON.parse(line)));
    expect(detected?.decoder.id).toBe("langchain");
  });

  test("a list that is emptied later is empty", () => {
    const empty = JSON.stringify([[], "values", { messages: [], todos: [] }]);
    const lines = [...updates.lines, empty];
    expect(summary(decode(langchain, { ...updates, lines })).last).toEqual({ main: [] });
    expect(summary(decode(langchain, { ...updates, lines: [empty] })).lists).toBe(0);
  });
});
