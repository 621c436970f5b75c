import { readFileSync } from "node:fs";
import pg from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openServer } from "../../src/engines/postgres/server.ts";
import { openRelayConnection } from "../../src/sessions/remote/connection.ts";
import { postgresStore } from "../../src/stores/postgres.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { storeContract, taskStoreContract } from "../../src/testing/index.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import { openedOn } from "../stores/temporary-directory.ts";
import { NO_POSTGRES, serverForFile } from "./server.ts";

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

function as(role: string, url: string): string {
  return url.replace("//postgres@", `//${role}@`);
}

let databases = 0;
const newDatabase = () => server.database(`roles${++databases}`);

/** Runs every read and write on the server and returns the results. */
async function useEverything(url: string) {
  const quiet = { connections: 3, onWarning: () => {} };
  const tasks = await postgresTaskStore(url, quiet);
  onTestFinished(() => tasks.close());
  const store = await postgresStore(url, quiet);
  onTestFinished(() => store.close());
  const received: string[] = [];
  tasks.watch(({ type }) => received.push(type));
  const sender = { by: "agent", via: "test" } as const;
  await tasks.apply(
    { op: "add", tasks: [{ subject: "a\\b", labels: ["x"] }, { subject: "second" }] },
    sender,
  );
  await tasks.apply({ op: "add", tasks: [{ subject: "blocked", blockedBy: ["t1"] }] }, sender);
  const claimed = await tasks.apply({ op: "claim", owner: "ann" }, sender);
  await tasks.apply({ op: "claim", owner: "bob", label: "y" }, sender);
  await tasks.apply({ op: "claim", owner: "bob", id: "t2" }, sender);
  await tasks.renewByObservation("ann");
  const epoch = (claimed.ok && claimed.tasks[0]?.epoch) || 0;
  await tasks.apply({ op: "finish", owner: "ann", held: [{ id: "t1", epoch }] }, sender);
  const held = [{ id: "t2", epoch: 1 }];
  await tasks.apply({ op: "finish", owner: "bob", held, evidence: ["npm test"] }, sender);
  await tasks.apply({ op: "edit", id: "t3", set: { subject: "ready" } }, sender);
  const id = { session: "s", agent: "main" };
  await store.commit(id, "k1", addTodo("k1", "One"));
  await store.commit(id, "k2", addTodo("k2", "Two"));
  const connection = await openServer(url, quiet);
  onTestFinished(() => connection.close());
  const line = await openRelayConnection(connection, {
    machine: { id: "m", name: "attic" },
    relay: "relay",
    idleTimeout: 60_000,
    keyOf: ({ session }) => session,
    onLost: () => undefined,
  });
  await line?.send([
    {
      id,
      hash: "h",
      version: 1,
      eventCount: 0,
      state: "{}",
      updatedAt: 1,
      events: [],
      replacesHistory: true,
    },
  ]);
  const heads = await line?.heads();
  line?.close();
  await expect.poll(() => received.length).toBe(8);
  return {
    skew: Math.abs((await tasks.now()) - Date.now()) < 60_000 ? "none" : "much",
    told: received,
    tasks: (await tasks.list()).map((task) => [task.subject, task.status, task.owner]),
    actors: (await tasks.events()).map(({ actor }) => actor),
    ready: (await tasks.ready()).map(({ subject }) => subject),
    done: (await tasks.counts()).done,
    todos: (await store.read(id)).todos.map(({ text }) => text),
    history: (await store.events(id)).map(({ key }) => key),
    tracks: (await store.tracks({ cwd: "/home/someone/project" })).length,
    heads: [...(heads ?? [])].map(([session]) => session),
  };
}

const AS_USUAL = {
  skew: "none",
  told: ["added", "added", "added", "claimed", "claimed", "done", "done", "edited"],
  tasks: [
    ["a\\b", "done", "ann"],
    ["second", "done", "bob"],
    ["ready", "open", undefined],
  ],
  actors: Array(8).fill(undefined),
  ready: ["ready"],
  done: 2,
  todos: ["One", "Two"],
  history: ["k1", "k2"],
  tracks: 1,
  heads: ["s"],
};

