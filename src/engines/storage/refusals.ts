import { join } from "node:path";
import { appendLine, readLog } from "./log-file.ts";

/** How often something was refused, of those that the log still holds. */
export interface Refusals {
  /** What was to be changed, or who was asked. */
  readonly door: Door;
  readonly code: string;
  readonly count: number;
  readonly last: string;
}

type Door = "list" | "task" | "request";

const LOG = "refusals.log";

/** Only that it happened: what was refused stays with whoever sent it. */
export function noteRefusal(home: string, door: Door, code: string): void {
  appendLine(join(home, LOG), `${door} ${code}`);
}

/** The most frequent first. */
export function refusalsIn(home: string): readonly Refusals[] {
  const found = new Map<string, Refusals>();
  for (const line of readLog(join(home, LOG))) {
    const [, last, door, code] = /^(\S+) (list|task|request) ([\w-]+)$/.exec(line) ?? [];
    if (last === undefined || code === undefined) continue;
    const key = `${door} ${code}`;
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { door: door as Door, code, count, last });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}
