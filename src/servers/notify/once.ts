import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, refuseLink } from "../../engines/storage/place.ts";

const FOLDER = "alerted";
const KEEP = 7 * 24 * 60 * 60_000;

/**
 * Lets one process of a home tell of something, and no other: a board and a server that both notify
 * tell of it once. Whoever makes the file has it.
 */
export function openOnce(home: string, now: number): (name: string) => boolean {
  const folder = join(home, FOLDER);
  refuseLink(folder);
  makeDirectory(folder);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - made > KEEP) rmSync(path, { force: true });
  }
  return (name) => {
    const file = createHash("sha256").update(name).digest("hex").slice(0, 40);
    try {
      closeSync(openSync(join(folder, file), "wx", 0o600));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  };
}
