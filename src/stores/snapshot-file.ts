import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { AddedTodo, Draft, Event, Todo, Track, TrackId } from "../core/model.ts";
import { MAIN_AGENT } from "../core/text/ids.ts";
import { readStatus } from "../core/text/status.ts";
import { isFinished } from "../core/views/view.ts";
import { fileFailure } from "../engines/storage/failure.ts";
import {
  makeDirectory,
  removeAbandoned,
  replaceFile,
  syncDirectory,
  TEMPORARY,
} from "../engines/storage/place.ts";
import { redactedMessage, type Warn } from "../engines/storage/warn.ts";
import { filesOf } from "./snapshot-name.ts";

/** What the format knows of a todo. */
interface Item {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm: string;
}

const MAX_BYTES = 16 * 1024 * 1024;

function itemOf({ text, status, activeText }: Todo): Item | undefined {
  if (status === "cancelled") return undefined;
  return {
    content: text,
    status: status === "blocked" ? "pending" : status,
    activeForm: activeText ?? text,
  };
}

type List = Pick<Track, "todos">;

function itemsOf({ todos }: List): Item[] {
  return isFinished(todos) ? [] : todos.map(itemOf).filter((item) => item !== undefined);
}

function printSnapshot(list: List): string {
  return `${JSON.stringify(itemsOf(list), null, 2)}\n`;
}

function draftOf(item: unknown, place: number): Draft {
  const fields: Record<string, unknown> = typeof item === "object" && item ? { ...item } : {};
  const { content, status, activeForm, id, priority } = fields;
  if (typeof content !== "string") throw new Error(`item ${place + 1} has no content`);
  return {
    text: content,
    ...readStatus(status),
    ...(typeof activeForm === "string" && activeForm !== content && { activeText: activeForm }),
    ...(typeof id === "string" && { ref: id }),
    ...(typeof priority === "string" && { priority }),
  };
}

type Read =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "list"; readonly text: string; readonly todos: Draft[]; readonly at: number };

function readFile(path: string): Read {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return { kind: "missing" };
    if (stats.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    const text = readFileSync(path, "utf8");
    const items: unknown = JSON.parse(text);
    if (!Array.isArray(items)) throw new Error("it is not an array");
    return { kind: "list", text, todos: items.map(draftOf), at: Math.floor(stats.mtimeMs) };
  } catch (error) {
    return { kind: "broken", reason: redactedMessage(error) };
  }
}

