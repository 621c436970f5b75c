import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import pg from "pg";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { trackKey } from "../../src/core/text/ids.ts";
import { openServer } from "../../src/engines/postgres/server.ts";
import { loadOrCreateMachineId } from "../../src/home/machine-id.ts";
import { listSessions } from "../../src/sessions/listing/list.ts";
import type { RelayConnection, RelayUpdate } from "../../src/sessions/remote/connection.ts";
import { openRelayConnection } from "../../src/sessions/remote/connection.ts";
import { followRelayed, readRelayed, relayedEvents } from "../../src/sessions/remote/follow.ts";
import { remoteSource } from "../../src/sessions/remote/index.ts";
import { openRelaying, type RelayingOptions } from "../../src/sessions/remote/relaying.ts";
import type { Sent } from "../../src/sessions/remote/sender.ts";
import { resolveTrack } from "../../src/sessions/resolve.ts";
import type { SessionUpdate } from "../../src/sessions/source.ts";
import { openSources, type SessionsCall } from "../../src/sessions/sources.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { CWD, HOUR, MINUTE, newContext, type TestContext } from "../sessions/context.ts";
import { until } from "../until.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });
let databases = 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newStore(): Promise<string> {
  databases += 1;
  return server.database(`remote${databases}`);
}

async function ask(store: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: store });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const ONE = "aaaa1111-1111-4111-8111-111111111111";
const TWO = "aaaa2222-2222-4222-8222-222222222222";

interface RelayTest {
  readonly sent: Sent[];
  readonly waiting: string[];
  readonly connected: string[];
  readonly ended: Promise<void>;
  end(): void;
}

/** Relays a machine until the test ends, or once. */
async function relay(
  { home, env, terminal }: SessionsCall,
  store: string,
  options: Partial<RelayingOptions> = {},
): Promise<RelayTest> {
  const sent: Sent[] = [];
  const waiting: string[] = [];
  const connected: string[] = [];
  const relaying = await openRelaying(
    { home, env, terminal },
    {
      store,
      machine: { id: loadOrCreateMachineId(home.path), name: "attic" },
      once: false,
      onConnected: (name) => connected.push(name),
      onSent: (each) => sent.push(each),
      onWaiting: (reason) => waiting.push(reason),
      ...options,
    },
  );
  let isOver = false;
  const ended = relaying.ended.finally(() => {
    isOver = true;
  });
  ends.push(async () => {
    if (isOver) return;
    relaying.end();
    relaying.end();
    await ended;
  });
  return { sent, waiting, connected, ended, end: relaying.end };
}

async function relayOnce(call: SessionsCall, store: string, name = "attic"): Promise<Sent[]> {
  const machine = { id: loadOrCreateMachineId(call.home.path), name };
  const { sent, ended } = await relay(call, store, { once: true, machine });
  await ended;
  return sent;
}

const append = (path: string, write: (file: ReturnType<typeof claudeSession>) => unknown) => {
  const file = claudeSession(ONE, CWD);
  write(file);
  // Calls have their own ids.
  appendFileSync(path, file.text().replaceAll("toolu_", "toolu_later_"));
};

