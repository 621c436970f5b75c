import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { installPackages, lockedPackages } from "../../../scripts/install-packages.mjs";
import { todoServer } from "../../../src/servers/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { startTestServer } from "../http/test-server.ts";

/** The methods of either official client that the tests use. */
interface Caller {
  callTool(call: {
    name: string;
    arguments: Record<string, unknown>;
  }): Promise<{ isError?: boolean; structuredContent?: unknown; content?: unknown }>;
  close(): Promise<void>;
}

interface FirstSdk {
  readonly Client: new (info: {
    name: string;
    version: string;
  }) => Caller & { connect(to: unknown): Promise<void> };
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown;
}

let first: FirstSdk;
beforeAll(async () => {
  const place = await installPackages("mcp-1", lockedPackages("mcp-1"));
  const dist = join(place, "node_modules/@modelcontextprotocol/sdk/dist/esm/client");
  const load = (file: string) => import(pathToFileURL(join(dist, file)).href);
  first = { ...(await load("index.js")), ...(await load("streamableHttp.js")) } as FirstSdk;
}, 300_000);

const open: Caller[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Kind = "1.x" | "2.x with sessions" | "2.x without sessions";

async function connect(kind: Kind, url: URL, options: object): Promise<Caller> {
  const info = { name: "official", version: "1" };
  if (kind === "1.x") {
    const client = new first.Client(info);
    await client.connect(new first.StreamableHTTPClientTransport(url, options));
    open.push(client);
    return client;
  }
  const mode = kind === "2.x with sessions" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(info, { versionNegotiation: { mode: mode as "legacy" } });
  await client.connect(new StreamableHTTPClientTransport(url, options));
  open.push(client as Caller);
  return client as Caller;
}

/** A model that does what answers tell it in words, and nothing else. */
function modelOf(client: Caller, kind: Kind) {
  let list: string | undefined;
  return async (input: Record<string, unknown>) => {
    const named = { ...input, ...(list !== undefined && { list }) };
    const { isError = false, structuredContent } = await client.callTool({
      name: "tasks",
      arguments: named,
    });
    const { text } = structuredContent as { text: string };
    list = /Send "list":"(mcp-[0-9a-f]{24})" with your next calls/.exec(text)?.[1] ?? list;
    // Clients with sessions keep the identity themselves.
    if (!isError) expect(list !== undefined).toBe(kind === "2.x without sessions");
    return { isError, text };
  };
}

const served = startTestServer(undefined, { tools: "todos,tasks" });
const KINDS: readonly Kind[] = ["1.x", "2.x with sessions", "2.x without sessions"];

describe.each(KINDS)("the official client %s over HTTP", (kind) => {
  it("finishes what it claimed, and nothing that another client claimed", async () => {
    const { machine, serving } = served();
    const url = new URL("/mcp", serving.url);
    const options = { requestInit: { headers: { authorization: `Bearer ${serving.token}` } } };
    const added = machine.json(["task", "add", `For ${kind}`, "--priority", "0"]) as { id: string };
    const other = machine.json(["task", "add", "Later"]) as { id: string };
    const one = modelOf(await connect(kind, url, options), kind);
    const two = modelOf(await connect(kind, url, options), kind);
    expect((await one({})).text).toContain(added.id);
    expect(await one({ claim: added.id })).toMatchObject({ isError: false });
    expect(await two({ claim: other.id })).toMatchObject({ isError: false });
    const taken = await two({ finish: added.id });
    expect(taken).toMatchObject({ isError: true });
    expect(taken.text).toMatch(
      new RegExp(`^${added.id} is claimed by|^${added.id} is not claimed`),
    );
    expect(await one({ finish: added.id, evidence: "npm test" })).toMatchObject({ isError: false });
    expect(await two({ release: other.id })).toMatchObject({ isError: false });
    const task = machine.json(["task", "show", added.id]) as { owner: string; status: string };
    expect(task).toMatchObject({ status: "done", owner: expect.stringMatching(/^mcp-\w{8}$/) });
    machine.run(["task", "cancel", other.id]);
  });
});

it.each(KINDS)("a claim of the client %s outlives a restart of the server", async (kind) => {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const store = memoryTaskStore();
  store.apply({ op: "add", tasks: [{ subject: "Paint" }] }, { by: "user", via: "test" });
  const start = () =>
    todoServer(tracker, { tasks: { tasks: () => store }, taskTools: ["tasks"], tools: [] });
  let server = start();
  const call = modelOf(
    await connect(kind, new URL("http://127.0.0.1/mcp"), {
      fetch: (url: URL, init: RequestInit) => server.fetch(new Request(url, init)),
    }),
    kind,
  );
  expect(await call({ claim: "next" })).toMatchObject({ isError: false });
  await server.close();
  server = start();
  expect(await call({ finish: "t1" })).toMatchObject({ isError: false });
  expect(store.get("t1")).toMatchObject({ status: "done", epoch: 1 });
  await server.close();
});

it("a model that forgot its id is asked for it, instead of getting a new one", async () => {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const store = memoryTaskStore();
  store.apply({ op: "add", tasks: [{ subject: "Paint" }] }, { by: "user", via: "test" });
  const server = todoServer(tracker, {
    tasks: { tasks: () => store },
    taskTools: ["tasks"],
    tools: [],
  });
  const client = await connect("2.x without sessions", new URL("http://127.0.0.1/mcp"), {
    fetch: (url: URL, init: RequestInit) => server.fetch(new Request(url, init)),
  });
  const send = async (input: Record<string, unknown>) =>
    (await client.callTool({ name: "tasks", arguments: input })).structuredContent as {
      text: string;
      list?: string;
    };
  const { list = "" } = await send({ claim: "t1" });
  const forgot = await send({ finish: "t1" });
  expect(forgot.text).toContain('This call had no "list", so it counts as a new agent.');
  expect(forgot).not.toHaveProperty("list");
  expect((await send({ finish: "t1", list })).text).toContain("t1 is done.");
  await server.close();
});
