import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { trackKey as keyOf } from "../../src/core/text/ids.ts";
import { openServer, type Server } from "../../src/engines/postgres/server.ts";
import { openRelayConnection } from "../../src/sessions/remote/connection.ts";
import { newMachine, PROGRAM } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { startProxy } from "./proxy.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let databases = 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A new database behind a proxy that can drop connections on one side only. */
async function newWay() {
  databases += 1;
  const url = await server.database(`lost${databases}`);
  const proxy = await startProxy(url);
  ends.push(() => proxy.close());
  return { url, proxy };
}

const patient = { timeout: 20_000, interval: 100 };

test("a relay continues after a lost connection that the server still considers open", async () => {
  const { url, proxy } = await newWay();
  const machine = newMachine();
  ends.push(() => machine.remove());
  const add = (text: string) =>
    expect(machine.run(["todo", "add", text, "--session", "own"])).toMatchObject({ status: 0 });
  add("One");
  const relay = start(process.execPath, [PROGRAM, "relay", "--name", "attic", "--json"], {
    HOME: machine.root,
    WAYMARK_HOME: machine.home,
    WAYMARK_STORE: proxy.url,
  });
  ends.push(async () => {
    relay.child.kill("SIGKILL");
    await relay.finished;
  });
  await relay.untilPrinted('"tracks":1');

  proxy.forsake();
  add("Two");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  ends.push(() => client.end());
  const places = async () =>
    (await client.query("SELECT places FROM waymark.relayed")).rows.map((row) => row.places);
  await expect.poll(places, patient).toEqual([2]);

  relay.child.kill("SIGINT");
  const { stderr } = await relay.finished;
  expect(stderr).toContain("was lost");
  expect(stderr).toContain("Connected again");
  expect(stderr).not.toContain("Another relay");
}, 60_000);

test("two relays of a machine exclude each other until the server drops the first", async () => {
  const { url, proxy } = await newWay();
  const [there, here] = await Promise.all([openServer(proxy.url), openServer(url)]);
  ends.push(
    () => here.close(),
    () => there.close(),
  );
  const machine = { id: randomUUID(), name: "attic" };
  const open = async (by: Server, relay: string, silence: number) => {
    const line = await openRelayConnection(by, {
      machine,
      relay,
      idleTimeout: silence,
      keyOf,
      onLost: () => undefined,
    });
    if (line) ends.push(() => line.close());
    return line;
  };
  const first = await open(there, "first", 60_000);
  expect(first).toBeDefined();
  expect(await open(here, "second", 60_000)).toBeUndefined();
  // The relay that failed to start stopped nothing.
  await first?.send([]);
  first?.close();

  await expect.poll(() => open(there, "first", 1_000), patient).toBeDefined();
  proxy.forsake();
  await expect.poll(() => open(here, "second", 60_000), patient).toBeDefined();
}, 60_000);