describe("a relayed machine", () => {
  /** An agent with a list, a subagent with another, and a list of the user. */
  async function relayed() {
    const store = await newStore();
    const viewer = newContext();
    const machine = newContext();
    const now = Date.now();
    const path = machine.transcript(ONE, (file) =>
      file
        .prompt("Repair the export", now - 10 * MINUTE)
        .todos([["Read", "in_progress"]], now - 9 * MINUTE)
        .todos(
          [
            ["Read", "completed"],
            ["Write", "in_progress"],
          ],
          now - 8 * MINUTE,
        ),
    );
    machine.subagent(ONE, "a1", (file, at) => file.todos([["Sub's", "pending"]], at));
    await machine.host({ session: "groceries" }, [{ text: "Milk" }]);
    return { store, viewer, machine, path, now };
  }

  test("is listed on other machines with its todos, histories and times", async () => {
    const { store, viewer, machine, now } = await relayed();
    expect(await relayOnce(machine.call, store)).toEqual([
      { machine: "attic", tracks: 3, events: 4 },
    ]);
    const source = remoteSource(viewer.call, store);
    const list = await source.list();
    expect(
      list.map(({ live, machine: name }) => `${live.session} ${live.agent} ${name}`).sort(),
    ).toEqual([`${ONE} a1 attic`, `${ONE} main attic`, "groceries main attic"]);
    const id = { session: `${ONE}@attic`, agent: "main" };
    const read = await source.read(id);
    expect(await read?.read()).toMatchObject({
      ...id,
      title: "Repair the export",
      todos: [
        { text: "Read", status: "completed" },
        { text: "Write", status: "in_progress" },
      ],
    });
    expect((await source.history(id)).map(({ seq, at }) => [seq, now - at])).toEqual([
      [1, 9 * MINUTE],
      [2, 8 * MINUTE],
    ]);
    expect((await read?.at(now - 9 * MINUTE))?.todos.map(({ text }) => text)).toEqual(["Read"]);
    expect(await source.read({ session: "none@attic", agent: "main" })).toBeUndefined();
    expect(await source.history({ session: "none@attic", agent: "main" })).toEqual([]);
  });

  test("does not see itself through the server", async () => {
    const { store, machine } = await relayed();
    await relayOnce(machine.call, store);
    expect(await remoteSource(machine.call, store).list()).toEqual([]);
  });

  test("sends only what the server does not have", async () => {
    const { store, machine, path } = await relayed();
    await relayOnce(machine.call, store);
    expect(await relayOnce(machine.again(), store)).toEqual([]);
    append(path, (file) => file.todos([["Write", "completed"]], Date.now()));
    expect(await relayOnce(machine.again(), store)).toEqual([
      { machine: "attic", tracks: 1, events: 1 },
    ]);
    const places = await ask(
      store,
      `SELECT place FROM waymark.relayed_events JOIN waymark.relayed ON relayed.id = track
        WHERE session = '${ONE}' AND agent = 'main' ORDER BY place`,
    );
    expect(places.map(({ place }) => place)).toEqual([1, 2, 3]);
  });

  test("sends one update per change and none for existing tracks", async () => {
    const { store, viewer, machine, path } = await relayed();
    const running = await relay(machine.call, store);
    await until(() => running.sent.length > 0, "the first tracks");
    const updates: SessionUpdate[] = [];
    let changes = 0;
    const source = remoteSource(viewer.call, store);
    const subscription = await source.subscribe({
      onUpdates: (some) => updates.push(...some),
      onChange: () => {
        changes += 1;
      },
    });
    ends.push(() => subscription.stop());
    await subscription.ready;
    expect(subscription.list()).toHaveLength(3);
    expect([updates.length, changes]).toEqual([0, 1]);
    append(path, (file) => file.todos([["Write", "completed"]], Date.now()));
    await until(() => updates.length > 0, "the update");
    const [update] = updates;
    expect(update).toMatchObject({
      id: { session: `${ONE}@attic`, agent: "main" },
      before: { todos: [{ text: "Read" }, { text: "Write", status: "in_progress" }] },
      after: { todos: [{ text: "Write", status: "completed" }] },
    });
    expect(update?.change?.changes.length).toBeGreaterThan(0);
    expect(changes).toBeGreaterThan(1);
    // Histories use the same connection as updates.
    expect(await source.history({ session: `${ONE}@attic`, agent: "main" })).toHaveLength(3);
    subscription.refresh();
  });

  test("sends everything it read before it ends", async () => {
    const { store, machine } = await relayed();
    const running = await relay(machine.call, store);
    await until(() => running.sent.length > 0, "the first tracks");
    await machine.host({ session: "groceries" }, [{ text: "Milk" }, { text: "Bread" }]);
    running.end();
    await running.ended;
    const [row] = await ask(store, "SELECT state FROM waymark.relayed WHERE session = 'groceries'");
    expect(String(row?.state)).toContain("Bread");
  });

  test("does not send hook observations and reminders", async () => {
    const store = await newStore();
    const machine = newContext();
    await machine.host({ session: "groceries" }, [{ text: "Milk" }]);
    const tracker = await machine.call.home.writing();
    const list = tracker.list({ session: "groceries", agent: "main" });
    await list.observe([
      { type: "tool.started", callId: "c", name: "Bash", input: { command: "secret" } },
    ]);
    await list.submit([{ op: "add", todos: [{ text: "Bread" }] }]);
    await relayOnce(machine.call, store);
    const bodies = await ask(store, "SELECT body FROM waymark.relayed_events ORDER BY place");
    const types = bodies.flatMap(({ body }) =>
      (JSON.parse(String(body)).changes as { type: string }[]).map(({ type }) => type),
    );
    expect(types).not.toContain("observed");
    expect(types).toContain("todo.added");
    expect(JSON.stringify(bodies)).not.toContain("secret");
  });
});

