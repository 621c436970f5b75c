import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Due } from "../../core/guidance/schedule.ts";
import { isLink, removeAbandonedParts, replaceLoosely } from "../../engines/storage/place.ts";

/**
 * One line for each session, `STEPS PROMPT STOP`, that tells a hook whether it need think at all.
 * The shell script reads it too.
 */
function fileOf(home: string, session: string): string {
  return join(home, DIR, session);
}

const DIR = "due";

export function writeDue(home: string, session: string, { steps, prompt, stop }: Due): void {
  // Without a line every event is thought about: slower, and nothing elsewhere is touched.
  if (isLink(join(home, DIR))) return;
  const line = `${steps} ${prompt ? 1 : 0} ${stop ? 1 : 0}\n`;
  if (readLine(home, session) !== line) replaceLoosely(fileOf(home, session), line);
}

function readLine(home: string, session: string): string | undefined {
  if (isLink(join(home, DIR))) return undefined;
  try {
    return readFileSync(fileOf(home, session), "utf8");
  } catch {
    // Nothing is known of the session yet.
    return undefined;
  }
}

export function readDue(home: string, session: string): Due | undefined {
  const [, steps, prompt, stop] =
    /^(\d{1,9}) ([01]) ([01])\n$/.exec(readLine(home, session) ?? "") ?? [];
  if (steps === undefined) return undefined;
  return { steps: Number(steps), prompt: prompt === "1", stop: stop === "1" };
}

const KEPT_FOR = 7 * 24 * 60 * 60_000;

/** A session that goes on without its line is asked about at its next event. */
export function removeDue(home: string, session: string, now: number): void {
  const dir = join(home, DIR);
  if (isLink(dir)) return;
  rmSync(fileOf(home, session), { force: true });
  for (const name of readdirSync(dir)) {
    const stats = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stats && now - stats.mtimeMs > KEPT_FOR) rmSync(join(dir, name), { force: true });
  }
  removeAbandonedParts(dir);
}
