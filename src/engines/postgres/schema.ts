import type { Migration } from "../storage/migrations.ts";
import migrationsTable from "./sql/000-migrations.sql" with { type: "text" };
import firstRelease from "./sql/007-first-release.sql" with { type: "text" };
import taskChecks from "./sql/008-task-checks.sql" with { type: "text" };
import taskQueue from "./sql/009-task-queue.sql" with { type: "text" };

/** Creates the table of applied versions if it is missing. */
export const MIGRATIONS_TABLE = migrationsTable;

/** The migrations in order. The highest row of `waymark.migrations` is the version of a database. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 7, sql: firstRelease },
  { version: 8, sql: taskChecks },
  { version: 9, sql: taskQueue },
];
