import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Decoder, Source } from "../../agents/agent.ts";
import { openReader } from "../../agents/common/reader.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { createFinder } from "./scan/needles.ts";

export type LastList = StreamEvent & { readonly type: "todo_list" };

const FIRST_WINDOW = 256 * 1024;
const MAX_WINDOW = 64 * 1024 * 1024;
const GROWTH = 4;
const NEWLINE = 0x0a;

/**
 * Finds the last list of a session by reading from the end of its file, which is what a resumed agent
 * or a user needs first. Undefined if the end has no list, or only single steps of one: then the file
 * must be scanned.
 */
export function findLastList(
  path: string,
  dialect: Decoder,
  source: Source,
  agent = MAIN_AGENT,
): LastList | undefined {
  const handle = openSync(path, "r");
  try {
    const { size } = fstatSync(handle);
    for (let window = FIRST_WINDOW; ; window *= GROWTH) {
      const start = Math.max(0, size - window);
      const found = lastIn(handle, start, size, dialect, source, agent);
      if (found && (start === 0 || !found.stepwise)) return found;
      if (start === 0 || window >= MAX_WINDOW) return undefined;
    }
  } finally {
    closeSync(handle);
  }
}

function lastIn(
  handle: number,
  start: number,
  size: number,
  dialect: Decoder,
  source: Source,
  agent: string,
): LastList | undefined {
  const bytes = Buffer.allocUnsafe(size - start);
  const got = readSync(handle, bytes, 0, bytes.length, start);
  const block = bytes.subarray(0, got);
  const reader = openReader(dialect, source, { now: () => 0 });
  const finder = createFinder(
    block,
    dialect.needles,
    () => dialect.pendingNeedles?.(reader.state) ?? [],
  );
  let last: LastList | undefined;
  let from = start === 0 ? 0 : block.indexOf(NEWLINE) + 1;
  for (let at = finder.next(from); at < block.length; at = finder.next(from)) {
    const end = block.indexOf(NEWLINE, at);
    if (end === -1) break;
    const line = block.subarray(Math.max(from, block.lastIndexOf(NEWLINE, at) + 1), end);
    for (const event of reader.line(line.toString("utf8"), 0))
      if (event.type === "todo_list" && event.agentId === agent) last = event;
    finder.changed();
    from = end;
  }
  return last;
}
