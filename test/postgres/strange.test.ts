import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TaskEvent, TaskOp, TaskSender } from "../../src/tasks/model.ts";
import { type PostgresTaskStoreOptions, postgresTaskStore } from "../../src/tasks/postgres.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { FULL } from "../full.ts";
import { faultsOf } from "../tasks/checker.ts";
import { pause, until } from "../until.ts";
import { startProxy } from "./proxy.ts";
import { serverForFile } from "./server.ts";

const SENDER: TaskSender = { by: "user", via: "test" };
const MOST_CONNECTIONS = 20;

const server = serverForFile({ fsync: "off", max_connections: String(MOST_CONNECTIONS) });
let databases = 0;

async function newDatabase(): Promise<string> {
  databases += 1;
  return server.database(`strange${databases}`);
}

async function opened(url: string, options: PostgresTaskStoreOptions = {}): Promise<TaskStore> {
  const store = await postgresTaskStore(url, { connections: 2, onWarning: () => {}, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const add = (subject: string): TaskOp => ({ op: "add", tasks: [{ subject }] });

describe("a server that stops answering", { timeout: 60_000 }, () => {
  it("is queried over another connection when one hangs", {
    tags: ["hanging-server"],
  }, async () => {
    const url = await newDatabase();
    const store = await opened(url, { connections: 1, statementLimit: 1_500 });
    await store.apply(add("before"), SENDER);
    const client = await connected(url);
    const { rows } = await client.query(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'waymark' AND datname = current_database()",
    );
    expect(rows).toHaveLength(1);
    const pid = Number(rows[0]?.pid);
    process.kill(pid, "SIGSTOP");
    try {
      const begun = performance.now();
      expect(await store.apply(add("after"), SENDER)).toMatchObject({ ok: true });
      expect(performance.now() - begun).toBeLessThan(30_000);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    // The resumed server process finds no client, and nothing is written twice.
    await until(async () => {
      const alive = await client.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid]);
      return alive.rows.length === 0;
    }, "the end of the connection that slept");
    expect((await store.list()).map(({ subject }) => subject)).toStrictEqual(["before", "after"]);
  });

  it("times out when every connection hangs, and works again when it answers", {
    tags: ["hanging-server"],
  }, async () => {
    const proxy = await startProxy(await newDatabase());
    onTestFinished(() => proxy.close());
    const store = await opened(proxy.url, { statementLimit: 1_500, waitLimit: 3_000 });
    await store.apply(add("before"), SENDER);
    proxy.swallow(true);
    const begun = performance.now();
    const calls = [store.apply(add("lost"), SENDER), store.list(), store.counts()];
    const ends = await Promise.allSettled(calls);
    expect(performance.now() - begun).toBeLessThan(30_000);
    for (const end of ends)
      expect(end).toMatchObject({ status: "rejected", reason: { code: "store_unreachable" } });
    proxy.swallow(false);
    expect(await store.apply(add("after"), SENDER)).toMatchObject({ ok: true });
    expect((await store.list()).map(({ subject }) => subject)).toStrictEqual(["before", "after"]);
  });

  it("claims a ready task that another transaction has locked, once it is free", {
    tags: ["hanging-server"],
  }, async () => {
    const url = await newDatabase();
    const store = await opened(url);
    await store.apply(add("held up"), SENDER);
    const client = await connected(url);
    // Not the client that has the lock: a transaction keeps the connections that it saw first.
    const observer = await connected(url);
    const locked = async () => {
      const { rows } = await observer.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length;
    };
    await client.query("BEGIN");
    await client.query("SELECT FROM waymark.tasks FOR UPDATE");
    const claimed = store.apply({ op: "claim", owner: "ann" }, SENDER);
    await expect.poll(locked).toBe(1);
    await client.query("ROLLBACK");
    expect(await claimed).toMatchObject({ ok: true, tasks: [{ id: "t1", owner: "ann" }] });
  });

  it("times out when a lock is held, and nothing is written", {
    tags: ["hanging-server", "deadlock"],
  }, async () => {
    const url = await newDatabase();
    const store = await opened(url, { statementLimit: 1_500 });
    await store.apply(add("held up"), SENDER);
    const client = await connected(url);
    await client.query("BEGIN");
    await client.query("LOCK TABLE waymark.tasks");
    await expect(
      store.apply({ op: "edit", id: "t1", set: { subject: "new" } }, SENDER),
    ).rejects.toMatchObject({ code: "store_busy", message: expect.stringContaining("try again") });
    await client.query("ROLLBACK");
    expect((await store.get("t1"))?.subject).toBe("held up");
    expect(await store.events()).toHaveLength(1);
  });
});

describe("a busy server", { timeout: 120_000 }, () => {
  it("is waited for when it has no connection left, and named after the wait", {
    tags: ["too-many-connections"],
  }, async () => {
    const url = await newDatabase();
    const store = await opened(url, { waitLimit: 1_000 });
    const idle = await Promise.all(
      Array.from({ length: MOST_CONNECTIONS }, async () => {
        const client = new pg.Client({ connectionString: url });
        return client.connect().then(
          () => client,
          () => undefined,
        );
      }),
    );
    // The store has one connection and continues with it, however many calls there are.
    const calls = Array.from({ length: 8 }, (_, n) => store.apply(add(`${n}`), SENDER));
    expect(await Promise.all(calls)).toHaveLength(8);
    await expect(opened(url, { waitLimit: 300 })).rejects.toMatchObject({
      code: "store_busy",
      message: expect.stringContaining("max_connections"),
    });
    const waiting = opened(url, { waitLimit: 10_000 });
    await pause(200, "it waits while there is no connection");
    for (const client of idle) await client?.end();
    expect(await (await waiting).list()).toHaveLength(8);
  });

  it("loses and duplicates nothing when transactions conflict", {
    tags: ["deadlock"],
  }, async () => {
    const rounds = FULL ? 200 : 12;
    const url = await newDatabase();
    const stores = [await opened(url), await opened(url), await opened(url)];
    const client = await connected(url);
    const fault = (share: number) =>
      client.query(`CREATE OR REPLACE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF random() < ${share} THEN
            RAISE EXCEPTION 'made to fail' USING ERRCODE =
              (ARRAY['40001', '40P01', '55P03'])[1 + floor(random() * 3)::integer];
          END IF;
          RETURN NEW;
        END $$`);
    await fault(0.3);
    await client.query(
      "CREATE TRIGGER fault BEFORE INSERT ON waymark.task_events FOR EACH ROW EXECUTE FUNCTION fault()",
    );
    await Promise.all(
      stores.map(async (store, n) => {
        const owner = `o${n}`;
        for (let round = 0; round < rounds; round++) {
          expect(await store.apply(add(`${owner} ${round}`), SENDER)).toMatchObject({ ok: true });
          const claimed = await store.apply({ op: "claim", owner }, SENDER);
          const held = claimed.ok ? claimed.tasks.map(({ id, epoch }) => ({ id, epoch })) : [];
          if (held.length > 0)
            expect(await store.apply({ op: "finish", owner, held }, SENDER)).toMatchObject({
              ok: true,
            });
        }
      }),
    );
    const [store] = stores;
    const tasks = (await store?.list()) ?? [];
    expect(new Set(tasks.map(({ subject }) => subject)).size).toBe(3 * rounds);
    expect(tasks).toHaveLength(3 * rounds);
    expect(faultsOf((await store?.events()) ?? [], [])).toStrictEqual([]);
    await fault(1);
    const impatient = await opened(url, { waitLimit: 300 });
    await expect(impatient.apply(add("never"), SENDER)).rejects.toMatchObject({
      name: "WaymarkError",
      code: "store_failed",
    });
    expect(await impatient.list()).toHaveLength(3 * rounds);
  });

  it("serves clients that name the same tasks in opposite order", {
    tags: ["deadlock"],
  }, async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
    const [store] = stores;
    const tasks = Array.from({ length: 20 }, (_, n) => ({ subject: `task ${n}` }));
    await store?.apply({ op: "add", tasks }, SENDER);
    const claimed = await store?.apply({ op: "claim", owner: "ann", count: 20 }, SENDER);
    const held = claimed?.ok ? claimed.tasks.map(({ id, epoch }) => ({ id, epoch })) : [];
    expect(held).toHaveLength(20);
    const orders = [held, held.toReversed()];
    for (let round = 0; round < (FULL ? 100 : 3); round++) {
      const answers = await Promise.all(
        stores.map((each, n) =>
          each.apply({ op: "renew", owner: "ann", held: orders[n % 2] ?? [] }, SENDER),
        ),
      );
      expect(answers.map(({ ok }) => ok)).toStrictEqual([true, true, true, true]);
    }
  });
});

describe("a server restored from an older copy", { timeout: 60_000 }, () => {
  it.each([
    { since: "and nothing more", more: 0 },
    { since: "and as much happened as was lost", more: 3 },
  ])(
    "notifies subscribers, $since, and continues",
    { tags: ["read-only-server"] },
    async ({ more }) => {
      const url = await newDatabase();
      const warnings: string[] = [];
      const store = await opened(url, { onWarning: (message) => warnings.push(message) });
      const received: TaskEvent[] = [];
      const stop = store.watch((event) => received.push(event));
      for (let n = 1; n <= 5; n++) await store.apply(add(`task ${n}`), SENDER);
      await expect.poll(() => received.length).toBe(5);
      const client = await connected(url);
      const subjects = Array.from({ length: more }, (_, n) => `other ${n}`);
      // In one step, as when a server replaces another.
      await client.query(`BEGIN; DELETE FROM waymark.task_events WHERE seq > 2;
      DELETE FROM waymark.tasks WHERE num > 2;
      SELECT setval('waymark.task_numbers', 2), setval(pg_get_serial_sequence('waymark.task_events', 'seq'), 2);
      ${subjects
        .map(
          (
            subject,
            n,
          ) => `INSERT INTO waymark.task_events (at, type, task, sent_by, via, key, part, fields)
             VALUES (1, 'edited', 1, 'user', 'test', 'k${n}', 0, '{"subject": "${subject}"}');`,
        )
        .join("\n")}
      COMMIT`);
      await expect.poll(() => warnings).toHaveLength(1);
      expect(warnings[0]).toContain("no longer has event 5.");
      await store.apply(add("after"), SENDER);
      await expect.poll(() => received.length).toBe(6);
      stop();
      expect(received[5]).toMatchObject({
        type: "added",
        seq: 3 + more,
        set: { subject: "after" },
      });
      expect(warnings).toHaveLength(1);
    },
  );
});
