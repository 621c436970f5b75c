import { statSync } from "node:fs";

/** Whatever keeps one from looking: what cannot be looked at is no folder to work with. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
