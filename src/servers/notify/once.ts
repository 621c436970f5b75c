import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory, refuseSymlink } from "../../engines/storage/files.ts";

const FOLDER = "alerted";
const MAX_AGE = 7 * 24 * 60 * 60_000;

/**
 * Deduplicates notifications across the processes of a home, such as a board and a server. The returned function is
 * true for the first caller with a name: the one that creates its file. Files are kept for a week.
 */
export function openOnce(home: string, now: number): (name: string) => boolean {
  const folder = join(home, FOLDER);
  refuseSymlink(folder);
  ensureDirectory(folder);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const createdAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - createdAt > MAX_AGE) rmSync(path, { force: true });
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
