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
import { parseStatus } from "../core/text/status.ts";
import { isFinished } from "../core/views/view.ts";
import { fileFailure } from "../engines/storage/failure.ts";
import {
  ensureDirectory,
  removeAbandoned,
  replaceFile,
  syncDirectory,
  TEMPORARY_SUFFIX,
} from "../engines/storage/files.ts";
import { redactedMessage, type Warn } from "../engines/storage/warn.ts";
import { filesOf } from "./snapshot-name.ts";

/** A todo in the snapshot format. */
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

function draftOf(item: unknown, index: number): Draft {
  const fields: Record<string, unknown> = typeof item === "object" && item ? { ...item } : {};
  const { content, status, activeForm, id, priority } = fields;
  if (typeof content !== "string") throw new Error(`item ${index + 1} has no content`);
  return {
    text: content,
    ...parseStatus(status),
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

/** Renames the file to an unused name. */
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
  ensureDirectory(dir);
  if (prepared.has(dir)) return;
  for (const name of readdirSync(dir))
    if (name.startsWith(".") && name.endsWith(TEMPORARY_SUFFIX)) removeAbandoned(join(dir, name));
  prepared.add(dir);
}

function write(path: string, text: string, warn: Warn, lists?: () => Iterable<List>): void {
  const there = readFile(path);
  if (there.kind === "list" && there.text === text) return;
  if (there.kind === "broken") {
    const aside = setAside(path, "broken");
    warn(`Cannot read the list ${path} (${there.reason}). It was renamed to ${aside}.`);
  } else if (there.kind === "list" && lists && !isOneOf(there.todos, lists())) {
    const aside = setAside(path, "edited");
    warn(`The list ${path} was changed by another program. It was renamed to ${aside}.`);
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
 * Writes the list of a track to its snapshot file, atomically. The format has no cancelled todos, which
 * are left out, and no blocked ones, which become pending. A finished list is written as an empty one.
 *
 * @param dir the directory of the files
 * @param track the track to write
 * @param warn receives warnings about files that cannot be read or were changed by another program
 * @param lists earlier states of the track, the last first; a file with any other list is renamed
 *   instead of overwritten
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

/** The list in a file and its mtime; undefined if the file is missing or invalid. */
function findSnapshot(
  dir: string,
  id: TrackId,
  warn: Warn,
): { readonly todos: readonly Draft[]; readonly at: number } | undefined {
  const { snapshot } = filesOf(dir, id);
  const there = readFile(snapshot);
  if (there.kind === "list") return there;
  if (there.kind === "broken")
    warn(`Cannot read the list ${snapshot} (${there.reason}). It counts as empty.`);
  return undefined;
}

/** The key of the first event of a list without a journal. */
const START_KEY = "waymark:snapshot";

function addedTodo(draft: Draft, id: string): AddedTodo {
  const { text, status = "pending", ...fields } = draft;
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return { id, text, status, ...Object.fromEntries(given) };
}

/** The first event of a track with a snapshot but no journal; undefined if the list is empty. */
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
 * Reads the list of a track from its snapshot file.
 *
 * @param dir the directory of the files
 * @param id the track
 * @param warn receives a warning if the file is invalid
 * @returns the todos; none if the file is missing or invalid
 */
export function readSnapshot(dir: string, id: TrackId, warn: Warn): readonly Draft[] {
  return findSnapshot(dir, id, warn)?.todos ?? [];
}

/**
 * Copies the snapshot of one session to another, for a session that continues under a new id. A different
 * list of the target is renamed, not overwritten.
 *
 * @param dir the directory of the files
 * @param fromSession the session to copy from
 * @param toSession the session to copy to
 * @param warn receives warnings about files that are not copied
 * @param agents the agents to copy from and to (default: `main`)
 * @returns whether the target has the list; false if there is nothing to copy, or if the target has a
 *   journal that its snapshot is written from
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
      warn(`The list ${target.snapshot} was renamed to ${aside} and replaced by ${source}.`);
    }
    write(target.snapshot, text, warn);
    return true;
  } catch (error) {
    throw fileFailure("Copying the list", target.snapshot, error);
  }
}
