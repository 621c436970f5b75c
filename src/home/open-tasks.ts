import { UsageError } from "../core/error.ts";
import { redactUrl } from "../core/text/redact.ts";
import type { TaskStore } from "../tasks/store.ts";
import { isServerUrl } from "./shared-store.ts";

/** Opens the tasks: on the named server, or else in the file of the home. */
export async function openTasks(
  file: string,
  named: string | undefined,
  warn: (message: string) => void,
): Promise<TaskStore> {
  if (!named) {
    const { sqliteTaskStore } = await import("../tasks/sqlite.ts");
    return sqliteTaskStore(file, { createDirectory: true, onWarning: warn });
  }
  if (!isServerUrl(named))
    throw new UsageError(
      `Invalid store "${redactUrl(named).slice(0, 40)}". Use a URL such as postgres://user@host/database, or omit it.`,
    );
  const { postgresTaskStore } = await import("../tasks/postgres.ts");
  // A command makes one call at a time.
  return postgresTaskStore(named, { connections: 3, onWarning: warn });
}
