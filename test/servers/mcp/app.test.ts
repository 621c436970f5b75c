import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { getUiCapability } from "@modelcontextprotocol/ext-apps/server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type TodoServer, todoServer } from "../../../src/servers/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { newMachine, PROGRAM } from "../../cli/machine.ts";
import { environment, serveHere, serveProgram } from "./clients.ts";
import { loadFirstSdk, type OfficialClient } from "./first-sdk.ts";

const UI = "io.modelcontextprotocol/ui";
const MIME = "text/html;profile=mcp-app";
const URI = "ui://waymark/list";
const EXTENSIONS = { [UI]: { mimeTypes: [MIME] } };
const MAIN = { session: "s", agent: "main" };
const PLAN = "1. Add the column\n2. Fill it\n";

let first: Awaited<ReturnType<typeof loadFirstSdk>>;
beforeAll(async () => {
  first = await loadFirstSdk();
}, 300_000);
const machine = newMachine();
afterAll(() => machine.remove());
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const KINDS = ["1.x", "2.x with sessions", "2.x without sessions"] as const;
type Kind = (typeof KINDS)[number];
interface Official extends OfficialClient {
  listResources(): Promise<{ resources: { uri: string; mimeType: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: Record<string, unknown>[] }>;
  getServerCapabilities(): Record<string, unknown>;
}

async function connect(kind: Kind, session: string, extensions?: object): Promise<Official> {
  const info = { name: "official", version: "1" };
  const capabilities = extensions ? { extensions } : {};
  const options = {
    command: process.execPath,
    args: [PROGRAM, "mcp", "--session", session, "--tools", "todos,plan,tasks"],
    env: environment({ home: machine.home }),
    cwd: machine.cwd,
  };
  const mode = kind === "2.x without sessions" ? { pin: "2026-07-28" } : "legacy";
  const client = (kind === "1.x"
    ? new first.Client(info, { capabilities })
    : new Client(info, {
        capabilities: capabilities as object,
        versionNegotiation: { mode: mode as "legacy" },
      })) as unknown as Official;
  await client.connect(
    kind === "1.x" ? new first.StdioClientTransport(options) : new StdioClientTransport(options),
  );
  open.push(client);
  return client;
}

describe.each(KINDS)("the official client %s", (kind) => {
  const session = (name: string) => `${name}-${kind.replaceAll(/\W/g, "")}`;

  it("is offered the view if it shows views", async () => {
    const client = await connect(kind, session("with"), EXTENSIONS);
    expect(getUiCapability(client.getServerCapabilities() as never)).toEqual({});
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["todos", "tasks", "plan", "view"]);
    for (const tool of tools.slice(0, 3)) {
      expect(getToolUiResourceUri(tool)).toBe(URI);
      expect(tool._meta).toMatchObject({ ui: { resourceUri: URI }, "ui/resourceUri": URI });
    }
    expect(tools[3]?._meta).toEqual({ ui: { visibility: ["app"] } });
    const { resources } = await client.listResources();
    expect(resources.at(-1)).toMatchObject({
      uri: URI,
      mimeType: MIME,
      _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
    });
    const [page] = (await client.readResource({ uri: URI })).contents;
    expect(page).toMatchObject({
      uri: URI,
      mimeType: MIME,
      _meta: { ui: { prefersBorder: false } },
    });
    expect(page?.text).toMatch(/^<!doctype html>/);
  });

  it("sees the tools, resources and answers of today if it does not", async () => {
    const call = async (client: Official) => {
      const { tools } = await client.listTools();
      const { resources } = await client.listResources();
      const written = await client.callTool({
        name: "todos",
        arguments: { todos: [{ text: "One" }, { text: "Two" }] },
      });
      return { tools, resources, written };
    };
    const plain = await call(await connect(kind, session("without")));
    expect(JSON.stringify(plain)).not.toMatch(/"ui|waymark\/view/);
    const other = { [UI]: { mimeTypes: ["text/plain"] }, "com.example/x": {} };
    expect(await call(await connect(kind, session("other"), other))).toEqual(plain);
    const client = await connect(kind, session("hidden"));
    await expect(client.callTool({ name: "view", arguments: {} })).rejects.toThrow(
      'Unknown tool "view". Available: todos, tasks, plan.',
    );

    // Only metadata is added for clients with views: models read the same.
    const drawn = await call(await connect(kind, session("drawn"), EXTENSIONS));
    const models = drawn.tools.slice(0, -1).map(({ _meta, ...tool }) => tool);
    expect(models).toEqual(plain.tools.map(({ _meta, ...tool }) => tool));
    const { _meta, ...answer } = drawn.written as { _meta?: Record<string, unknown> };
    const { _meta: __, ...before } = plain.written as { _meta?: unknown };
    expect(answer).toEqual(before);
    expect(_meta?.["waymark/view"]).toMatchObject({
      session: session("drawn"),
      view: { todos: [{ text: "One" }, { text: "Two" }] },
    });
    expect(JSON.stringify(drawn.written)).not.toContain("token");
  });
});

it("names the extension in initialize and in server/discover", async () => {
  const { client, ended } = serveProgram(["--session", "names"], {
    home: machine.home,
    cwd: machine.cwd,
  });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "official", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { result } = await client.ask("server/discover", { _meta });
  expect(result).toMatchObject({ capabilities: { extensions: { [UI]: {} } } });
  expect((await client.initialize()).result).toMatchObject({
    capabilities: { extensions: { [UI]: {} } },
  });
  client.end();
  await ended;
});

/** A client with views, written by hand. */
async function serveViews(options: Parameters<typeof serveHere>[0] = {}) {
  const served = serveHere({ track: MAIN, plans: true, ...options });
  const { client } = served;
  await client.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { extensions: EXTENSIONS },
    clientInfo: { name: "host", version: "1" },
  });
  client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const view = (input: object = {}) => client.call(input, "view");
  const tokenOf = async () => (await view()).meta?.["waymark/token"] as string;
  return { ...served, view, tokenOf };
}