/**
 * A schema with functions and operators that have the names and types of the built-in ones that the
 * statements may use. Each of them fails when called.
 */
const SHADOWS = `
  CREATE SCHEMA shadows;
  GRANT USAGE ON SCHEMA shadows TO PUBLIC;
  DO $do$
  DECLARE
    known regtype[] := ARRAY['int4', 'int8', 'text', 'bool', 'jsonb', 'numeric', 'timestamptz', 'xid8', 'regclass',
                             'text[]', 'anyarray', 'anyelement', 'anycompatible', 'anycompatiblearray', 'pg_snapshot']::regtype[];
    one record;
  BEGIN
    FOR one IN
      SELECT DISTINCT ON (proname, proargtypes::text) proname,
             (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY n)
                FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS u (t, n)) AS args
        FROM pg_catalog.pg_proc
       WHERE pronamespace = 'pg_catalog'::regnamespace AND proargtypes::oid[] <@ known::oid[]
         AND provariadic = 0 AND proname ~ '^[a-z_0-9]+$'
         AND proname ~ '^(now|clock_timestamp|floor|md5|left|max|min|count|sum|nextval|setval|to_json|to_jsonb|row_to_json|cardinality|array_position|unnest|set_config|current_setting|pg_notify|pg_try_advisory_lock|pg_advisory_xact_lock|hashtextextended|hashtext|to_regclass|pg_backend_pid|pg_current_.*|pg_snapshot_.*|jsonb_.*|json_.*|row_number|generate_series|txid_.*|pg_terminate_backend|pg_is_in_recovery|version|length|concat|format)$'
    LOOP
      EXECUTE pg_catalog.format(
        'CREATE FUNCTION shadows.%I(%s) RETURNS %s LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''shadowed''''; END''',
        one.proname, coalesce(one.args, ''), CASE WHEN one.args ~ 'any' THEN 'text' ELSE 'int8' END);
    END LOOP;
    FOR one IN
      SELECT row_number() OVER () AS n, oprname, format_type(oprleft, NULL) AS l, format_type(oprright, NULL) AS r,
             CASE WHEN format_type(oprresult, NULL) ~ 'any' THEN 'boolean' ELSE format_type(oprresult, NULL) END AS result
        FROM pg_catalog.pg_operator
       WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprleft = ANY (known::oid[]) AND oprright = ANY (known::oid[])
         AND oprname NOT IN ('=>')
    LOOP
      EXECUTE pg_catalog.format(
        'CREATE FUNCTION shadows.op%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''shadowed''''; END''',
        one.n, one.l, one.r, one.result);
      EXECUTE pg_catalog.format('CREATE OPERATOR shadows.%s (FUNCTION = shadows.op%s, LEFTARG = %s, RIGHTARG = %s)',
        one.oprname, one.n, one.l, one.r);
    END LOOP;
  END $do$`;

/** Each of these changes results, loses acknowledged writes or cancels statements. */
const HOSTILE = {
  search_path: "shadows, pg_temp, pg_catalog, public",
  default_transaction_isolation: "serializable",
  statement_timeout: "1ms",
  lock_timeout: "1ms",
  idle_in_transaction_session_timeout: "1ms",
  timezone: "Asia/Kathmandu",
  datestyle: "SQL, DMY",
  intervalstyle: "sql_standard",
  standard_conforming_strings: "off",
  client_encoding: "LATIN1",
  array_nulls: "off",
  bytea_output: "escape",
  transform_null_equals: "on",
  synchronous_commit: "off",
};

