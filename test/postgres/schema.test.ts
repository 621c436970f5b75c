import { readFileSync } from "node:fs";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS, MIGRATIONS_TABLE } from "../../src/engines/postgres/schema.ts";
import { openServer } from "../../src/engines/postgres/server.ts";
import { postgresStore } from "../../src/stores/postgres.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { withNextMigration } from "../storage/next-migration.ts";
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

const OPTIONS = `
  SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'waymark'::regnamespace ORDER BY relname`;

const SENDER = { by: "agent", via: "test" } as const;

/** A database of the last version before the first release: see the file. */
async function databaseOfSchema7(name: string): Promise<string> {
  const url = await server.database(name);
  await ask(url, readFileSync("test/postgres/fixtures/schema-7.sql", "utf8"));
  return url;
}

async function schemaOf(url: string): Promise<string> {
  const parts = [];
  for (const sql of [COLUMNS, CONSTRAINTS, INDEXES, FUNCTIONS])
    parts.push((await ask(url, sql)).map(({ line }) => line).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

const rowsOf = (url: string) =>
  ask(
    url,
    `SELECT 'task' AS kind, to_jsonb(t) AS row FROM waymark.tasks t UNION ALL
     SELECT 'task event', to_jsonb(e) FROM waymark.task_events e UNION ALL
     SELECT 'track', to_jsonb(t) FROM waymark.tracks t UNION ALL
     SELECT 'event', to_jsonb(e) FROM waymark.events e ORDER BY 1, 2`,
  );

const versionsOf = async (url: string) =>
  (await ask(url, "SELECT version FROM waymark.migrations ORDER BY 1")).map(
    ({ version }) => version,
  );

describe("the schema on a server", () => {
  it("is the golden schema", async () => {
    const url = await server.database("golden");
    await (await openServer(url)).close();
    await expect(await schemaOf(url)).toMatchFileSnapshot("goldens/schema.sql");
  });

  it("is created once by concurrent clients", { tags: ["concurrent-migration"] }, async () => {
    for (let round = 0; round < 3; round++) {
      const url = await server.database(`race${round}`);
      const stores = await Promise.all(
        Array.from({ length: 12 }, () => postgresTaskStore(url, { connections: 2 })),
      );
      for (const store of stores) await store.close();
      expect(await versionsOf(url)).toEqual(MIGRATIONS.map(({ version }) => version));
    }
  });

  it("opens a database of the last version before the first release", {
    tags: ["interrupted-upgrade"],
  }, async () => {
    const url = await databaseOfSchema7("schema7");
    const golden = readFileSync("test/postgres/goldens/schema.sql", "utf8");
    const released = await server.database("released");
    for (const sql of [MIGRATIONS_TABLE, MIGRATIONS[0]?.sql ?? ""]) await ask(released, sql);
    expect(await ask(url, OPTIONS)).toEqual(await ask(released, OPTIONS));
    expect(await schemaOf(url)).toBe(await schemaOf(released));
    const store = await postgresTaskStore(url);
    onTestFinished(() => store.close());
    const claimed = await store.apply({ op: "claim", owner: "bob" }, SENDER);
    expect(claimed).toMatchObject({ ok: true, tasks: [{ id: "t1", subject: "Parent" }] });
    const held = [{ id: "t1", epoch: 1 }];
    expect(await store.apply({ op: "finish", owner: "bob", held }, SENDER)).toMatchObject({
      ok: true,
      tasks: [{ status: "done" }],
    });
    expect((await store.ready()).map(({ id }) => id)).toEqual(["t3"]);
    expect((await store.events({ task: "t2" })).map(({ type }) => type)).toEqual([
      "added",
      "claimed",
      "done",
    ]);
    const next = { subject: "Next", check: "test", notBefore: Date.now() + 3_600_000 };
    const added = await store.apply({ op: "add", tasks: [next] }, SENDER);
    expect(added).toMatchObject({ tasks: [{ id: "t5", ...next }] });
    expect((await store.ready()).map(({ id }) => id)).toEqual(["t3"]);
    expect(await store.queue()).toEqual({});
    const lists = await postgresStore(url);
    onTestFinished(() => lists.close());
    const track = { session: "s", agent: "main" };
    expect((await lists.read(track)).todos.map(({ text }) => text)).toEqual(["One", "Two"]);
    await lists.commit(track, "k3", addTodo("k3", "Three"));
    expect((await lists.events(track)).map(({ key }) => key)).toEqual(["k1", "k2", "k3"]);
    expect(await ask(url, "SELECT name FROM waymark.machines")).toEqual([{ name: "laptop" }]);
    expect(await schemaOf(url)).toBe(golden);
    expect(await versionsOf(url)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("migrates an earlier version with all data, once", {
    tags: ["interrupted-upgrade"],
  }, async () => {
    const sql = `ALTER TABLE waymark.tasks ADD COLUMN later text;
      UPDATE waymark.tasks SET later = subject`;
    const old = await databaseOfSchema7("next_of_old");
    const present = await server.database("next_of_present");
    await (await openServer(present)).close();
    await withNextMigration(MIGRATIONS, sql, async (version) => {
      for (const url of [old, present]) {
        const servers = await Promise.all(Array.from({ length: 4 }, () => openServer(url)));
        for (const each of servers) await each.close();
        expect((await versionsOf(url)).slice(-2)).toEqual([version - 1, version]);
      }
      const store = await postgresTaskStore(old);
      onTestFinished(() => store.close());
      const claimed = await store.apply({ op: "claim", owner: "bob" }, SENDER);
      expect(claimed).toMatchObject({ ok: true, tasks: [{ id: "t1" }] });
    });
    expect(await ask(old, "SELECT later FROM waymark.tasks ORDER BY num")).toEqual([
      { later: "Parent" },
      { later: "Child" },
      { later: "Waits" },
      { later: "Claimed" },
    ]);
  });

  it("refuses a version that was never released, unchanged", {
    tags: ["interrupted-upgrade"],
  }, async () => {
    const url = await databaseOfSchema7("unreleased");
    await ask(url, "DELETE FROM waymark.migrations WHERE version > 5");
    await expect(openServer(url)).rejects.toMatchObject({ code: "older_store" });
    expect(await versionsOf(url)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each(MIGRATIONS.map(({ version }) => version))(
    "opens schema %i with its data",
    {
      tags: ["interrupted-upgrade"],
    },
    async (schema) => {
      const url = await databaseOfSchema7(`schema_${schema}_data`);
      for (const { version, sql } of MIGRATIONS.slice(1)) {
        if (version > schema) break;
        await ask(url, sql);
        await ask(url, `INSERT INTO waymark.migrations (version) VALUES (${version})`);
      }
      const store = await postgresTaskStore(url);
      onTestFinished(() => store.close());
      expect((await store.list()).map(({ id, subject }) => `${id} ${subject}`)).toEqual([
        "t1 Parent",
        "t2 Child",
        "t3 Waits",
        "t4 Claimed",
      ]);
      expect((await versionsOf(url)).at(-1)).toBe(MIGRATIONS.at(-1)?.version);
    },
  );

  it("refuses a newer version, unchanged", { tags: ["interrupted-upgrade"] }, async () => {
    const url = await databaseOfSchema7("newer");
    await ask(url, "INSERT INTO waymark.migrations (version) VALUES (99)");
    const contents = async () => [await schemaOf(url), await versionsOf(url), await rowsOf(url)];
    const before = await contents();
    await expect(openServer(url)).rejects.toMatchObject({
      code: "newer_store",
      message: expect.stringMatching(
        /has schema 99, but this Waymark supports up to \d+\. It was not changed\. Update Waymark/,
      ),
    });
    expect(await contents()).toEqual(before);
  });

  it("reports the problem with a URL", async () => {
    const nowhere = server.url.replace(/\/postgres$/, "/nowhere");
    await expect(openServer(nowhere)).rejects.toMatchObject({ code: "store_refused" });
    const silent = openServer("postgres://me:secret@127.0.0.1:1/x", { waitLimit: 200 });
    await expect(silent).rejects.toMatchObject({ code: "store_unreachable" });
    await expect(silent).rejects.not.toThrow(/secret/);
  });

  it("finds ready tasks by an index", async () => {
    const url = await server.database("plan");
    const store = await postgresTaskStore(url);
    const drafts = Array.from({ length: 5_000 }, (_, n) => ({ subject: `task ${n}` }));
    await store.apply({ op: "add", tasks: drafts }, { by: "user", via: "test" });
    await store.close();
    await ask(url, "ANALYZE waymark.tasks");
    const plan = await ask(
      url,
      `EXPLAIN SELECT num FROM waymark.tasks WHERE status = 'open' AND blockers = 0 AND NOT delayed
        ORDER BY priority, created_at, num LIMIT 5 FOR UPDATE SKIP LOCKED`,
    );
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("using tasks_ready");
  });
});
