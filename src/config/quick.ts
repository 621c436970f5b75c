import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Looks at configuration files without parsing them, for hooks and status lines, which run many times a minute: only the program
 * knows what a file means. Where a file may matter, the program runs. `bin/waymark-hook` has the same rules.
 */
const LARGEST = 256 * 1024;

/** Whether a file may set one of these keys. A key with an escape may be any of them. */
export function mentions(file: string | undefined, words: readonly string[]): boolean {
  if (file === undefined) return false;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return false;
    if (!stats.isFile() || stats.size > LARGEST) return true;
    const text = readFileSync(file, "latin1");
    return text.includes("\\") || words.some((word) => text.includes(word));
  } catch {
    // The program reports what is wrong.
    return true;
  }
}

/** Whether a file was written, replaced or removed after that time, in milliseconds. */
export function isChangedSince(file: string | undefined, time: number): boolean {
  if (file === undefined) return false;
  return [file, dirname(file)].some((path) => {
    try {
      return (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > time;
    } catch {
      return false;
    }
  });
}

export function isThere(file: string | undefined): boolean {
  try {
    return file !== undefined && lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
