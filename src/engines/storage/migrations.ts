import { WaymarkError } from "../../core/error.ts";

/** A step of a schema. */
export interface Migration {
  /** The schema version after this step. */
  readonly version: number;
  readonly sql: string;
}

/** The schema version after all `migrations`. */
export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Returns the steps that a store of schema `version` still needs; 0 is an empty store. */
export function pendingMigrations(
  migrations: readonly Migration[],
  version: number,
): readonly Migration[] {
  return migrations.filter((migration) => migration.version > version);
}

/** Throws for a store that only unreleased versions of Waymark wrote. */
export function refuseOlder(
  migrations: readonly Migration[],
  version: number,
  store: string,
): void {
  if (version === 0 || version >= (migrations[0]?.version ?? 0)) return;
  throw new WaymarkError(
    "older_store",
    `The store ${store} has schema ${version}, which only unreleased versions of Waymark wrote. It was not changed. ` +
      "Use another store, or open this one with the Waymark that wrote it.",
  );
}

/** Throws for a store that a newer Waymark has migrated. */
export function refuseNewer(
  migrations: readonly Migration[],
  version: number,
  store: string,
): void {
  const latest = latestVersion(migrations);
  if (version <= latest) return;
  throw new WaymarkError(
    "newer_store",
    `The store ${store} has schema ${version}, but this Waymark supports up to ${latest}. It was not changed. Update Waymark to use it.`,
  );
}

/** The same for a file with a format version. Files without one have format 1. */
export function refuseNewerFile(version: unknown, latest: number, file: string): void {
  if (typeof version !== "number" || version <= latest) return;
  throw new WaymarkError(
    "newer_store",
    `The file ${file} has format ${version}, but this Waymark supports up to ${latest}. It was not changed. Update Waymark to use it.`,
  );
}
