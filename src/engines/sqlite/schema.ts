import type { Migration } from "../storage/migrations.ts";
import firstRelease from "./sql/003-first-release.sql" with { type: "text" };
import taskChecks from "./sql/004-task-checks.sql" with { type: "text" };
import taskQueue from "./sql/005-task-queue.sql" with { type: "text" };

/** Marks the file as a Waymark store: "WYMK" in ASCII. */
export const APPLICATION_ID = 0x57594d4b;

/** The migrations in order. `user_version` of a file is the last one applied. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 3, sql: firstRelease },
  { version: 4, sql: taskChecks },
  { version: 5, sql: taskQueue },
];
