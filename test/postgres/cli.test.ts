import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Machine, newMachine, PROGRAM } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let machines: readonly [Machine, Machine];
beforeAll(() => {
  machines = [newMachine(), newMachine()];
}, 60_000);
afterAll(() => {
  for (const machine of machines) machine.remove();
}, 60_000);

test("shares the tasks of a server between two machines", () => {
  const [here, there] = machines;
  const env = { WAYMARK_STORE: server.url };
  const added = here.run(["task", "add", "Shared", "--json"], { env });
  expect(JSON.parse(added.stdout)).toMatchObject({ id: "t1", subject: "Shared" });
  const claimed = there.run(["task", "claim", "--as", "ann", "--json", "--store", server.url]);
  expect(JSON.parse(claimed.stdout)).toMatchObject({ id: "t1", owner: "ann", epoch: 1 });
  const held = here.run(["task", "claim", "t1", "--as", "bob", "--json"], { env });
  expect([held.status, JSON.parse(held.stdout)]).toMatchObject([
    1,
    { code: "held", holder: "ann" },
  ]);
  const done = there.run(["task", "done", "t1", "--as", "ann", "--epoch", "1", "--key", "k"], {
    env,
  });
  expect(done).toMatchObject({ status: 0, stdout: "Completed t1 without evidence\n", stderr: "" });
  expect(here.json(["task", "list"])).toEqual([]);
});

test("claiming, finishing and releasing a task of a server creates no local store", async () => {
  const url = await server.database("no_local_store");
  const adding = newMachine();
  const claiming = newMachine();
  onTestFinished(() => {
    adding.remove();
    claiming.remove();
  });
  const env = { WAYMARK_STORE: url };
  for (const subject of ["One", "Two", "Three"]) adding.run(["task", "add", subject], { env });
  const steps = [
    ["claim", "t1", "--as", "ann"],
    ["done", "t1", "--as", "ann", "--epoch", "1"],
    ["claim", "t2", "--as", "s1/main"],
    ["release", "t2", "--as", "s1/main", "--epoch", "1"],
    ["claim", "t3", "--as", "ann"],
  ];
  for (const step of steps) {
    const { status, stderr } = claiming.run(["task", ...step], { env });
    expect({ step, status, stderr }).toEqual({ step, status: 0, stderr: "" });
  }
  const files = existsSync(claiming.home) ? readdirSync(claiming.home) : [];
  expect(files.filter((name) => name.startsWith("waymark.db"))).toEqual([]);
});

test("an agent's first claim on a server starts its list", async () => {
  const env = { WAYMARK_STORE: await server.database("first_list") };
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  machine.run(["task", "add", "Shared"], { env });
  const claimed = machine.run(["tool", "tasks", "--session", "s1"], {
    env,
    input: '{"claim":"next"}',
  });
  expect(claimed).toMatchObject({ status: 0 });
  expect(machine.json(["todos", "--session", "s1"])).toMatchObject({
    todos: [{ text: "Shared", status: "in_progress" }],
  });
});

test("serve shows the tasks of a server live, also after an outage", async () => {
  const [here, there] = machines;
  const url = await server.database("serve");
  const program = start(
    process.execPath,
    [PROGRAM, "serve", "--port", "0", "--no-open", "--json", "--store", url],
    { HOME: here.root, WAYMARK_HOME: here.home },
  );
  onTestFinished(async () => {
    program.child.kill("SIGINT");
    await program.finished;
  });
  await program.untilPrinted("\n");
  const { url: address } = JSON.parse(readFileSync(join(here.home, "serve.json"), "utf8"));
  const token = readFileSync(join(here.home, "serve-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}` };
  const ask = () => fetch(`${address}api/tasks`, { headers });

  const { position } = (await (await ask()).json()) as { position: string };

  const left = new AbortController();
  const stream = await fetch(`${address}api/events?after=${position}`, {
    headers,
    signal: left.signal,
  });
  let received = "";
  const reading = (async () => {
    for await (const chunk of stream.body as AsyncIterable<Uint8Array>)
      received += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const env = { WAYMARK_STORE: url };
  there.run(["task", "add", "From another machine"], { env });
  await expect.poll(() => received).toContain("From another machine");
  await server.crash();
  await server.start();
  there.run(["task", "claim", "t1", "--as", "ann"], { env });
  await expect.poll(() => received).toContain('"owner":"ann"');
  left.abort();
  await reading;
}, 60_000);

test("reports an unreachable server without its password", () => {
  const [here] = machines;
  const { status, stderr } = here.run(["task", "list"], {
    env: { WAYMARK_STORE: "postgres://me:secret@127.0.0.1:1/x" },
  });
  expect(status).toBe(3);
  expect(stderr).toContain("The server postgres://me:...@127.0.0.1:1/x cannot be reached");
  expect(stderr).not.toContain("secret");
});
