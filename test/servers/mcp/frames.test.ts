import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { frameTransport, MAX_FRAME } from "../../../src/servers/mcp/frames.ts";
import { todoServer } from "../../../src/servers/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { newMachine } from "../../cli/machine.ts";
import { FULL } from "../../full.ts";
import { until } from "../../until.ts";
import { type Message, serveHere, serveProgram } from "./clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());
const place = { home: machine.home, cwd: machine.cwd };

const PARSE = -32_700;
const INVALID = -32_600;
const NO_METHOD = -32_601;
const BAD_PARAMS = -32_602;

it.each<[string, string, Message["id"], number]>([
  ["no JSON", "hello", null, PARSE],
  ["half a message", '{"jsonrpc":"2.0","id":1', null, PARSE],
  ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, INVALID],
  ["an empty batch", "[]", null, INVALID],
  ["a number", "5", null, INVALID],
  ["null", "null", null, INVALID],
  ["no version", '{"id":7,"method":"ping"}', 7, INVALID],
  ["another version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, INVALID],
  ["an object as id", '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, INVALID],
  ["half a number as id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, INVALID],
  ["a number as method", '{"jsonrpc":"2.0","id":7,"method":5}', 7, INVALID],
  ["neither method nor result", '{"jsonrpc":"2.0","id":7}', 7, INVALID],
  ["a list as params", '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', 7, INVALID],
  [
    "a question that is an answer",
    '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}',
    7,
    INVALID,
  ],
  ["an unknown method", '{"jsonrpc":"2.0","id":7,"method":"nothing"}', 7, NO_METHOD],
  ["a call without a name", '{"jsonrpc":"2.0","id":7,"method":"tools/call"}', 7, BAD_PARAMS],
])(
  "%s is answered with an error, and the server continues",
  { tags: ["bad-message"] },
  async (_, line, id, code) => {
    const { client } = serveHere();
    await client.initialize();
    client.write(`${line}\n`);
    const answer = await client.until((message) => message.error !== undefined);
    expect([answer.id, answer.error?.code]).toEqual([id, code]);
    expect((await client.call({})).text).toBe("The list is empty.");
  },
);

it("a message over the limit is skipped without buffering it", {
  tags: ["bad-message"],
}, async () => {
  const { client } = serveHere();
  await client.initialize();
  const piece = Buffer.alloc(1024 * 1024, "x");
  for (let sent = 0; sent <= MAX_FRAME; sent += piece.length) client.write(piece);
  client.write("\n");
  const answer = await client.until((message) => message.error !== undefined);
  expect(answer.error).toEqual({
    code: INVALID,
    message: `The message has ${MAX_FRAME + piece.length} bytes; the limit is ${MAX_FRAME}.`,
  });
  expect((await client.call({})).text).toBe("The list is empty.");
});

it.each([
  ["is read at the limit", 0],
  ["is refused with one byte more", 1],
])("a message %s", { tags: ["bad-message"] }, async (_, more) => {
  const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const maxFrame = line.length - more;
  for (const bytes of [`${line}\n`, line]) {
    const input = new PassThrough();
    const output = new PassThrough();
    const transport = frameTransport({ input, output, maxFrame });
    const read: unknown[] = [];
    transport.onmessage = (message) => void read.push(message);
    await transport.start();
    input.end(bytes);
    await until(() => read.length > 0 || output.readableLength > 0, "the message");
    const refused = {
      code: INVALID,
      message: `The message has ${line.length} bytes; the limit is ${maxFrame}.`,
    };
    expect([read, JSON.parse(String(output.read() ?? "{}")).error]).toEqual(
      more === 0 ? [[JSON.parse(line)], undefined] : [[], refused],
    );
    await transport.close();
  }
});

it("reads messages in any chunks, with any line ending and empty lines", async () => {
  const { client } = serveHere();
  await client.initialize();
  const bytes = Buffer.from(
    `\r\n\n${JSON.stringify({ jsonrpc: "2.0", id: "é", method: "ping" })}\r\n`,
  );
  for (const byte of bytes) client.write(Buffer.of(byte));
  expect((await client.until(({ id }) => id === "é")).result).toEqual({});
});

it("refuses the id of a pending request", { tags: ["bad-message"] }, async () => {
  const { client } = serveHere();
  await client.initialize();
  const call = { jsonrpc: "2.0", id: 77, method: "tools/call", params: { name: "todos" } };
  client.write(`${JSON.stringify(call)}\n${JSON.stringify(call)}\n`);
  await client.until(({ id }) => id === 77);
  expect(client.messages.filter(({ error }) => error)).toEqual([
    {
      jsonrpc: "2.0",
      id: null,
      error: { code: INVALID, message: "Request 77 is still pending. Use a different id." },
    },
  ]);
  client.send(call);
  await expect.poll(() => client.messages.filter(({ id }) => id === 77).length).toBe(2);
});

it("executes calls in the order of arrival", async () => {
  const { client, tracker } = serveHere();
  await client.initialize();
  const texts = Array.from({ length: 12 }, (_, index) => `Step ${index}`);
  await Promise.all(texts.map((text) => client.call({ add: [text] })));
  const todos = await tracker.list({ session: "s", agent: "main" }).get();
  expect(todos.map(({ text }) => text)).toEqual(texts);
});

it("a call that is cancelled while it waits is not executed", {
  tags: ["bad-message"],
}, async () => {
  const { client, tracker } = serveHere();
  await client.initialize();
  const call = (id: number, text: string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "todos", arguments: { add: [text] } },
  });
  const cancel = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 91 },
  };
  client.write(
    [call(90, "Wanted"), call(91, "Not wanted"), cancel]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(""),
  );
  await client.until(({ id }) => id === 90);
  await client.call({});
  const todos = await tracker.list({ session: "s", agent: "main" }).get();
  expect(todos.map(({ text }) => text)).toEqual(["Wanted"]);
});