interface Drawn {
  readonly view: { readonly plan: { readonly seen: string } };
}

const key = "one";
const FINISH = { key, ops: [{ op: "finish", target: { any: "1" } }] };

describe("changes of the view", () => {
  it("are edits of the user, told to the agent once", async () => {
    const { client, tracker, view, tokenOf } = await serveViews();
    await client.call({ todos: [{ text: "One" }, { text: "Two" }] });
    const token = await tokenOf();
    const done = await view({ token, edit: FINISH });
    expect(done.meta?.["waymark/view"]).toMatchObject({
      view: { todos: [{ text: "One", status: "completed", movedBy: "user" }, { text: "Two" }] },
    });
    const last = (await tracker.list(MAIN).events()).at(-1);
    expect(last).toMatchObject({ by: "user", via: "mcp-app" });
    // Reading for the view does not count as telling the agent.
    await view();
    expect((await client.call({})).text).toMatch(/user .*"One"/s);
    expect((await client.call({})).text).not.toMatch(/The user/);
  });

  it("have one effect if they are sent twice", async () => {
    const { client, tracker, view, tokenOf } = await serveViews();
    await client.call({ todos: [{ text: "One" }] });
    const token = await tokenOf();
    const edit = { key, ops: [{ op: "add", todos: [{ text: "Two" }] }] };
    await view({ token, edit });
    expect((await view({ token, edit })).isError).toBe(false);
    expect((await tracker.list(MAIN).get()).map(({ text }) => text)).toEqual(["One", "Two"]);
  });

  it("are refused without the token, which no model reads", {
    tags: ["privilege-escalation"],
  }, async () => {
    const { client, tracker, view, tokenOf } = await serveViews();
    await client.call({ todos: [{ text: "One" }] });
    const proposed = await client.call({ propose: PLAN }, "plan");
    const { plan } = await tracker.list(MAIN).read();
    const read = await view();
    const token = await tokenOf();
    // Models see the text and the data of an answer.
    const seen = JSON.stringify([read.text, read.data, proposed]);
    expect(seen).not.toContain(token);
    expect(JSON.stringify((await client.ask("resources/read", { uri: URI })).result)).not.toContain(
      token,
    );
    const { "waymark/view": handle } = read.meta as { "waymark/view": { proof: string } };
    const { proof } = handle;
    const other = await (await serveViews()).tokenOf();
    for (const wrong of [undefined, "", 7, proof, other, `${token}x`, token.slice(1), [token]])
      for (const change of [
        { plan: { decision: "approve" } },
        { edit: FINISH },
        { task: { key, op: { op: "add", tasks: [{ subject: "One" }] } } },
      ]) {
        const refused = await view({ ...(wrong !== undefined && { token: wrong }), ...change });
        expect([refused.isError, refused.meta]).toEqual([true, undefined]);
        expect(refused.text).toContain("no valid token");
      }
    expect(await tracker.list(MAIN).plan.get()).toEqual(plan);
    expect((await tracker.list(MAIN).get())[0]?.status).toBe("pending");
    expect((await view({ token, plan: { decision: "approve" } })).isError).toBe(false);
    expect((await tracker.list(MAIN).plan.get())?.state).toBe("approved");
  });

  it("reach only the list that the token was made for", {
    tags: ["privilege-escalation"],
  }, async () => {
    const { client, tracker, view, tokenOf } = await serveViews();
    await client.call({ todos: [{ text: "One" }] });
    await tracker
      .list({ session: "other", agent: "main" })
      .submit([{ op: "add", todos: [{ text: "Theirs" }] }]);
    const token = await tokenOf();
    const of = { session: "other", agent: "main", proof: token };
    const answer = await view({ of, token, edit: FINISH });
    // A handle that this server did not sign is ignored.
    expect(answer.meta?.["waymark/view"]).toMatchObject({ session: "s", view: { session: "s" } });
    expect((await tracker.list({ session: "other", agent: "main" }).get())[0]?.status).toBe(
      "pending",
    );
    expect(JSON.stringify(await view({ of }))).not.toContain("Theirs");
  });

  it("decide only about the plan that the user read", async () => {
    const { client, tracker, view, tokenOf } = await serveViews();
    await client.call({ propose: PLAN }, "plan");
    const token = await tokenOf();
    const seen = async () => {
      const { "waymark/view": drawn } = (await view()).meta as { "waymark/view": Drawn };
      return drawn.view.plan.seen;
    };
    const early = await seen();
    await client.call({ propose: "1. Something else\n" }, "plan");
    const late = await view({ token, plan: { decision: "approve", seen: early, key } });
    expect(late.isError).toBe(true);
    expect((await tracker.list(MAIN).plan.get())?.state).toBe("proposed");
    const decided = await view({
      token,
      plan: { decision: "approve", seen: await seen(), comment: "At night", key: "two" },
    });
    expect(decided.data?.message).toMatch(/^I approve your plan\. .* "At night"$/);
    expect((await client.call({})).text).toContain('"Something else"');
  });

  it("reach the tasks, once for a repeated call", async () => {
    const store = memoryTaskStore();
    const { view, tokenOf } = await serveViews({ tasks: { tasks: () => store } });
    const token = await tokenOf();
    const task = { key, op: { op: "add", tasks: [{ subject: "One" }] } };
    await view({ tasks: true, token, task });
    const added = await view({ tasks: true, token, task });
    expect(added.meta?.["waymark/view"]).toMatchObject({
      view: { tasks: { counts: { ready: 1 }, tasks: [{ id: "t1", state: "ready" }] } },
    });
    const [event] = await store.events({ task: "t1" });
    expect(event).toMatchObject({ by: "user", via: "mcp-app" });
    const claim = { key: "two", op: { op: "claim", owner: "me", tasks: ["t1"] } };
    expect((await view({ token, task: claim })).isError).toBe(true);
    const free = { op: "finish", owner: "user", held: [{ id: "t1" }] };
    expect((await view({ token, task: { key: "three", op: free } })).text).toContain("not claimed");
    await view({ token, task: { key: "four", op: { ...free, force: true } } });
    expect(await store.get("t1")).toMatchObject({ status: "done" });
  });

  it("that are not valid change nothing", async () => {
    const store = memoryTaskStore();
    const { client, tracker, view, tokenOf } = await serveViews({ tasks: { tasks: () => store } });
    await client.call({ todos: [{ text: "One" }] });
    const token = await tokenOf();
    const before = await tracker.list(MAIN).read();
    for (const change of [
      { edit: 1 },
      { edit: { key, ops: [] } },
      { edit: { key, ops: [{ op: "finish", target: { any: "9" } }] } },
      { edit: { key, ops: [{ op: "replace", todos: [] }] } },
      { edit: { ...FINISH, base: { 1: { status: "blocked" } } } },
      { plan: {} },
      { plan: { decision: "approve" } },
      { plan: { decision: "perhaps" } },
      { task: 1 },
      { task: { key, op: { op: "add", tasks: [] } } },
      { task: { op: { op: "add", tasks: [{ subject: "One" }] } } },
    ])
      expect((await view({ token, ...change })).isError).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await tracker.list(MAIN).read()).toEqual(before);
  });
});

