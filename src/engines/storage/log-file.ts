import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { withoutSecrets } from "./own-secrets.ts";
import { makeDirectory, TO_APPEND } from "./place.ts";

const MAX_BYTES = 256 * 1024;
const MAX_LINE = 500;

/** Adds a line with its time. The file never grows for ever: the older half is kept beside it. */
export function appendLine(file: string, line: string, now: number = Date.now()): void {
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, older(file));
    const safe = withoutSecrets(line).replace(/[\r\n]+/g, " ");
    const whole = `${new Date(now).toISOString()} ${safe}`;
    const handle = openToAppend(file);
    try {
      writeSync(handle, `${whole.slice(0, MAX_LINE)}\n`);
    } finally {
      closeSync(handle);
    }
  } catch {
    // There is nobody left to tell.
  }
}

/** A log may well be what is written first. */
function openToAppend(file: string): number {
  try {
    return openSync(file, TO_APPEND, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeDirectory(dirname(file));
    return openSync(file, TO_APPEND, 0o600);
  }
}

/** What is left of it, oldest first. */
export function readLog(file: string): readonly string[] {
  return [older(file), file].flatMap((path) => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  });
}

function older(file: string): string {
  return `${file}.1`;
}
