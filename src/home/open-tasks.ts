import { UsageError } from "../core/error.ts";
import { redactUrl } from "../core/text/redact.ts";
import type { TaskStore } from "../tasks/store.ts";
import { isServer } from "./shared-store.ts";

/** Where tasks are kept: on a server when one is named, else in the file of the home. */
export async function openTasks(
  file: string,
  named: string | undefined,
  warn: (message: string) => void,
): Promise<TaskStore> {
  if (!named) {
    const { sqliteTaskStore } = await import("../tasks/sqlite.ts");
    return sqliteTaskStore(file, { createDirectory: true, onWarning: warn });
  }
  if (!isServer(named))
    throw new UsageError(
      `"${redactUrl(named).slice(0, 40)}" names no store. Give a URL such as postgres://user@host/database, or leave it out.`,
    );
  const { postgresTaskStore } = await import("../tasks/postgres.ts");
  // A command makes one call at a time.
  return postgresTaskStore(named, { connections: 3, onWarning: warn });
}
