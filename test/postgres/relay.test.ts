import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import type { Event } from "../../src/core/model.ts";
import { trackPath } from "../../src/core/wire.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { type Machine, newMachine, PROGRAM } from "../cli/machine.ts";
import { type Running, start } from "../cli/running.ts";
import { compileShim, NO_SHIM, shimIn } from "../faults/shim.ts";
import { needs } from "../skipped.ts";
import { until } from "../until.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let databases = 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function machineOf(): Machine {
  const machine = newMachine();
  ends.push(() => machine.remove());
  return machine;
}

async function newStore(): Promise<Record<string, string>> {
  databases += 1;
  return { WAYMARK_STORE: await server.database(`relay${databases}`) };
}

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A program of a machine that runs until stopped. */
function running(
  machine: Machine,
  args: readonly string[],
  store: Record<string, string>,
): Running {
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home, ...store };
  const program = start(process.execPath, [PROGRAM, ...args], env);
  ends.push(async () => {
    if (program.child.exitCode === null && program.child.signalCode === null)
      program.child.kill("SIGKILL");
    await program.finished;
  });
  return program;
}

/** Writes to a list in the machine's own store. */
function listOf(machine: Machine): (input: unknown) => void {
  return (input) => expect(machine.tool("todos", input, "--session", "own").status).toBe(0);
}

const patient = { timeout: 20_000, interval: 100 };

interface Row {
  readonly session: string;
  readonly agentType: string | null;
  readonly machine?: string;
  readonly progress: { readonly completed: number; readonly total: number };
}

function board(machine: Machine, store: Record<string, string>): readonly string[] {
  const { stdout, stderr, status } = machine.run(["ls", "--json", "--all"], { env: store });
  expect([status, stderr]).toEqual([0, ""]);
  const rows = JSON.parse(stdout) as Row[];
  return rows
    .map(({ session, machine: from, progress: { completed, total } }) =>
      [session, from, `${completed}/${total}`].join(" "),
    )
    .sort();
}

function claudeFile(machine: Machine): string {
  const folder = join(machine.root, ".claude", "projects", "-project");
  mkdirSync(folder, { recursive: true });
  return join(folder, `${SESSION}.jsonl`);
}

const SESSION = "0b9ff6f0-3a51-4a7e-9a1e-3f6e8a0f5d11";
const HOUR_AGO = Date.now() - 3_600_000;

/** The server's history of a track: keys in order. */
async function historyOf(store: Record<string, string>, session: string) {
  const rows = await ask<{ place: number; body: string }>(
    store.WAYMARK_STORE ?? "",
    `SELECT place, body FROM waymark.relayed_events JOIN waymark.relayed ON relayed.id = track
      WHERE session = '${session}' ORDER BY place`,
  );
  expect(rows.map(({ place }) => place)).toEqual(rows.map((_, place) => place + 1));
  return rows.map(({ body }) => JSON.parse(body) as Event);
}

test("two machines share one board while the database restarts in between: nothing lost, nothing twice", async () => {
  const store = await newStore();
  const [one, two, viewer] = [machineOf(), machineOf(), machineOf()];
  const first = claudeSession(SESSION, one.cwd)
    .prompt("Mend the parser", HOUR_AGO)
    .todos([["Find the fault", "in_progress"]], HOUR_AGO + 1_000);
  writeFileSync(claudeFile(one), first.text());
  const write = (machine: Machine, input: unknown) =>
    expect(machine.tool("todos", input, "--session", "own")).toMatchObject({ status: 0 });
  write(two, { todos: [{ text: "Pour the concrete", status: "in_progress" }, { text: "Paint" }] });

  const relays = [
    running(one, ["relay", "--name", "attic"], store),
    running(two, ["relay", "--name", "cellar"], store),
  ] as const;
  await Promise.all([
    relays[0].untilPrinted("Relaying as attic"),
    relays[1].untilPrinted("Relaying as cellar"),
  ]);
  await expect
    .poll(() => board(viewer, store), patient)
    .toEqual([`${SESSION}@attic attic 0/1`, "own@cellar cellar 0/2"]);

  const added = one.run(["task", "add", "Shared", "--json"], { env: store });
  const second = one.run(["task", "add", "Next", "--json"], { env: store });
  expect([added.status, second.status]).toEqual([0, 0]);
  const claim = (machine: Machine, who: string) =>
    JSON.parse(machine.run(["task", "claim", "--as", who, "--json"], { env: store }).stdout);
  const claims = [claim(one, "ann"), claim(two, "bob")];
  expect(claims.map(({ id }) => id).sort()).toEqual(["t1", "t2"]);

  await server.crash();
  await Promise.all(relays.map((relay) => relay.untilPrinted("Retrying")));
  // Work continues while the server is down.
  appendFileSync(
    claudeFile(one),
    claudeSession(SESSION, one.cwd)
      .todos([["Find the fault", "completed"]], HOUR_AGO + 60_000)
      .text()
      .replaceAll("toolu_", "toolu_later_")
      .replaceAll('"uuid":"u', '"uuid":"later'),
  );
  write(two, { finish: ["Pour the concrete"] });
  write(two, { finish: ["Paint"] });
  await server.start();

  await expect
    .poll(() => board(viewer, store), { ...patient, timeout: 40_000 })
    .toEqual([`${SESSION}@attic attic 1/1`, "own@cellar cellar 2/2"]);
  for (const { id, owner, epoch } of claims) {
    const done = viewer.run(
      ["task", "done", id, "--as", owner, "--epoch", String(epoch), "--key", `${id} done`],
      { env: store },
    );
    expect(done).toMatchObject({ status: 0 });
  }
  expect(claim(viewer, "eve")).toMatchObject({ code: "none_ready" });

  const mine = JSON.parse(
    two.run(["history", "--session", "own", "--json"]).stdout,
  ) as readonly unknown[];
  const relayed = viewer.run(["history", "--session", "own@cellar", "--json"], { env: store });
  expect(JSON.parse(relayed.stdout)).toEqual(mine);
  const events = await historyOf(store, "own");
  expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  expect((await historyOf(store, SESSION)).map(({ at }) => at - HOUR_AGO)).toEqual([1_000, 60_000]);

  for (const { child, finished } of relays) {
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ signal: "SIGTERM" });
  }
}, 120_000);