describe("the list of a view", () => {
  it("is that of the model's call, though the view sends nothing of the session", async () => {
    const sessionOf = ({ meta }: { readonly meta: Readonly<Record<string, unknown>> }) => ({
      session: typeof meta.thread === "string" ? meta.thread : "none",
      agent: "main",
    });
    const { client, view, tracker } = await serveViews({ sessionOf });
    const written = await client.call({ todos: [{ text: "One" }] }, "todos", { thread: "t1" });
    const { "waymark/view": drawn } = written.meta as { "waymark/view": object };
    const read = await view({ of: { ...drawn, view: undefined } });
    expect(read.meta).toMatchObject({
      "waymark/view": { session: "t1", view: { todos: [{ text: "One" }] } },
    });
    const token = read.meta?.["waymark/token"];
    expect((await view({ of: drawn, token, edit: FINISH })).isError).toBe(false);
    expect((await tracker.list({ session: "t1", agent: "main" }).get())[0]?.status).toBe(
      "completed",
    );
    // The token of one list is not that of another.
    expect((await view({ token, edit: FINISH })).text).toContain("no valid token");
  });

  /** A client of a server in this process, over HTTP. */
  async function overHttp(
    server: TodoServer,
    mode: "legacy" | { readonly pin: string },
    extensions: Partial<typeof EXTENSIONS> = EXTENSIONS,
  ) {
    const client = new Client(
      { name: "host", version: "1" },
      { capabilities: { extensions }, versionNegotiation: { mode } },
    );
    const options = {
      fetch: (url: URL | string, init?: RequestInit) => server.fetch(new Request(url, init)),
    };
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), options),
    );
    open.push(client);
    return client;
  }
  const newTracker = () => trackerOn(memoryStore()) as unknown as Tracker;

  it("is found over HTTP, where clients send their capabilities with each call", async () => {
    const server = todoServer(newTracker());
    open.push(server);
    const client = await overHttp(server, { pin: "2026-07-28" });
    const names = async (of: Client) => (await of.listTools()).tools.map(({ name }) => name);
    expect(await names(client)).toEqual(["todos", "view"]);
    const written = await client.callTool({
      name: "todos",
      arguments: { todos: [{ text: "One" }] },
    });
    const of = written._meta?.["waymark/view"];
    const read = await client.callTool({ name: "view", arguments: { of } });
    const token = read._meta?.["waymark/token"];
    const done = await client.callTool({ name: "view", arguments: { of, token, edit: FINISH } });
    expect(done._meta?.["waymark/view"]).toMatchObject({ view: { todos: [{ movedBy: "user" }] } });
  });

  it("is found over HTTP by older protocols, whose clients send their capabilities once", async () => {
    const server = todoServer(newTracker());
    open.push(server);
    const client = await overHttp(server, "legacy");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["todos", "view"]);
    await client.callTool({ name: "todos", arguments: { todos: [{ text: "One" }] } });
    const read = await client.callTool({ name: "view", arguments: {} });
    const token = read._meta?.["waymark/token"];
    const done = await client.callTool({ name: "view", arguments: { token, edit: FINISH } });
    expect(done._meta?.["waymark/view"]).toMatchObject({ view: { todos: [{ movedBy: "user" }] } });

    const without = await overHttp(server, "legacy", {});
    expect((await without.listTools()).tools.map(({ name }) => name)).toEqual(["todos"]);
    await expect(without.callTool({ name: "view", arguments: {} })).rejects.toThrow("Unknown tool");
  });

  it.each([
    ["view", { tasks: true }, 0],
    ["todos", {}, 1],
  ])("renews claims with calls of the model only: %s", async (name, args, renewals) => {
    const store = memoryTaskStore();
    const owners = new Set<string>();
    const observed = {
      ...store,
      renewByObservation(owner: string, ago: number) {
        owners.add(owner);
        return store.renewByObservation(owner, ago);
      },
    } as unknown as TaskStore;
    const track = { session: "s", agent: "main" };
    const server = todoServer(newTracker(), { track, tasks: { tasks: () => observed } });
    const client = await overHttp(server, { pin: "2026-07-28" });
    expect((await client.callTool({ name, arguments: args })).isError ?? false).toBe(false);
    // Waits for renewals that are under way.
    await server.close();
    expect(owners.size).toBeGreaterThanOrEqual(renewals);
    if (renewals === 0) expect([...owners]).toEqual([]);
  });
});
