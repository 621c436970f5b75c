import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { foldEvents } from "../../src/core/evolve.ts";
import type { Op } from "../../src/core/model.ts";
import { pagePath, trackPath } from "../../src/core/wire.ts";
import { signInBy } from "../servers/http/sign-in.ts";
import { until } from "../until.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { type Running, start } from "./running.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function machineOf(): Machine {
  const machine = newMachine();
  ends.push(() => machine.remove());
  return machine;
}

interface Server {
  readonly url: string;
  readonly token: string;
  readonly program: Running;
  ask(path: string, body?: unknown): Promise<{ status: number; body: never }>;
  end(): Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

async function serve(machine: Machine, ...args: string[]): Promise<Server> {
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const program = start(process.execPath, [PROGRAM, "serve", "--no-open", "--json", ...args], env);
  let isOver = false;
  const end = async () => {
    if (!isOver) program.child.kill("SIGINT");
    isOver = true;
    return program.finished;
  };
  ends.push(end);
  let line = "";
  program.child.stdout?.on("data", (chunk: Buffer) => {
    line += chunk;
  });
  await program.untilPrinted("\n");
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  const ask: Server["ask"] = async (path, body) => {
    const answer = await fetch(new URL(path, url), {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as never };
  };
  return { url, token, program, ask, end };
}

const DEMO = `/api/tracks/${encodeURIComponent(trackPath({ session: "demo", agent: "main" }))}`;
const ops = (...wanted: Op[]) => ({ ops: wanted, key: `${Math.random()}` });

test.each([
  ["serve", ["serve", "--no-open", "--port", "0"]],
  ["the page of the demo", ["demo", "--page", "--plain"]],
])("%s ends if its URL cannot be printed", async (_, args) => {
  const machine = machineOf();
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const program = start(process.execPath, [PROGRAM, ...args], env);
  ends.push(() => program.child.kill("SIGKILL"));
  program.child.stdout?.destroy();
  const { code, signal } = await program.finished;
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});

test("prints its URL in one line, keeps the token private, and ends on a signal", async () => {
  const machine = machineOf();
  const { url, token, program, end } = await serve(machine, "--port", "0");
  const kept = join(machine.home, "serve-token");
  expect(readFileSync(kept, "utf8")).toBe(`${token}\n`);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(machine.home, "serve.json"), "utf8"))).toEqual({
    url,
    pid: program.child.pid,
  });
  const { signal, stderr } = await end();
  expect({ signal, stderr }).toEqual({ signal: "SIGINT", stderr: "" });
  expect(statSync(join(machine.home, "serve.json"), { throwIfNoEntry: false })).toBeUndefined();
  const again = await serve(machine, "--port", "0");
  expect(again.token).toBe(token);
});

test("waits for pending notifications at the end, unless it gets a second signal", async () => {
  // Accepts the request and never responds.
  const webhook = createServer();
  const asked = once(webhook, "request");
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  ends.push(() => webhook.close().closeAllConnections());
  const machine = machineOf();
  machine.run(["todo", "add", "Read it", "--start", "--session", "demo"]);
  const { port } = webhook.address() as AddressInfo;
  const { program, ask, end } = await serve(
    machine,
    ...["--port", "0", "--notify", `webhook=http://127.0.0.1:${port}/`],
  );
  machine.run(["todo", "done", "1", "--session", "demo"]);
  await asked;
  program.child.kill("SIGINT");
  // The program has received the signal when it has answered twice.
  for (let time = 0; time < 2; time++) expect((await ask("/api/tracks")).status).toBe(200);
  expect(program.child.exitCode ?? program.child.signalCode).toBeNull();
  const { signal } = await end();
  expect(signal).toBe("SIGINT");
});

test("a second server finds the first", async () => {
  const machine = machineOf();
  const first = await serve(machine);
  const { status, stdout } = machine.run(["serve", "--no-open", "--json"]);
  expect({ status, ...JSON.parse(stdout) }).toEqual({
    status: 0,
    url: first.url,
    token: first.token,
    pid: first.program.child.pid,
  });
  const opening = machine.run(["serve", "--no-open"]).stdout.trim();
  const entered = await signInBy(opening);
  expect(entered.status).toBe(200);
  expect(entered.headers.get("set-cookie")).toBeNull();
  expect((await signInBy(opening)).status).toBe(410);
});

