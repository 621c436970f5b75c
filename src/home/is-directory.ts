import { statSync } from "node:fs";

/** Returns false on any error: an unreadable path is not a usable directory. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
