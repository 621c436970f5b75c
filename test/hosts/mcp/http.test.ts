import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { type TodoServer, todoServer } from "../../../src/hosts/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
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
  it("nothing connects two calls but the list that the model names", async () => {
    const { server } = newServer();
    const client = await connect(server, era);
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema.properties).toHaveProperty("list");
    const write = { todos: [{ text: "One" }, { text: "Two" }] };
    const written = await client.callTool({ name: "todos", arguments: write });
    const { list, text } = written.structuredContent as { list: string; text: string };
    expect(list).toMatch(/^mcp-[0-9a-f]{24}$/);
    expect(text).toBe(`1. [ ] One\n2. [ ] Two\n\n(0/2 completed)\n\nlist: ${list}`);
    const again = await client.callTool({ name: "todos", arguments: { start: "2", list } });
    expect(again.structuredContent).toMatchObject({ changed: [{ id: "2" }], list });
    const alone = await client.callTool({ name: "todos", arguments: {} });
    expect(alone.structuredContent).toMatchObject({ todos: [] });
  });

  it("a list that is given is everybody's", async () => {
    const { server } = newServer({ track: { session: "team", agent: "main" } });
    const [one, two] = [await connect(server, era), await connect(server, era)];
    await one.callTool({ name: "todos", arguments: { add: ["Shared"] } });
    const { structuredContent } = await two.callTool({ name: "todos", arguments: {} });
    expect(structuredContent).toMatchObject({ text: "1. [ ] Shared\n\n(0/1 completed)" });
  });
});

it("a subscriber of the new protocol hears of every change of its list", async () => {
  const { server, tracker } = newServer({ track: { session: "team", agent: "main" } });
  const client = await connect(server, "new");
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  const { honoredFilter } = await client.listen({
    resourceSubscriptions: ["waymark://list", "waymark://other/list"],
  });
  expect(honoredFilter.resourceSubscriptions).toHaveLength(2);
  const todos = [{ text: "From elsewhere" }];
  await tracker.list({ session: "team", agent: "main" }).submit([{ op: "add", todos }]);
  await tracker.list({ session: "other", agent: "main" }).submit([{ op: "add", todos }]);
  await tracker.list({ session: "third", agent: "main" }).submit([{ op: "add", todos }]);
  await expect.poll(() => heard).toEqual(["waymark://list", "waymark://other/list"]);
});
