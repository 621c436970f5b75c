import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { TO_APPEND } from "../../storage/place.ts";

const MAX_BYTES = 256 * 1024;

/**
 * One line in `hook.log`, for a hook says nothing to anybody else of what went wrong. Never what an
 * agent wrote: messages of errors that quote their input are left out.
 */
export function logHook(
  home: string,
  who: string,
  problem: unknown,
  now: number = Date.now(),
): void {
  const file = join(home, "hook.log");
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, `${file}.1`);
    const line = `${new Date(now).toISOString()} ${who}: ${wordsFor(problem)}`;
    const handle = openSync(file, TO_APPEND, 0o600);
    try {
      writeSync(handle, `${line.replace(/[\r\n]+/g, " ").slice(0, 500)}\n`);
    } finally {
      closeSync(handle);
    }
  } catch {
    // There is nobody left to tell.
  }
}

function wordsFor(problem: unknown): string {
  if (typeof problem === "string") return problem;
  if (problem instanceof SyntaxError) return "the input is not JSON";
  const { code, name, message } = problem as NodeJS.ErrnoException;
  return code !== undefined ? `${code}: ${message}` : `${name ?? "error"}: ${message ?? ""}`;
}
