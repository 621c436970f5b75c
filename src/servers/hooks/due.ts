import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Due } from "../../core/guidance/schedule.ts";
import {
  isSymlink,
  removeAbandonedParts,
  replaceWithoutSync,
} from "../../engines/storage/files.ts";

/**
 * One file per session with the line `STEPS PROMPT STOP`: when the next reminder can be due. Hooks read it to decide
 * whether to load the full program, and so does the shell script `bin/waymark-hook`.
 */
function fileOf(home: string, session: string): string {
  return join(home, DIR, session);
}

const DIR = "due";

export function writeDue(home: string, session: string, { steps, prompt, stop }: Due): void {
  // Never write through a link. Without the file, every event loads the full program, which is only slower.
  if (isSymlink(join(home, DIR))) return;
  const line = `${steps} ${prompt ? 1 : 0} ${stop ? 1 : 0}\n`;
  if (readLine(home, session) !== line) replaceWithoutSync(fileOf(home, session), line);
  else touch(fileOf(home, session));
}

/** Configuration files that are older are part of the line. */
function touch(file: string): void {
  const now = Date.now() / 1_000;
  try {
    utimesSync(file, now, now);
  } catch {
    // Another process removed it. Without the file, the next event loads the full program.
  }
}

/** When the line was written, in milliseconds; 0 without one. */
export function dueTime(home: string, session: string): number {
  return statSync(fileOf(home, session), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readLine(home: string, session: string): string | undefined {
  if (isSymlink(join(home, DIR))) return undefined;
  try {
    return readFileSync(fileOf(home, session), "utf8");
  } catch {
    // The session has no file yet.
    return undefined;
  }
}

export function readDue(home: string, session: string): Due | undefined {
  const [, steps, prompt, stop] =
    /^(\d{1,9}) ([01]) ([01])\n$/.exec(readLine(home, session) ?? "") ?? [];
  if (steps === undefined) return undefined;
  return { steps: Number(steps), prompt: prompt === "1", stop: stop === "1" };
}

const MAX_AGE = 7 * 24 * 60 * 60_000;

/** Removes the session's file and files older than a week. A session that continues gets a new file with its next event. */
export function removeDue(home: string, session: string, now: number): void {
  const dir = join(home, DIR);
  if (isSymlink(dir)) return;
  rmSync(fileOf(home, session), { force: true });
  for (const name of readdirSync(dir)) {
    const stats = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stats && now - stats.mtimeMs > MAX_AGE) rmSync(join(dir, name), { force: true });
  }
  removeAbandonedParts(dir);
}