test("relays neither input nor output of tools", async () => {
  const store = await newStore();
  const one = machineOf();
  writeFileSync(
    claudeFile(one),
    claudeSession(SESSION, one.cwd)
      .prompt("Look around", HOUR_AGO)
      .call("Write", { file_path: "a.txt", content: "SECRET-INPUT" }, HOUR_AGO, "SECRET-OUTPUT")
      .call("Bash", { command: "cat a.txt" }, HOUR_AGO, "SECRET-OUTPUT")
      .todos([["Look", "in_progress"]], HOUR_AGO)
      .text(),
  );
  expect(one.tool("todos", { add: ["Mine"] }, "--session", "own").status).toBe(0);
  const { status, stdout } = one.run(["relay", "--once", "--json", "--name", "attic"], {
    env: store,
  });
  expect([status, JSON.parse(stdout)]).toEqual([0, { machine: "attic", tracks: 2, events: 2 }]);
  const url = store.WAYMARK_STORE ?? "";
  const rows = await ask(url, "SELECT * FROM waymark.relayed, waymark.relayed_events");
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain("SECRET");
  expect(JSON.stringify(rows)).toContain("cat a.txt");
  expect(readFileSync(claudeFile(one), "utf8")).toContain("SECRET");
  // Nothing changed, so nothing is sent.
  const again = one.run(["relay", "--once", "--json", "--name", "attic"], { env: store });
  expect(JSON.parse(again.stdout)).toEqual({ machine: "attic", tracks: 0, events: 0 });
});

test("a relay ends when its output is closed, and its data stays", async () => {
  const store = await newStore();
  const [one, viewer] = [machineOf(), machineOf()];
  const write = listOf(one);
  write({ add: ["First"] });
  const relay = running(one, ["relay", "--name", "attic", "--json"], store);
  await relay.untilPrinted('"tracks":1');
  relay.child.stdout?.destroy();
  write({ add: ["Second"] });
  const { code, stderr } = await relay.finished;
  expect(code).toBe(0);
  expect(stderr).not.toContain("Trying again");
  expect(board(viewer, store)).toEqual(["own@attic attic 0/2"]);
});

test("a second relay of a machine waits for the first, and takes over when it is killed", async () => {
  const store = await newStore();
  const [one, viewer] = [machineOf(), machineOf()];
  const write = listOf(one);
  write({ add: ["First"] });
  const first = running(one, ["relay", "--name", "attic", "--json"], store);
  await first.untilPrinted('"tracks":1');
  const second = running(one, ["relay", "--name", "attic", "--json"], store);
  await second.untilPrinted("Another relay of this machine");
  write({ add: ["Second"] });
  await first.untilPrinted('"events":1,"at"');
  first.child.kill("SIGKILL");
  write({ add: ["Third"] });
  await expect.poll(() => board(viewer, store), patient).toEqual(["own@attic attic 0/3"]);
  const events = await historyOf(store, "own");
  expect(events.flatMap(({ changes }) => changes.map(({ type }) => type))).toEqual([
    "track.opened",
    "todo.added",
    "todo.added",
    "todo.added",
  ]);
  second.child.kill("SIGINT");
  expect(await second.finished).toMatchObject({ signal: "SIGINT" });
}, 60_000);

