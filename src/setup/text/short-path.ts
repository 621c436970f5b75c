import { homedir } from "node:os";
import { sep } from "node:path";

/** The path with `~` for the home directory. */
export function shortPath(path: string, home: string = homedir()): string {
  return home !== "" && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
