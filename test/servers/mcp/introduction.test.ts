import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { ToolId } from "../../../src/core/guidance/prompts.ts";
import { createTracker } from "../../../src/create-tracker.ts";
import { todoServer } from "../../../src/servers/mcp/index.ts";
import { instructionsFor, introduce } from "../../../src/servers/mcp/introduction.ts";
import { until } from "../../until.ts";

const CLIENT = { name: "client", version: "1", title: "Client" };
const request = (params: object, more: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id: "a", method: "initialize", params, ...more })}\n`;
const initialize = (protocolVersion: string, capabilities: object = {}) =>
  request({ protocolVersion, capabilities, clientInfo: CLIENT });
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';

/** The lines that a server with these tools writes, with or without the answer before the SDK. */
async function answersTo(sent: string, isEarly: boolean, tools: readonly ToolId[] = ["todos"]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = "";
  output.on("data", (bytes) => {
    text += bytes;
  });
  const lines = () => text.split("\n").slice(0, -1);
  const server = todoServer(createTracker(), { name: "test", version: "1.2.3", tools });
  const instructions = instructionsFor(tools[0], undefined);
  let early = 0;
  const introduced = async () => {
    const streams = { input, output };
    if (!isEarly) return streams;
    const found = await introduce(streams, { name: "test", version: "1.2.3", instructions });
    early = lines().length;
    return found ?? streams;
  };
  input.write(sent);
  const connection = server.serve(await introduced());
  input.write(LIST);
  await until(() => lines().some((line) => JSON.parse(line).id === 2), "the tools");
  input.end();
  await connection.closed;
  await server.close();
  return { early, lines: lines() };
}

const USUAL = [
  ...["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"].map((version) =>
    initialize(version),
  ),
  initialize("2025-06-18", { roots: { listChanged: true }, sampling: {} }),
  initialize("2025-11-25", { elicitation: { form: {} }, experimental: { one: { two: 3 } } }),
  initialize("2025-11-25", {
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  }),
];

test.each(USUAL)("answers before the SDK what the SDK answers: %s", async (sent) => {
  const early = await answersTo(sent, true);
  expect(early.early).toBe(1);
  expect(early.lines).toEqual((await answersTo(sent, false)).lines);
});

test.each([
  ["another version", initialize("2030-01-01")],
  ["a version without initialize", initialize("2026-07-28")],
  ["an unknown capability", initialize("2025-06-18", { other: {} })],
  ["an invalid capability", initialize("2025-06-18", { roots: { listChanged: 1 } })],
  ["no client", request({ protocolVersion: "2025-06-18", capabilities: {} })],
  ["no parameters", '{"jsonrpc":"2.0","id":"a","method":"initialize"}\n'],
  ["an invalid id", initialize("2025-06-18").replace('"id":"a"', '"id":1.5')],
  ["another request", '{"jsonrpc":"2.0","id":"a","method":"ping"}\n'],
  ["no JSON", "hello\n"],
  ["an empty line", "\n"],
])("leaves %s to the SDK", async (_, sent) => {
  const early = await answersTo(sent, true);
  expect(early.early).toBe(0);
  expect(early.lines).toEqual((await answersTo(sent, false)).lines);
});

test("leaves a message that arrives in two parts to the SDK", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const sent = initialize("2025-06-18");
  input.write(sent.slice(0, 20));
  const instructions = instructionsFor("todos", undefined);
  const streams = await introduce({ input, output }, { name: "a", version: "1", instructions });
  const server = todoServer(createTracker());
  const connection = server.serve(streams ?? { input, output });
  input.end(sent.slice(20));
  await connection.closed;
  expect(JSON.parse(String(output.read())).result.protocolVersion).toBe("2025-06-18");
});

test("ends if the input ends before a message", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end();
  const instructions = instructionsFor(undefined, undefined);
  expect(await introduce({ input, output }, { name: "a", version: "1", instructions })).toBe(
    undefined,
  );
  expect(output.read()).toBe(null);
});
