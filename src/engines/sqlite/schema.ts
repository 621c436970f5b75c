import type { Migration } from "../storage/migrations.ts";
import firstRelease from "./sql/003-first-release.sql" with { type: "text" };

/** Says "this file is a Waymark store": "WYMK" in ASCII. */
export const APPLICATION_ID = 0x57594d4b;

/** Every step of the schema in order. `user_version` of a file is the version that it has reached. */
export const MIGRATIONS: readonly Migration[] = [{ version: 3, sql: firstRelease }];
