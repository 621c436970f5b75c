import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { APPEND_FLAGS, ensureDirectory } from "./files.ts";
import { redactSecrets } from "./redact-secrets.ts";

const MAX_BYTES = 256 * 1024;
const MAX_LINE = 500;

/** Appends a timestamped line. A file over 256 KiB is rotated to `.1`, which replaces the previous one. */
export function appendLine(file: string, line: string, now: number = Date.now()): void {
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, rotated(file));
    const safe = redactSecrets(line).replace(/[\r\n]+/g, " ");
    const stamped = `${new Date(now).toISOString()} ${safe}`;
    const handle = openToAppend(file);
    try {
      writeSync(handle, `${stamped.slice(0, MAX_LINE)}\n`);
    } finally {
      closeSync(handle);
    }
  } catch {
    // A log that cannot be written has nowhere to report it.
  }
}

/** Creates the directory if needed: the log may be the first file of a home. */
function openToAppend(file: string): number {
  try {
    return openSync(file, APPEND_FLAGS, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    ensureDirectory(dirname(file));
    return openSync(file, APPEND_FLAGS, 0o600);
  }
}

/** The lines of both files, oldest first. */
export function readLog(file: string): readonly string[] {
  return [rotated(file), file].flatMap((path) => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  });
}

function rotated(file: string): string {
  return `${file}.1`;
}