describe("commands with a shared server", () => {
  async function shared() {
    const store = await newStore();
    const machine = newContext();
    machine.transcript(ONE, (file, at) => file.todos([["Theirs", "pending"]], at), { age: HOUR });
    machine.transcript(TWO, (file, at) => file.prompt("Go", at).end(at), { age: 2 * HOUR });
    await relayOnce(machine.call, store);
    const viewer = newContext({ WAYMARK_STORE: store });
    await viewer.host({ session: "groceries" }, [{ text: "Milk" }]);
    return { store, viewer };
  }
  const unused = { directory: () => CWD };

  test("list the sessions of other machines among their own", async () => {
    const { viewer } = await shared();
    const { tracks } = await listSessions(viewer.call, {}, Date.now());
    expect(tracks.map(({ track, machine }) => [track.session, machine])).toEqual([
      ["groceries", undefined],
      [`${ONE}@attic`, "attic"],
      [`${TWO}@attic`, "attic"],
    ]);
    const sources = openSources(viewer.again(), { store: false });
    expect(sources.remote).toBeUndefined();
  });

  test.each([
    ["a whole name", `${ONE}@attic`, { by: "name" }],
    ["the beginning of an id", "aaaa1@attic", { by: "prefix" }],
  ])("find a session by %s", async (_, given, how) => {
    const { viewer } = await shared();
    const found = await resolveTrack(viewer.call, { session: given }, unused);
    expect(found).toMatchObject(how);
    if ("problem" in found) throw new Error("not found");
    expect(found.list.id).toEqual({ session: `${ONE}@attic`, agent: "main" });
    expect((await found.list.read()).todos.map(({ text }) => text)).toEqual(["Theirs"]);
    expect((await found.list.events()).length).toBe(1);
  });

  test("say why a session of another machine is not found", async () => {
    const { viewer } = await shared();
    const problem = (session: string, agent?: string) =>
      resolveTrack(viewer.call, { session, agent }, unused);
    expect(await problem("aaaa@attic")).toEqual({
      problem: "ambiguous",
      given: "aaaa@attic",
      sessions: [`${ONE}@attic`, `${TWO}@attic`],
    });
    expect(await problem("bbbb@attic")).toEqual({
      problem: "unknown",
      id: { session: "bbbb", agent: "main" },
      machine: "attic",
    });
    expect(await problem(`${ONE}@cellar`)).toMatchObject({ problem: "unknown", machine: "cellar" });
    expect(await problem(`${ONE}@attic`, "sub")).toEqual({
      problem: "unknown",
      id: { session: ONE, agent: "sub" },
      machine: "attic",
    });
  });

  test("continue without an unreachable server, and say so", async () => {
    const viewer = newContext();
    const nowhere = "postgres://nobody:secret@127.0.0.1:1/none";
    expect(await remoteSource(viewer.call, nowhere).list()).toEqual([]);
    expect(viewer.printed).toHaveLength(1);
    expect(viewer.printed[0]).toMatch(/^waymark: Other machines are not shown: /);
    expect(viewer.printed[0]).not.toContain("secret");
    const subscription = await remoteSource(viewer.call, nowhere).subscribe({});
    onTestFinished(() => subscription.stop());
    await subscription.ready;
    expect(subscription.list()).toEqual([]);
    expect(viewer.printed).toHaveLength(2);
  });
});

