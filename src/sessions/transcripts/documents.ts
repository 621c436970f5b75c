import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { Decoder } from "../../agents/agent.ts";
import { errorMessage } from "../../core/error.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { Unit } from "./catalog.ts";
import { failed, type Indexed, indexed, isCurrent, newFold, type ReadOptions } from "./fold.ts";
import { MAX_LINE } from "./scan/lines.ts";
import { START } from "./scan/tail.ts";

/** Reads documents completely, all files of one list together. */
export function readDocuments(
  found: Unit,
  known: Indexed | undefined,
  dialect: Decoder,
  options: ReadOptions = {},
): Indexed {
  const group = {
    ...found[0],
    size: found.reduce((sum, file) => sum + file.size, 0),
    mtime: Math.max(...found.map((file) => file.mtime)),
  };
  if (known && isCurrent(known, group)) return known;
  const fold = newFold(group, dialect, options);
  const events: StreamEvent[] = [];
  let problem: string | undefined;
  for (const file of found) {
    try {
      if (file.size > MAX_LINE) events.push(...fold.reader.tooLong(file.size, 1));
      else events.push(...fold.reader.line(textOf(file.path), 1));
    } catch (error) {
      problem ??= errorMessage(error);
    }
  }
  foldState(fold, events, known);
  return problem === undefined ? indexed(group, fold, START) : failed(group, fold, problem);
}

/** Opens neither symlinks nor pipes, as with session files. */
function textOf(path: string): string {
  const handle = openSync(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    if (!fstatSync(handle).isFile()) throw new Error("not a regular file");
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

/**
 * Folds the state of documents and databases, which have no history: of each list only the last event
 * counts. It continues the known list, so that todos keep their ids and times.
 */
export function foldState(
  fold: ReturnType<typeof newFold>,
  events: readonly StreamEvent[],
  known: Indexed | undefined,
): void {
  const last = new Map<string, StreamEvent>();
  for (const event of events)
    if (event.type === "todo_list")
      last.set(trackKey({ session: event.sessionId, agent: event.agentId }), event);
  for (const event of events) {
    const key = trackKey({ session: event.sessionId, agent: event.agentId });
    if (event.type === "todo_list" && last.get(key) !== event) continue;
    const isNew = fold.lives[key] === undefined;
    const before = known?.lives[key]?.track;
    // A file that is being written may be empty, and old calls drop out of the window that is read of a
    // database: only an explicit empty list clears the known one.
    if (isNew && before) fold.adopt(event, before);
    fold.apply([event]);
  }
}
