import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "board.json";

/** Whether the board shows more than fits, as it was left the last time. */
export function readMore(home: string): boolean {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(home, FILE), "utf8"));
    return typeof kept === "object" && kept !== null && "more" in kept && kept.more === true;
  } catch {
    // Never kept, or not by us: the board begins as it does for everybody.
    return false;
  }
}

export function keepMore(home: string, more: boolean): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, FILE), `${JSON.stringify({ more })}\n`, { mode: 0o600 });
}
