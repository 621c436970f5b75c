import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { type TodoServer, todoServer } from "../../../src/servers/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { FULL } from "../../full.ts";
import type { Era } from "./clients.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function newServer(options: Parameters<typeof todoServer>[1] = {}) {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const server = todoServer(tracker, options);
  open.push(server);
  return { tracker, server };
}

/** The official client, handing its requests to the server without a network between them. */
async function connect(server: TodoServer, era: Era): Promise<Client> {
  const client = new Client(
    { name: "official", version: "1" },
    { versionNegotiation: { mode: era === "new" ? { pin: "2026-07-28" } : "legacy" } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
      fetch: (url, init) => server.fetch(new Request(url, init)),
    }),
  );
  open.push(client);
  return client;
}

describe.each<Era>(["old", "new"])("over HTTP, in the %s protocol", (era) => {
  it("all clients share the list of `track`", async () => {
    const { server } = newServer({ track: { session: "team", agent: "main" } });
    const [one, two] = [await connect(server, era), await connect(server, era)];
    await one.callTool({ name: "todos", arguments: { add: ["Shared"] } });
    const { structuredContent } = await two.callTool({ name: "todos", arguments: {} });
    expect(structuredContent).toMatchObject({ text: '1 [ ] "Shared"\n0 of 1 done.' });
  });
});

it("only the list id connects two calls of a client without sessions", async () => {
  const { server } = newServer();
  const client = await connect(server, "new");
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema.properties).toHaveProperty("list");
  const write = { todos: [{ text: "One" }, { text: "Two" }] };
  const written = await client.callTool({ name: "todos", arguments: write });
  const { list, text } = written.structuredContent as { list: string; text: string };
  expect(list).toMatch(/^mcp-[0-9a-f]{24}$/);
  expect(text).toBe(
    `1 [ ] "One"\n2 [ ] "Two"\n0 of 2 done.\n\nSend "list":"${list}" with your next calls: it connects them to this list and to your claims.`,
  );
  const again = await client.callTool({ name: "todos", arguments: { start: "2", list } });
  expect(again.structuredContent).toMatchObject({ changed: [{ id: "2" }], list });
  const alone = await client.callTool({ name: "todos", arguments: {} });
  expect(alone.structuredContent).toMatchObject({ todos: [] });
});

it("the session header connects the calls of a client that supports it", async () => {
  const { server } = newServer();
  const [one, two] = [await connect(server, "old"), await connect(server, "old")];
  const { tools } = await one.listTools();
  expect(tools[0]?.inputSchema.properties).not.toHaveProperty("list");
  await one.callTool({ name: "todos", arguments: { add: ["One"] } });
  const { structuredContent } = await one.callTool({ name: "todos", arguments: {} });
  expect(structuredContent).toMatchObject({ text: '1 [ ] "One"\n0 of 1 done.' });
  const other = await two.callTool({ name: "todos", arguments: {} });
  expect(other.structuredContent).toMatchObject({ todos: [] });
});

it("a subscriber of the new protocol receives every change of its list", async () => {
  const { server, tracker } = newServer({ track: { session: "team", agent: "main" } });
  const client = await connect(server, "new");
  const received: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    received.push(params.uri);
  });
  const { honoredFilter } = await client.listen({
    resourceSubscriptions: ["waymark://list", "waymark://other/list"],
  });
  expect(honoredFilter.resourceSubscriptions).toHaveLength(2);
  const todos = [{ text: "From elsewhere" }];
  await tracker.list({ session: "team", agent: "main" }).submit([{ op: "add", todos }]);
  await tracker.list({ session: "other", agent: "main" }).submit([{ op: "add", todos }]);
  await tracker.list({ session: "third", agent: "main" }).submit([{ op: "add", todos }]);
  await expect.poll(() => received).toEqual(["waymark://list", "waymark://other/list"]);
});

const CLIENTS = 32;
const CALLS = FULL ? 300 : 6;

it(`${CLIENTS} clients of one server that count alike, ${CLIENTS * CALLS} calls: no answer reaches another`, {
  tags: ["same-request-ids"],
  timeout: 300_000,
}, async () => {
  const { server } = newServer();
  // Written by hand: all of them give their requests the same numbers.
  const post = async (id: number, method: string, params: object) => {
    const answer = await server.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-06-18",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      }),
    );
    const text = await answer.text();
    const messages = text.startsWith("{")
      ? [text]
      : text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
    return messages.map((each) => JSON.parse(each) as { id: unknown; result?: object });
  };
  const crossed: string[] = [];
  const work = async (name: string) => {
    let list: string | undefined;
    for (let id = 0; id < CALLS; id++) {
      const input = list === undefined ? { add: [`${name} keeps this`] } : { list };
      const answers = await post(id, "tools/call", { name: "todos", arguments: input });
      const [answer] = answers;
      const text = JSON.stringify(answer?.result);
      list ??= /mcp-[0-9a-f]{24}/.exec(text)?.[0];
      const others = (text.match(/client-\d+/g) ?? []).some((found) => found !== name);
      if (answers.length !== 1 || answer?.id !== id || !text.includes(name) || others)
        crossed.push(`${name} ${id}: ${JSON.stringify(answers).slice(0, 300)}`);
    }
    return list;
  };
  const names = Array.from({ length: CLIENTS }, (_, index) => `client-${index}`);
  const lists = await Promise.all(names.map(work));
  expect(crossed.slice(0, 3)).toEqual([]);
  expect(new Set(lists).size).toBe(CLIENTS);
});

it("an invented or guessed session id does not reach the list of another client", {
  tags: ["guessed-session"],
  timeout: 300_000,
}, async () => {
  const { server } = newServer();
  const headers = { "mcp-session-id": "chosen-by-somebody" };
  const connectWith = async () => {
    const client = new Client({ name: "official", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
        fetch: (url, init) => {
          const request = new Request(url, init);
          for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
          return server.fetch(request);
        },
      }),
    );
    open.push(client);
    return client;
  };
  const [one, two] = [await connectWith(), await connectWith()];
  const written = await one.callTool({ name: "todos", arguments: { add: ["Private"] } });
  const { list } = written.structuredContent as { list: string };
  const seen = await two.callTool({ name: "todos", arguments: {} });
  expect(JSON.stringify(seen)).not.toContain("Private");
  let guesser = two;
  for (let n = 0; n < (FULL ? 5_000 : 200); n++) {
    // A client listens once more with every request; after 1,500 Node finds that strange, and says so.
    if (n % 1_000 === 999) guesser = await connectWith();
    // Most of them differ from the true one in a single place.
    const place = 4 + (n % 24);
    const digit = ((Number.parseInt(list[place] ?? "0", 16) + 1 + (n % 15)) % 16).toString(16);
    const guess = `${list.slice(0, place)}${digit}${list.slice(place + 1)}`;
    const answer = await guesser.callTool({ name: "todos", arguments: { list: guess } });
    expect([n, answer.isError]).toEqual([n, true]);
  }
});