test("reports a port that is in use, with a hint", async () => {
  const machine = machineOf();
  const { url } = await serve(machine, "--port", "0");
  const { status, stderr } = machine.run(["serve", "--port", new URL(url).port, "--no-open"]);
  expect(status).toBe(3);
  expect(stderr).toContain("is already in use. Choose another with --port");
  expect(machine.run(["serve", "--port", "x"]).status).toBe(2);
});

test("ends with an error if the files of the page are missing", () => {
  const machine = machineOf();
  const copy = join(machine.root, "incomplete");
  const root = join(dirname(PROGRAM), "..");
  for (const name of ["bin", "dist", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  rmSync(join(copy, "dist", "web"), { recursive: true });
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(copy, "bin", "waymark.js"), "serve", "--port", "0", "--no-open"],
    {
      env: { HOME: machine.root, WAYMARK_HOME: machine.home },
      encoding: "utf8",
      timeout: 20_000,
      killSignal: "SIGKILL",
    },
  );
  expect(stderr).toContain("Cannot read the files of the page");
  expect(stderr).not.toContain("is closed");
  expect(status).toBe(3);
});

test("reads and edits a list whose history folds into its state", async () => {
  const machine = machineOf();
  machine.run(["todo", "add", "one", "two", "--session", "demo"]);
  const { ask } = await serve(machine, "--port", "0");
  const edited = await ask(
    `${DEMO}/ops`,
    ops(
      { op: "edit", target: { any: "1" }, set: { text: "first" } },
      { op: "finish", target: { any: "2" } },
    ),
  );
  expect(edited.status).toBe(200);
  await until(async () => {
    const { body } = await ask(DEMO);
    const { track, events, hosted } = body as {
      track: { todos: object[] };
      events: never[];
      hosted: boolean;
    };
    expect(hosted).toBe(true);
    const folded = foldEvents({ session: "demo", agent: "main" }, events);
    expect(folded.todos).toEqual(track.todos);
    expect(folded.todos.map(({ text, status, movedBy }) => [text, status, movedBy])).toEqual([
      ["first", "pending", "user"],
      ["two", "completed", "user"],
    ]);
    return true;
  }, "the list after both edits");
  expect(JSON.parse(machine.run(["todos", "--session", "demo", "--json"]).stdout)).toMatchObject({
    todos: [{ text: "first" }, { text: "two" }],
  });
});

test("returns both versions when a todo was changed concurrently", {
  tags: ["stale-edit"],
}, async () => {
  const machine = machineOf();
  machine.run(["todo", "add", "one", "--session", "demo"]);
  const { ask } = await serve(machine, "--port", "0");
  const base = { "1": { text: "one", status: "pending" } };
  machine.run(["todo", "edit", "1", "--text", "theirs", "--session", "demo"]);
  const rename = (text: string) => ops({ op: "edit", target: { any: "1" }, set: { text } });
  const refused = await ask(`${DEMO}/ops`, { ...rename("mine"), base });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "conflict", yours: base["1"], theirs: { text: "theirs" }, by: "user" },
  });
  const finished = await ask(`${DEMO}/ops`, {
    ...ops({ op: "finish", target: { any: "1" } }),
    base,
  });
  expect(finished.status).toBe(200);
  const same = await ask(`${DEMO}/ops`, { ...rename("theirs"), base });
  expect(same.status).toBe(200);
  expect(await ask(`${DEMO}/ops`, { ...rename("mine") })).toMatchObject({ status: 200 });
});