/** Gives the file a name of its own that was free, and never one that is taken. */
function setAside(path: string, mark: string): string {
  for (let n = 1; ; n++) {
    const aside = `${path}.${mark}-${n}`;
    if (existsSync(aside)) continue;
    try {
      closeSync(openSync(aside, "wx", 0o600));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw error;
    }
    try {
      renameSync(path, aside);
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
    return aside;
  }
}

const prepared = new Set<string>();

function prepareDirectory(dir: string): void {
  makeDirectory(dir);
  if (prepared.has(dir)) return;
  for (const name of readdirSync(dir))
    if (name.startsWith(".") && name.endsWith(TEMPORARY)) removeAbandoned(join(dir, name));
  prepared.add(dir);
}

function write(path: string, text: string, warn: Warn, lists?: () => Iterable<List>): void {
  const there = readFile(path);
  if (there.kind === "list" && there.text === text) return;
  if (there.kind === "broken") {
    const aside = setAside(path, "broken");
    warn(`The list ${path} cannot be read (${there.reason}). It was set aside as ${aside}.`);
  } else if (there.kind === "list" && lists && !isOneOf(there.todos, lists())) {
    const aside = setAside(path, "edited");
    warn(`The list ${path} was changed by somebody else. It was set aside as ${aside}.`);
  }
  replaceFile(path, text);
  syncDirectory(dirname(path));
}

function isOneOf(todos: readonly Draft[], lists: Iterable<List>): boolean {
  const found = JSON.stringify(todos);
  for (const list of lists) if (JSON.stringify(itemsOf(list).map(draftOf)) === found) return true;
  return false;
}

/**
 * Writes the list of a track to its file in `dir`. Whoever reads the file sees the old list or the
 * new one, whole. The format knows no cancelled todos, they are left out, and no blocked ones,
 * they wait as pending; a finished list is an empty one.
 *
 * `lists` are those that may stand there because they were written there before. Any other is
 * somebody else's, and is kept under a name of its own.
 *
 * @param dir the directory of the files
 * @param track the track to write
 * @param warn takes warnings about files that cannot be written
 * @param lists earlier states of the track, the last first
 * @returns nothing
 */
export function writeSnapshot(
  dir: string,
  track: Track,
  warn: Warn,
  lists?: () => Iterable<List>,
): void {
  const { snapshot } = filesOf(dir, track);
  try {
    prepareDirectory(dir);
    write(snapshot, printSnapshot(track), warn, lists);
  } catch (error) {
    throw fileFailure("Writing the list", snapshot, error);
  }
}

/** The list in a file with the time it was written; nothing when there is none. */
function findSnapshot(
  dir: string,
  id: TrackId,
  warn: Warn,
): { readonly todos: readonly Draft[]; readonly at: number } | undefined {
  const { snapshot } = filesOf(dir, id);
  const there = readFile(snapshot);
  if (there.kind === "list") return there;
  if (there.kind === "broken")
    warn(`The list ${snapshot} cannot be read (${there.reason}) and counts as empty.`);
  return undefined;
}

/** The key of the event that a list without a journal begins with. */
const START_KEY = "waymark:snapshot";

function addedTodo(draft: Draft, id: string): AddedTodo {
  const { text, status = "pending", ...fields } = draft;
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return { id, text, status, ...Object.fromEntries(given) };
}

/** The first event of a track whose list was read from its file; nothing for an empty list. */
export function startEvent(dir: string, id: TrackId, warn: Warn): Event | undefined {
  const found = findSnapshot(dir, id, warn);
  if (!found || found.todos.length === 0) return undefined;
  return {
    seq: 1,
    key: START_KEY,
    at: found.at,
    by: "system",
    via: "snapshot",
    changes: [
      { type: "track.opened" },
      ...found.todos.map((draft, n) => ({
        type: "todo.added" as const,
        todo: addedTodo(draft, String(n + 1)),
      })),
    ],
  };
}

/**
 * The list in a file. A missing file reads as empty, a broken one too, with a warning.
 *
 * @param dir the directory of the files
 * @param id the track
 * @param warn takes warnings about files that cannot be read
 * @returns the todos of the file
 */
export function readSnapshot(dir: string, id: TrackId, warn: Warn): readonly Draft[] {
  return findSnapshot(dir, id, warn)?.todos ?? [];
}

/**
 * Copies the list of one session's file to another's, for a session that goes on under a new id.
 * Answers whether the target has the list now: not when there is nothing to copy, nor when the
 * target has a journal, from which its file would soon be written anew. Another list in the
 * target is set aside under a name of its own.
 *
 * @param dir the directory of the files
 * @param fromSession the session whose files are copied
 * @param toSession the session that gets them
 * @param warn takes warnings about files that cannot be copied
 * @param agents the agents whose files are copied
 * @returns what was copied
 */
export function migrateSnapshot(
  dir: string,
  fromSession: string,
  toSession: string,
  warn: Warn,
  agents: { readonly from?: string; readonly to?: string } = {},
): boolean {
  const { from = MAIN_AGENT, to = from } = agents;
  const source = filesOf(dir, { session: fromSession, agent: from }).snapshot;
  const target = filesOf(dir, { session: toSession, agent: to });
  if (readSnapshot(dir, { session: fromSession, agent: from }, warn).length === 0) return false;
  if (existsSync(target.journal)) {
    warn(
      `The list ${source} was not copied: ${target.snapshot} is written from ${target.journal}.`,
    );
    return false;
  }
  try {
    const text = readFileSync(source, "utf8");
    const there = readFile(target.snapshot);
    if (there.kind === "list" && there.text !== text && there.todos.length > 0) {
      const aside = setAside(target.snapshot, "replaced");
      warn(`The list ${target.snapshot} was set aside as ${aside} for that of ${source}.`);
    }
    write(target.snapshot, text, warn);
    return true;
  } catch (error) {
    throw fileFailure("Copying the list", target.snapshot, error);
  }
}
