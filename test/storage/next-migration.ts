import type { Migration } from "../../src/engines/storage/migrations.ts";

/** Runs `work` as a newer version with one more migration. */
export async function withNextMigration<T>(
  migrations: readonly Migration[],
  sql: string,
  work: (version: number) => Promise<T>,
): Promise<T> {
  const list = migrations as Migration[];
  const version = (list.at(-1)?.version ?? 0) + 1;
  list.push({ version, sql });
  try {
    return await work(version);
  } finally {
    list.pop();
  }
}
