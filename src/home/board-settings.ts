import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "board.json";
/** Its content is the time, in milliseconds. */
const CLOSED = "board-closed";

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

/** When the board was last closed; undefined if it never was. */
export function readClosedAt(home: string): number | undefined {
  try {
    const at = Number(readFileSync(join(home, CLOSED), "utf8").trim() || Number.NaN);
    return Number.isSafeInteger(at) && at > 0 ? at : undefined;
  } catch {
    // Missing or unreadable: as if the board was never closed.
    return undefined;
  }
}

/** Does nothing without a home directory: the board alone creates none. */
export function saveClosedAt(home: string, at: number): void {
  if (existsSync(home)) writeFileSync(join(home, CLOSED), `${at}\n`, { mode: 0o600 });
}
