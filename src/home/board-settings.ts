import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "board.json";

/** Whether the board was last left in its expanded view. */
export function readMore(home: string): boolean {
  try {
    const saved: unknown = JSON.parse(readFileSync(join(home, FILE), "utf8"));
    return typeof saved === "object" && saved !== null && "more" in saved && saved.more === true;
  } catch {
    // Missing or unreadable: the default.
    return false;
  }
}

export function saveMore(home: string, more: boolean): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, FILE), `${JSON.stringify({ more })}\n`, { mode: 0o600 });
}
