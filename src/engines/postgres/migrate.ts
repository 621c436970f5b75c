import { redactUrl } from "../../core/text/redact.ts";
import {
  latestVersion,
  type Migration,
  pendingMigrations,
  refuseNewer,
  refuseOlder,
} from "../storage/migrations.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "./schema.ts";
import type { Query, Server } from "./server.ts";

const MIGRATION_LOCK = 0x57594d4b;

/** Migrates the database to the latest schema. Throws for a version that this Waymark cannot read, without changing it. */
export async function migrate(
  server: Server,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const [table] = await server.once((query) =>
    query("SELECT to_regclass('waymark.migrations') IS NOT NULL AS exists"),
  );
  if (table?.exists) {
    const version = await server.attempt((query) => versionOf(query), false);
    if (version === latestVersion(migrations)) return;
    const store = redactUrl(server.url);
    refuseNewer(migrations, version, store);
    refuseOlder(migrations, version, store);
  }
  await server.attempt(async (query) => {
    // One process migrates; the others wait here and then have nothing left to do.
    await query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await query(MIGRATIONS_TABLE);
    for (const { version, sql } of pendingMigrations(migrations, await versionOf(query))) {
      await query(sql);
      await query("INSERT INTO waymark.migrations (version) VALUES ($1)", [version]);
    }
  }, true);
}

async function versionOf(query: Query): Promise<number> {
  const [row] = await query("SELECT coalesce(max(version), 0) AS version FROM waymark.migrations");
  return Number(row?.version);
}
