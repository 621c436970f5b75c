import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { WaymarkError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { ensureFile } from "./files.ts";

/** The store of a Waymark home. Stores with another name have no mirror. */
const HOME_STORE = "waymark.db";
const MIRROR = "todos";
const LIST = /^(.+-agent-.+)\.json$/;

/** Traces of an earlier store beside its file. */
export interface Traces {
  /** Lists in the mirror that have todos. */
  readonly lists: number;
  /** The store had tasks. They are not mirrored. */
  readonly tasks: boolean;
}

/** The directory that mirrors the lists of the store at `path`. */
export function mirrorOf(path: string): string {
  return join(dirname(path), MIRROR);
}

function tasksRecordOf(path: string): string {
  return `${path}.tasks`;
}

/** Records beside the store of a home that it has tasks. */
export function recordTasks(path: string): void {
  if (basename(path) !== HOME_STORE) return;
  try {
    ensureFile(tasksRecordOf(path));
  } catch {
    // Only a hint for later: the tasks themselves are stored.
  }
}

/** Removes that record: the user knows that the tasks are lost. */
export function removeTasksRecord(path: string): void {
  rmSync(tasksRecordOf(path), { force: true });
}

/** Traces of a lost store. Undefined for a new home, a home without open lists and any other file. */
export function tracesOf(path: string): Traces | undefined {
  if (basename(path) !== HOME_STORE) return undefined;
  const lists = mirroredLists(path).length;
  const tasks = existsSync(tasksRecordOf(path));
  return lists > 0 || tasks ? { lists, tasks } : undefined;
}

/** The names of the mirrored lists with todos. A list with a journal belongs to a snapshot store. */
export function mirroredLists(path: string): readonly string[] {
  const dir = mirrorOf(path);
  const names = new Set(namesIn(dir));
  return [...names].filter((name) => {
    const track = LIST.exec(name)?.[1];
    return track !== undefined && !names.has(`${track}.events.jsonl`) && hasTodos(join(dir, name));
  });
}

function namesIn(dir: string): readonly string[] {
  try {
    return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dir) : [];
  } catch {
    // An unreadable mirror does not prevent work.
    return [];
  }
}

function hasTodos(file: string): boolean {
  try {
    const items: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(items) && items.length > 0;
  } catch {
    // An unreadable file cannot be restored from.
    return false;
  }
}

/** The error for a lost store: the user decides how to continue. */
export function lostError(path: string, { lists, tasks }: Traces): WaymarkError {
  const traces = [
    ...(lists > 0
      ? [`${counted(lists, "list is", "lists are")} mirrored in ${mirrorOf(path)}`]
      : []),
    ...(tasks ? ["it had tasks"] : []),
  ];
  const way =
    lists > 0
      ? "Run `waymark doctor --restore` to restore the lists, or `waymark doctor --start-empty` to start over."
      : "Put a backup of the file there, or run `waymark doctor --start-empty` to start over.";
  return new WaymarkError(
    "store_lost",
    `The store ${path} is missing or empty, but ${traces.join(" and ")}. Nothing was written. ${way}`,
  );
}

/** The next step for a user with a damaged store. */
export function damageHint(path: string): string {
  return basename(path) === HOME_STORE
    ? "Put a backup in its place, run `waymark doctor --restore` to restore the lists from their " +
        "mirror, or `waymark doctor --start-empty` to start over."
    : "Put a backup in its place, or move it away to start a new one.";
}

export function isStoreLost(error: unknown): error is WaymarkError {
  return error instanceof WaymarkError && error.code === "store_lost";
}