test.each([
  ["no object", [], 400],
  ["no ops", { ops: [], key: "k" }, 400],
  ["no key", { ops: [{ op: "clear" }] }, 400],
  ["an op that pages have not", { ops: [{ op: "clear" }], key: "k" }, 400],
  ["a field too many", { ...ops({ op: "start", target: { any: "1" } }), by: "agent" }, 400],
  ["a number as text", { ops: [{ op: "note", target: { any: "1" }, text: 1 }], key: "k" }, 400],
  ["a todo that is not there", ops({ op: "start", target: { any: "99" } }), 422],
  ["an empty text", ops({ op: "edit", target: { any: "1" }, set: { text: " " } }), 422],
])("refuses %s with a message", async (_, body, status) => {
  const machine = machineOf();
  machine.run(["todo", "add", "one", "--session", "demo"]);
  const { ask } = await serve(machine, "--port", "0");
  const answer = await ask(`${DEMO}/ops`, body);
  expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(/\.$/) } });
  const { body: unknown, status: none } = await ask("/api/tracks/nobody~main/ops", body);
  expect([none, (unknown as { code: string }).code]).toEqual(
    status === 400 ? [400, "invalid_input"] : [404, "unknown_track"],
  );
});

test("repeats no change with the same key", async () => {
  const machine = machineOf();
  machine.run(["todo", "add", "one", "--session", "demo"]);
  const { ask } = await serve(machine, "--port", "0");
  const request = { ops: [{ op: "add", todos: [{ text: "two" }] }], key: "same" };
  const answers = await Promise.all([1, 2, 3].map(() => ask(`${DEMO}/ops`, request)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { todos } = JSON.parse(machine.run(["todos", "--session", "demo", "--json"]).stdout);
  expect(todos.map(({ text }: { text: string }) => text)).toEqual(["one", "two"]);
});

test("agents reach the list over MCP, with the token", async () => {
  const machine = machineOf();
  const { url, token } = await serve(machine, "--port", "0");
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    requestInit: { headers },
  });
  await client.connect(transport);
  ends.push(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["todos"]);
  await client.callTool({ name: "todos", arguments: { todos: [{ text: "over http" }] } });
  expect(machine.run(["ls", "--json"]).stdout).toContain("over http");
  const stranger = await fetch(new URL("/mcp", url), { method: "POST", body: "{}" });
  expect(stranger.status).toBe(401);
});

test("offers the named tools at /mcp, including tasks", async () => {
  const machine = machineOf();
  machine.run(["task", "add", "Write the parser"]);
  const { url, token } = await serve(machine, "--port", "0", "--tools", "todos,tasks");
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  ends.push(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(["tasks", "todos"]);
  const { content } = await client.callTool({ name: "tasks", arguments: {} });
  expect(JSON.stringify(content)).toContain("Write the parser");
  expect(machine.run(["serve", "--tools", "todoz"]).status).toBe(2);
});

test("counts refused requests for doctor", async () => {
  const machine = machineOf();
  const { url } = await serve(machine, "--port", "0");
  expect((await fetch(new URL("/api/tracks", url))).status).toBe(401);
  const other = { authorization: "Bearer none", origin: "http://evil.example" };
  expect((await fetch(new URL("/api/tracks", url), { headers: other })).status).toBe(403);
  expect(machine.run(["doctor"]).stdout).toContain("refused    web requests: 401 1, 403 1\n");
});

test("opens the named session, on a new server and on a running one", async () => {
  const machine = machineOf();
  machine.run(["todo", "add", "one", "--session", "demo"]);
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const program = start(process.execPath, [PROGRAM, "serve", "demo", "--no-open"], env);
  ends.push(async () => {
    program.child.kill("SIGINT");
    await program.finished;
  });
  const leads = `?to=${encodeURIComponent(pagePath({ session: "demo", agent: "main" }))}`;
  await program.untilPrinted(`${leads}\n`);
  const again = machine.run(["serve", "demo", "--no-open"]);
  expect(again.stdout.trim().endsWith(leads)).toBe(true);
  expect(machine.run(["serve", "demo", "--no-open"]).stdout).not.toBe(again.stdout);
  expect(machine.run(["serve", "nobody", "--no-open"])).toMatchObject({ status: 1, stdout: "" });
});