test("a page shows other machines live and refuses to change their lists", async () => {
  const store = await newStore();
  const [one, viewer] = [machineOf(), machineOf()];
  expect(one.tool("todos", { add: ["First"] }, "--session", "own").status).toBe(0);
  const relay = running(one, ["relay", "--name", "attic"], store);
  await relay.untilPrinted("Relaying as attic");
  const page = running(viewer, ["serve", "--port", "0", "--no-open", "--json"], store);
  await page.untilPrinted("\n");
  const { url } = JSON.parse(readFileSync(join(viewer.home, "serve.json"), "utf8")) as {
    url: string;
  };
  const headers = {
    authorization: `Bearer ${readFileSync(join(viewer.home, "serve-token"), "utf8").trim()}`,
    "content-type": "application/json",
  };
  const get = async (path: string) => (await fetch(new URL(path, url), { headers })).json();
  const path = `/api/tracks/${encodeURIComponent(trackPath({ session: "own@attic", agent: "main" }))}`;
  await expect
    .poll(async () => await get("/api/tracks"), patient)
    .toMatchObject({
      tracks: [{ machine: "attic", hosted: false, track: { session: "own@attic" } }],
    });
  expect(one.tool("todos", { add: ["Second"] }, "--session", "own").status).toBe(0);
  await expect
    .poll(async () => await get(path), patient)
    .toMatchObject({
      track: { todos: [{ text: "First" }, { text: "Second" }] },
      events: [{ seq: 1 }, { seq: 2 }],
    });
  const refused = await fetch(new URL(`${path}/ops`, url), {
    method: "POST",
    headers,
    body: JSON.stringify({ ops: [{ op: "finish", target: { any: "1" } }], key: "k" }),
  });
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: "not_ours" }]);
  const cli = viewer.run(["todo", "add", "Mine", "--session", "own@attic"], { env: store });
  expect(cli.status).toBe(1);
  expect(cli.stderr).toContain("can only be changed on attic");
}, 60_000);

test("watch --json prints lists of other machines", async () => {
  const store = await newStore();
  const [one, viewer] = [machineOf(), machineOf()];
  const relay = running(one, ["relay", "--name", "attic"], store);
  await relay.untilPrinted("Relaying as attic");
  const watch = running(viewer, ["watch", "--json"], store);
  let printed = "";
  watch.child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  // Existing lists are not printed: todos are added until one is.
  let n = 0;
  await until(
    () => {
      if (printed.includes("\n")) return true;
      expect(one.tool("todos", { add: [`Todo ${++n}`] }, "--session", "own").status).toBe(0);
      return false;
    },
    "a list of the other machine",
    { interval: 500 },
  );
  expect(JSON.parse(printed.split("\n")[0] ?? "")).toMatchObject({
    type: "todo_list",
    sessionId: "own@attic",
    agentId: "main",
    agentType: "waymark",
    items: expect.arrayContaining([{ id: "1", text: "Todo 1", status: "pending" }]),
  });
}, 60_000);

test.each([3, -3])(
  "shows a machine whose clock is %s hours ahead by the local clock",
  needs(NO_SHIM),
  async (hours) => {
    const store = await newStore();
    const [one, viewer] = [machineOf(), machineOf()];
    const shim = shimIn(one.root, compileShim(one.root));
    shim.control.setClock(hours * 3_600_000);
    const env = { ...store, ...shim.env(one.root) };
    const input = JSON.stringify({ todos: [{ text: "Pour", status: "in_progress" }] });
    expect(one.run(["tool", "todos", "--session", "own"], { input, env }).status).toBe(0);
    const theirs = one.run(["relay", "--once", "--json", "--name", "attic"], { env });
    expect(JSON.parse(theirs.stdout)).toMatchObject({ tracks: 1 });

    const received = (...args: string[]) => viewer.run([...args, "--json"], { env: store }).stdout;
    const shown = { ls: received("ls"), show: received("show", "own@attic") };
    const history = received("history", "--session", "own@attic");
    for (const [what, text] of Object.entries({ ...shown, history })) {
      const times = text.match(/20\d\d-\d\d-\d\dT[\d:.]+Z/g) ?? [];
      const off = times.filter((time) => Math.abs(Date.now() - Date.parse(time)) > 60_000);
      expect({ what, some: times.length > 0, off }).toEqual({ what, some: true, off: [] });
    }
    expect(JSON.parse(shown.ls)).toMatchObject([{ session: "own@attic", state: "working" }]);
  },
);

test("reports refused actions with a reason", async () => {
  const one = machineOf();
  expect(one.run(["relay"])).toMatchObject({ status: 2 });
  expect(one.run(["relay", "--store", "mysql://x"]).stderr).toContain("Invalid server");
  expect(one.run(["relay", "--store", server.url, "--name", "a b"]).stderr).toContain(
    "A machine name has up to 63",
  );
  const away = one.run(["relay", "--once", "--store", "postgres://me:secret@127.0.0.1:1/x"]);
  expect(away.status).toBe(3);
  expect(away.stderr).toContain("cannot be reached");
  expect(away.stderr).not.toContain("secret");
  const ls = one.run(["ls"], { env: { WAYMARK_STORE: "postgres://127.0.0.1:1/x" } });
  expect(ls).toMatchObject({ status: 0 });
  expect(ls.stderr).toContain("Other machines are not shown");
}, 60_000);