it("any input is answered with valid messages, and the server continues", {
  tags: ["bad-message"],
  timeout: 300_000,
}, async () => {
  const { client } = serveHere();
  await client.initialize();
  const json = fc.json();
  const message = fc
    .record(
      {
        jsonrpc: fc.constantFrom("2.0", "1.0", 2),
        id: fc.oneof(fc.integer({ min: 1_000_000 }), fc.string(), fc.constant(null), fc.object()),
        method: fc.constantFrom(
          "tools/call",
          "tools/list",
          "resources/read",
          "resources/subscribe",
          "prompts/get",
          "initialize",
          "ping",
          "subscriptions/listen",
          "notifications/cancelled",
          "__proto__",
        ),
        params: fc.oneof(
          fc.object(),
          fc.record({ name: fc.constantFrom("todos", "plan"), arguments: fc.object() }),
          fc.record({ uri: fc.string() }),
        ),
        result: fc.anything(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value));
  const line = fc.oneof(json, message, fc.string()).map((text) => text.replaceAll("\n", " "));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
      client.write(lines.map((text) => `${text}\n`).join(""));
      expect((await client.ask("ping")).result).toEqual({});
    }),
    { numRuns: FULL ? 10_000 : 300 },
  );
  for (const each of client.messages) expect(each).toMatchObject({ jsonrpc: "2.0" });
});

it("sends pending answers after the input ended", async () => {
  const { client, ended } = serveProgram(["--session", "last-words"], place);
  const [id] = [1];
  client.send({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "todos", arguments: { add: ["Said at the end"] } },
  });
  client.end();
  const answer = await client.until((message) => message.id === id);
  expect(answer.result).toMatchObject({ structuredContent: { progress: { total: 1 } } });
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(machine.json(["todos", "--session", "last-words"])).toMatchObject({
    todos: [{ text: "Said at the end" }],
  });
});

it("stops reading while the client does not read the answers", {
  tags: ["slow-client"],
}, async () => {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const input = new PassThrough({ highWaterMark: 1024 });
  const output = new PassThrough({ highWaterMark: 1024 });
  const { closed } = todoServer(tracker, { track: { session: "s", agent: "main" } }).serve({
    input,
    output,
  });
  const ping = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;
  let sent = 0;
  const send = async () => {
    for (; sent < 5_000; sent++) if (!input.write(ping(sent))) await once(input, "drain");
  };
  const sending = send();
  let before = -1;
  await until(
    () => {
      const isStuck = sent === before;
      before = sent;
      return isStuck;
    },
    "a sender that waits",
    { interval: 50 },
  );
  expect(sent).toBeLessThan(500);
  const seen: number[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) seen.push(JSON.parse(line).id);
  });
  await sending;
  input.end();
  await closed;
  await expect.poll(() => seen.length).toBe(5_000);
  expect(new Set(seen).size).toBe(5_000);
});

it("only messages are printed to standard output, whatever loaded modules print", {
  tags: ["protocol-noise"],
}, async () => {
  const noise = join(machine.root, "noise.cjs");
  writeFileSync(
    noise,
    `setInterval(() => {
       console.log("noise of a dependency");
       console.info("more of it");
       process.stdout.write("written past the console\\n");
       process.emitWarning("deprecated", "DeprecationWarning");
     }, 20).unref();`,
  );
  const { client, ended, stderr } = serveProgram(["--session", "noise"], {
    ...place,
    env: { NODE_DEBUG: "fs,net,stream,timer" },
    node: ["--require", noise, "--trace-deprecation"],
  });
  await client.initialize();
  await expect.poll(stderr).toContain("written past the console");
  expect((await client.call({ add: ["Quiet work"] })).text).toContain("Quiet work");
  client.end();
  await ended;
  expect(stderr()).toContain("noise of a dependency");
  for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  expect(client.lines).toHaveLength(2);
});