describe("a role with hostile settings", { ...needs(NO_POSTGRES), timeout: 60_000 }, () => {
  beforeAll(async () => {
    const template = server.url.replace(/\/postgres$/, "/template1");
    await ask(template, SHADOWS);
    const settings = Object.entries(HOSTILE).map(([name, value]) => {
      const list = name === "search_path" ? value : `'${value}'`;
      return `ALTER ROLE attacked SET ${name} = ${list}`;
    });
    await ask(server.url, ["CREATE ROLE attacked LOGIN SUPERUSER", ...settings].join("; "));
  }, 60_000);

  test("shadows the functions that statements call", { tags: ["hostile-role"] }, async () => {
    const url = as("attacked", await newDatabase());
    const client = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
    await client.connect();
    onTestFinished(() => client.end());
    for (const sql of [
      "SELECT now()",
      "SELECT floor(1.5)",
      "SELECT 'a'::text = 'b'",
      "SELECT md5('')",
    ])
      await expect(client.query(sql)).rejects.toThrow(/shadowed/);
  });

  test("has no effect on any statement", { tags: ["hostile-role"] }, async () => {
    expect(await useEverything(as("attacked", await newDatabase()))).toEqual(AS_USUAL);
  });

  test("has no effect on functions that other roles call", { tags: ["hostile-role"] }, async () => {
    const url = await newDatabase();
    await (await openServer(url)).close();
    const client = new pg.Client({
      connectionString: as("attacked", url),
      statement_timeout: 10_000,
    });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query({ text: "SELECT waymark.now_ms() AS now" });
    expect(Math.abs(Number(rows[0].now) - Date.now())).toBeLessThan(60_000);
    await client.query(
      "SELECT waymark.claim_each('{ann}', '{1000}', '{agent}', '{test}', '{ann}', '{k}')",
    );
    await client.query(
      "SELECT * FROM waymark.claim_tasks(NULL, 1, NULL, 'ann', 1000, 'agent', 'test', NULL, 'k')",
    );
  });

  test("keeps acknowledged changes through a crash", { tags: ["hostile-role"] }, async () => {
    const connection = await openServer(as("attacked", await newDatabase()));
    onTestFinished(() => connection.close());
    const shown = await connection.once((query) => query("SHOW synchronous_commit"));
    expect(shown).toEqual([{ synchronous_commit: "on" }]);
  });
});

if (FULL && NO_POSTGRES === "") {
  const opened =
    <S extends { close(): unknown }>(open: (url: string) => Promise<S>) =>
    async () => {
      const url = as("attacked", await newDatabase());
      return openedOn(() => open(url) as Promise<S & { close(): Promise<void> }>);
    };
  const options = { connections: 6, onWarning: () => {} };
  const open = opened((url) => postgresTaskStore(url, options));
  taskStoreContract("postgresTaskStore of a role with hostile settings", open, {
    durable: true,
    shared: true,
  });
  storeContract(
    "postgresStore of a role with hostile settings",
    opened((url) => postgresStore(url, options)),
    { durable: true, shared: true, anyId: true },
  );
}

describe("a role that may use the schema only", () => {
  const grants = () => {
    const documented = readFileSync("docs/guides/several-machines.md", "utf8");
    return /```sql\n(GRANT[^`]*)```/.exec(documented)?.[1] ?? "";
  };

  beforeAll(async () => {
    if (NO_POSTGRES === "") await ask(server.url, "CREATE ROLE agent LOGIN");
  });

  test("can do everything except create the schema", { tags: ["hostile-role"] }, async () => {
    const url = await newDatabase();
    await expect(openServer(as("agent", url))).rejects.toMatchObject({ code: "store_refused" });
    await (await openServer(url)).close();
    await expect(openServer(as("agent", url))).rejects.toMatchObject({ code: "store_refused" });
    await ask(url, grants());
    expect(await useEverything(as("agent", url))).toEqual(AS_USUAL);
    await expect(ask(as("agent", url), "DROP TABLE waymark.tasks")).rejects.toThrow(/owner/);
  });

  test("reports which role must upgrade the schema", { tags: ["hostile-role"] }, async () => {
    const url = await newDatabase();
    await (await openServer(url)).close();
    await ask(url, grants());
    await ask(url, "DELETE FROM waymark.migrations WHERE version > 1");
    await expect(openServer(as("agent", url))).rejects.toThrow(/once as the owner of the schema/);
  });
});
