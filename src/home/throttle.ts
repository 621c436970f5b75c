import { statSync } from "node:fs";
import { replaceLoosely } from "../engines/storage/place.ts";

/**
 * Whether to do now what is done now and then; the time of the file says when it was last. Within
 * `every` milliseconds it is done again only for what came up since then.
 */
export function isDue(file: string, every: number, cameUp = 0): boolean {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Math.abs(Date.now() - last) < every && cameUp <= last) return false;
  replaceLoosely(file, "");
  return true;
}
