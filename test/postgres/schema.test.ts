import pg from "pg";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/engines/postgres/schema.ts";
import { openServer } from "../../src/engines/postgres/server.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { serverForFile } from "./server.ts";

const server = serverForFile({ fsync: "off" });

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const COLUMNS = `
  SELECT table_name || '.' || column_name || ' ' || data_type ||
         CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END || coalesce(' DEFAULT ' || column_default, '') ||
         CASE is_identity WHEN 'YES' THEN ' IDENTITY ' || identity_generation ELSE '' END AS line
    FROM information_schema.columns WHERE table_schema = 'waymark' ORDER BY table_name, ordinal_position`;
const CONSTRAINTS = `
  SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS line
    FROM pg_constraint WHERE connamespace = 'waymark'::regnamespace AND contype <> 'n' ORDER BY 1`;
const INDEXES =
  "SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'waymark' ORDER BY indexname";
const FUNCTIONS = `
  SELECT pg_get_functiondef(oid) AS line FROM pg_proc WHERE pronamespace = 'waymark'::regnamespace ORDER BY proname`;

const BEFORE = `CREATE SCHEMA waymark;
  CREATE TABLE waymark.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());`;
/** Two tasks, the second waits for the first. */
const OLD_TASKS = `
  INSERT INTO waymark.tasks (num, subject, status, priority, labels, blocked_by, blockers, epoch, attempts,
                             max_attempts, evidence, metadata, created_at, updated_at)
  VALUES (1, 'old', 'open', 2, '[]', '[]', 0, 0, 0, 3, '[]', '{}', 1, 1),
         (2, 'waits', 'open', 2, '[]', '[1]', 1, 0, 0, 3, '[]', '{}', 1, 1);
  INSERT INTO waymark.task_blockers (task, blocker) VALUES (2, 1);
  INSERT INTO waymark.task_events (at, type, task, sent_by, via, key, part, fields)
  VALUES (1, 'added', 1, 'user', 'test', 'k', 0, '{"subject":"old"}'), (1, 'added', 2, 'user', 'test', 'k', 1, '{"subject":"waits"}');
  SELECT setval('waymark.task_numbers', 2)`;

describe("the schema on a server", () => {
  it("is what stands in the golden", async () => {
    const url = await server.database("golden");
    await (await openServer(url)).close();
    const parts = [];
    for (const sql of [COLUMNS, CONSTRAINTS, INDEXES, FUNCTIONS])
      parts.push((await ask(url, sql)).map(({ line }) => line).join("\n"));
    await expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot("goldens/schema.sql");
  });

  it("P10 is made once by many who come at the same time", async () => {
    for (let round = 0; round < 3; round++) {
      const url = await server.database(`race${round}`);
      const stores = await Promise.all(
        Array.from({ length: 12 }, () => postgresTaskStore(url, { connections: 2 })),
      );
      for (const store of stores) await store.close();
      expect(await ask(url, "SELECT version FROM waymark.migrations")).toEqual(
        MIGRATIONS.map((_, step) => ({ version: step + 1 })),
      );
    }
  });

  it("D12 goes on from every earlier version with what stands in it", async () => {
    for (let version = 1; version < MIGRATIONS.length; version++) {
      const url = await server.database(`from${version}`);
      await ask(url, `${BEFORE}${MIGRATIONS.slice(0, version).join(";")};${OLD_TASKS}`);
      for (let step = 1; step <= version; step++)
        await ask(url, `INSERT INTO waymark.migrations (version) VALUES (${step})`);
      const store = await postgresTaskStore(url);
      const sender = { by: "agent", via: "test" } as const;
      const claimed = await store.apply({ op: "claim", owner: "ann" }, sender);
      expect(claimed).toMatchObject({ ok: true, tasks: [{ id: "t1", subject: "old" }] });
      const held = [{ id: "t1", epoch: 1 }];
      expect(await store.apply({ op: "finish", owner: "ann", held }, sender)).toMatchObject({
        ok: true,
        tasks: [{ status: "done" }],
      });
      expect((await store.ready()).map(({ id }) => id)).toEqual(["t2"]);
      expect((await store.events({ task: "t1" })).map(({ type }) => type)).toEqual([
        "added",
        "claimed",
        "done",
      ]);
      await store.close();
      expect(
        await ask(url, "SELECT version FROM waymark.migrations ORDER BY version"),
      ).toHaveLength(MIGRATIONS.length);
    }
  });

  it("D12 refuses one that is newer, and touches nothing", async () => {
    const url = await server.database("newer");
    await (await openServer(url)).close();
    await ask(url, "INSERT INTO waymark.migrations (version) VALUES (99)");
    await expect(openServer(url)).rejects.toMatchObject({ code: "newer_store" });
  });

  it("says what is wrong with a URL", async () => {
    const nowhere = server.url.replace(/\/postgres$/, "/nowhere");
    await expect(openServer(nowhere)).rejects.toMatchObject({ code: "store_refused" });
    const silent = openServer("postgres://me:secret@127.0.0.1:1/x", { waitLimit: 200 });
    await expect(silent).rejects.toMatchObject({ code: "store_unreachable" });
    await expect(silent).rejects.not.toThrow(/secret/);
  });

  it("finds what is ready by an index", async () => {
    const url = await server.database("plan");
    const store = await postgresTaskStore(url);
    const drafts = Array.from({ length: 5_000 }, (_, n) => ({ subject: `task ${n}` }));
    await store.apply({ op: "add", tasks: drafts }, { by: "user", via: "test" });
    await store.close();
    await ask(url, "ANALYZE waymark.tasks");
    const plan = await ask(
      url,
      `EXPLAIN SELECT num FROM waymark.tasks WHERE status = 'open' AND blockers = 0
        ORDER BY priority, created_at, num LIMIT 5 FOR UPDATE SKIP LOCKED`,
    );
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("using tasks_ready");
  });
});
