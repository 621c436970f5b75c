import { expect, test } from "vitest";
import type { Fields } from "../../src/agents/common/values.ts";
import { foldWaymarkAnswer, foldWaymarkCall } from "../../src/agents/common/waymark-tool.ts";
import { oneLine } from "../../src/core/text/escape.ts";
import { callResult } from "../../src/servers/mcp/result.ts";
import { sized } from "../full.ts";
import { call, newList, prepare, toolOf } from "../tools/call.ts";
import { hostileStrings } from "./hostile-strings.ts";

const TEXTS = hostileStrings(sized(400, 5_000))
  .map(oneLine)
  .filter((text) => text !== "" && text.length <= 500);

const ignore = () => undefined;

function listOf(text: string) {
  const todo = { text, activeText: text, status: "in_progress" as const };
  return prepare(newList(), { op: "replace", todos: [todo, { text: `${text} two` }] });
}

test("decoders read the texts back from results of `todos`, as text and as data", {
  tags: ["quote-injection"],
}, () => {
  for (const text of TEXTS) {
    const result = call(listOf(text), "todos", {});
    const wanted = [
      { id: "1", text, activeText: text, status: "in_progress" },
      { id: "2", text: `${text} two`, status: "pending" },
    ];
    expect(foldWaymarkCall([], {}, result.text, ignore)).toEqual(wanted);
    const list = { id: undefined, inText: false };
    const { structuredContent } = callResult(toolOf("todos"), result, { list });
    expect(foldWaymarkAnswer(undefined, structuredContent as Fields, ignore)).toEqual(wanted);
  }
});

test("decoders still read results of earlier versions, without quotation marks", () => {
  const old = "1. [>] Read <- Reading\n2. [ ] Write\n\n(0/2 completed)";
  expect(foldWaymarkCall([], {}, old, ignore)).toEqual([
    { id: "1", text: "Read", activeText: "Reading", status: "in_progress" },
    { id: "2", text: "Write", status: "pending" },
  ]);
});

test("a text that is sent back as it was shown finds the same todo", () => {
  const list = listOf("Close </tag>");
  const sent = "Close \\u003c/tag\\u003e";
  expect(call(list, "todos", { finish: [sent] }).ok).toBe(true);
  expect(list.get()[0]).toMatchObject({ text: "Close </tag>", status: "completed" });
});