describe("two relays", () => {
  async function machineWithList(): Promise<TestContext> {
    const machine = newContext();
    await machine.host({ session: "groceries" }, [{ text: "Milk" }]);
    return machine;
  }

  test("of two machines with the same name have different names on the server", async () => {
    const store = await newStore();
    const [first] = await relayOnce((await machineWithList()).call, store);
    const second = await machineWithList();
    const [other] = await relayOnce(second.call, store);
    const id = loadOrCreateMachineId(second.call.home.path);
    expect([first?.machine, other?.machine]).toEqual(["attic", `attic-${id.slice(0, 4)}`]);
    const viewer = newContext();
    const names = (await remoteSource(viewer.call, store).list()).map(({ machine }) => machine);
    expect(names.sort()).toEqual(["attic", `attic-${id.slice(0, 4)}`]);
  });

  test("of one machine take turns: the second waits for the first to end", async () => {
    const store = await newStore();
    const machine = await machineWithList();
    const first = await relay(machine.call, store);
    await until(() => first.sent.length > 0, "the first relay");
    const second = await relay(machine.again(), store);
    await until(() => second.waiting.length > 0, "the second relay to wait");
    expect(second.waiting[0]).toContain("Another relay of this machine");
    expect(second.connected).toEqual([]);
    first.end();
    await first.ended;
    await until(() => second.connected.length > 0, "the second relay to take over");
    expect(second.connected).toEqual(["attic"]);
  });

  test("once, of a machine that another relays, fails", async () => {
    const store = await newStore();
    const machine = await machineWithList();
    const first = await relay(machine.call, store);
    await until(() => first.sent.length > 0, "the first relay");
    const { ended } = await relay(machine.again(), store, { once: true });
    await expect(ended).rejects.toThrow("Another relay of this machine");
  });
});

describe("a relay and its server", () => {
  test("a restarted server receives the missed changes", async () => {
    const store = await newStore();
    const machine = newContext();
    await machine.host({ session: "groceries" }, [{ text: "Milk" }]);
    const running = await relay(machine.call, store);
    await until(() => running.sent.length > 0, "the first track");
    await server.crash();
    await machine.host({ session: "groceries" }, [{ text: "Milk" }, { text: "Bread" }]);
    await until(() => running.waiting.length > 0, "the relay to wait");
    await server.start();
    await until(() => running.sent.length > 1, "the second track");
    expect(running.sent.at(-1)).toEqual({ machine: "attic", tracks: 1, events: 1 });
  }, 60_000);

  test("an address that can never work ends the relay", async () => {
    const machine = newContext();
    await machine.host({ session: "groceries" }, [{ text: "Milk" }]);
    const { ended } = await relay(machine.call, `${server.url}_missing`);
    await expect(ended).rejects.toThrow("has no such database");
  });
});

