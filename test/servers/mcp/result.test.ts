import { expect, it } from "vitest";
import { modelText } from "../../../src/core/text/model-text.ts";
import { callResult } from "../../../src/servers/mcp/result.ts";
import { findTool } from "../../../src/tools/index.ts";
import type { ToolResult } from "../../../src/tools/run.ts";
import type { Tool } from "../../../src/tools/tool.ts";

function toolNamed(name: string): Tool {
  const found = findTool(name, {});
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

const NONE = { id: undefined, inText: false };
const result = (data: unknown, text = modelText`1 [x] One`): ToolResult => ({
  ok: true,
  text,
  data,
  rejected: [],
});

it("the data repeats nothing of the text and has everything else", () => {
  const data = { changed: [{ id: "1" }], current: { id: "1" }, next: null, progress: { total: 1 } };
  expect(callResult(toolNamed("todos"), result(data), { list: NONE })).toEqual({
    content: [{ type: "text", text: "1 [x] One" }],
    structuredContent: { text: "1 [x] One", changed: [{ id: "1" }], progress: { total: 1 } },
  });
});

it("appends a reminder to the text and to the data of an answer", () => {
  const reminder = modelText`Nothing was checked.`;
  const both = callResult(toolNamed("todos"), result({ changed: [] }), {
    list: NONE,
    reminder,
  });
  expect(both).toEqual({
    content: [{ type: "text", text: "1 [x] One\n\nNothing was checked." }],
    structuredContent: { text: "1 [x] One\n\nNothing was checked.", changed: [] },
  });
  const hermes = callResult(toolNamed("todo"), result({ todos: [] }, modelText`{"todos":[]}`), {
    list: NONE,
    reminder,
  });
  expect(hermes).toEqual({
    content: [{ type: "text", text: JSON.stringify({ todos: [], reminder }) }],
    structuredContent: { todos: [], reminder },
  });
});

it("a refusal is an error with a text and without data", () => {
  const refused: ToolResult = { ok: false, text: modelText`No.`, data: null, rejected: [] };
  const list = { id: "mcp-1", inText: false };
  expect(callResult(toolNamed("todos"), refused, { list })).toEqual({
    content: [{ type: "text", text: "No." }],
    isError: true,
  });
});

it("the id of a list is in _meta, and in the text for stateless clients", () => {
  const tool = toolNamed("todos");
  const quiet = callResult(tool, result({ todos: [] }), { list: { id: "mcp-1", inText: false } });
  expect(quiet._meta).toEqual({ "waymark/list": "mcp-1" });
  expect(JSON.stringify([quiet.content, quiet.structuredContent])).not.toContain("mcp-1");
  const received = callResult(tool, result({ todos: [] }), { list: { id: "mcp-1", inText: true } });
  const text =
    '1 [x] One\n\nSend "list":"mcp-1" with your next calls: it connects them to this list and to your claims.';
  expect(received).toEqual({
    content: [{ type: "text", text }],
    structuredContent: { text, todos: [], list: "mcp-1" },
    _meta: { "waymark/list": "mcp-1" },
  });
});
