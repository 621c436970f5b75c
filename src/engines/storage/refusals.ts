import { join } from "node:path";
import { appendLine, readLog } from "./log-file.ts";

/** How often writes or requests were refused, as far as the log goes back. */
export interface Refusals {
  /** The API that refused it. The name is part of `doctor --json`. */
  readonly door: Door;
  readonly code: string;
  readonly count: number;
  readonly last: string;
}

type Door = "list" | "task" | "request";

const LOG = "refusals.log";

/** Logs only that it happened, never what was refused. */
export function logRefusal(home: string, door: Door, code: string): void {
  appendLine(join(home, LOG), `${door} ${code}`);
}

/** Most frequent first. */
export function readRefusals(home: string): readonly Refusals[] {
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
