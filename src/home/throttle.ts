import { statSync } from "node:fs";
import { replaceWithoutSync } from "../engines/storage/files.ts";

/**
 * Whether periodic work is due; the mtime of `file` is the time of the last run. Within `every`
 * milliseconds it is due only if something happened since then (`changedAt`).
 */
export function isDue(file: string, every: number, changedAt = 0): boolean {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Math.abs(Date.now() - last) < every && changedAt <= last) return false;
  replaceWithoutSync(file, "");
  return true;
}