describe("rows of the server", () => {
  const updateOf = (session: string, more: Partial<RelayUpdate> = {}): RelayUpdate => ({
    id: { session, agent: "main" },
    state: JSON.stringify({
      live: { session, agent: "main", track: { session, agent: "main", todos: [] } },
      updatedAt: 1_000,
    }),
    updatedAt: 1_000.4,
    hash: `hash of ${session}`,
    version: 1,
    eventCount: 0,
    events: [],
    replacesHistory: false,
    ...more,
  });
  const eventOf = (seq: number) => ({
    seq,
    key: `k${seq}`,
    at: seq,
    by: "agent" as const,
    via: "test",
    changes: [],
  });

  async function connection(store: string, id = randomUUID()): Promise<RelayConnection> {
    const opened = await openServer(store);
    ends.push(() => opened.close());
    const line = await openRelayConnection(opened, {
      machine: { id, name: "attic" },
      relay: `waymark relay ${randomUUID()}`,
      idleTimeout: 60_000,
      keyOf: trackKey,
      onLost: () => undefined,
    });
    if (!line) throw new Error("another relay has the lock");
    ends.push(() => line.close());
    return line;
  }

  test("return the position of each track of this machine", async () => {
    const store = await newStore();
    const line = await connection(store);
    expect(line.name).toBe("attic");
    expect(await line.heads()).toEqual(new Map());
    await line.send([
      updateOf("a\u0000b", {
        hash: "h",
        state: "{}",
        eventCount: 2,
        lastKey: "k2",
        events: [eventOf(1), eventOf(2)],
      }),
      updateOf("plain"),
    ]);
    expect(await line.heads()).toEqual(
      new Map([
        [
          trackKey({ session: "a\u0000b", agent: "main" }),
          {
            hash: "h",
            version: 1,
            eventCount: 2,
            lastKey: "k2",
          },
        ],
        [
          trackKey({ session: "plain", agent: "main" }),
          { hash: "hash of plain", version: 1, eventCount: 0 },
        ],
      ]),
    );
  });

  test("keep a history in order, and replace it when it restarts", async () => {
    const store = await newStore();
    const line = await connection(store);
    const reader = await openServer(store);
    ends.push(() => reader.close());
    await line.send([
      updateOf("s", { eventCount: 2, lastKey: "k2", events: [eventOf(1), eventOf(2)] }),
    ]);
    await line.send([
      updateOf("s", { eventCount: 3, lastKey: "k3", events: [eventOf(7)], version: 2 }),
    ]);
    const [track] = await readRelayed(reader, undefined);
    const seqs = async () => (await relayedEvents(reader, track?.row ?? 0)).map(({ seq }) => seq);
    expect(await seqs()).toEqual([1, 2, 3]);
    await line.send([
      updateOf("s", { eventCount: 1, lastKey: "k9", events: [eventOf(9)], replacesHistory: true }),
    ]);
    expect(await seqs()).toEqual([1]);
  });

  test("deliver new and changed tracks, except those of the reading machine", async () => {
    const store = await newStore();
    const [own, other] = [randomUUID(), randomUUID()];
    const mine = await connection(store, own);
    const theirs = await connection(store, other);
    await mine.send([updateOf("mine")]);
    await theirs.send([updateOf("theirs")]);
    const reader = await openServer(store);
    ends.push(() => reader.close());
    let changes = 0;
    const problems: string[] = [];
    const followed = await followRelayed(reader, {
      except: own,
      onChange: () => {
        changes += 1;
      },
      onProblem: (problem) => problems.push(problem),
      every: 50,
    });
    ends.push(() => followed.stop());
    const hashes = () => followed.tracks().map(({ hash }) => hash);
    expect(hashes()).toEqual(["hash of theirs"]);
    await theirs.send([updateOf("theirs", { hash: "another" }), updateOf("second")]);
    await until(() => hashes().length === 2, "the second track");
    expect(hashes().sort()).toEqual(["another", "hash of second"]);
    await mine.send([updateOf("mine", { hash: "changed" })]);
    expect(changes).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    expect((await readRelayed(reader, other)).map(({ hash }) => hash)).toEqual(["changed"]);
  });

  test("report a failed read once", async () => {
    const store = await newStore();
    const reader = await openServer(store, { waitLimit: 100 });
    const problems: string[] = [];
    const followed = await followRelayed(reader, {
      onChange: () => undefined,
      onProblem: (problem) => problems.push(problem),
      every: 20,
    });
    await reader.close();
    await until(() => problems.length > 0, "the problem");
    followed.stop();
    expect(problems).toHaveLength(1);
  });
});
