import type { StreamItem } from "../../core/stream/events.ts";
import { readStatus } from "../../core/text/status.ts";
import { type Fields, fields, list, text } from "../common/values.ts";

/** The experimental task tracker: one call per task, folded into one list. */
export interface Tracker {
  tasks: Task[];
  /** Ids that calls spoke of while several tasks without an id may have been meant. */
  loose: Loose[];
}

interface Task {
  /** A stream does not show the id that a new task got. */
  id?: string;
  title: string;
  description?: string;
  status: string;
  parentId?: string;
  dependencies: string[];
}

interface Loose {
  readonly id: string;
  change: Partial<Task>;
}

const MAX_TASKS = 1_000;

const WRITES = ["tracker_create_task", "tracker_update_task", "tracker_add_dependency"] as const;
const READS = ["tracker_get_task", "tracker_list_tasks", "tracker_visualize"];

export const TRACKER_NEEDLES = WRITES.map((name) => `"${name}"`);

export function trackerKind(name: string): "write" | "read" | undefined {
  if (WRITES.some((known) => known === name)) return "write";
  return READS.includes(name) ? "read" : undefined;
}

/** Takes in one accepted call. `answer` is what the model was told, where the record shows it. */
export function applyCall(
  tracker: Tracker,
  name: string,
  args: Fields,
  answer: string | undefined,
): void {
  if (name === "tracker_create_task") create(tracker, args, answer);
  else if (name === "tracker_update_task") change(tracker, text(args.id), changeOf(args));
  else {
    const dependency = text(args.dependencyId);
    const known = dependency === undefined ? undefined : find(tracker, dependency);
    if (dependency !== undefined && !known) change(tracker, dependency, {});
    const id = text(args.taskId);
    const task = id === undefined ? undefined : find(tracker, id);
    const before = task?.dependencies ?? [];
    if (dependency !== undefined && !before.includes(dependency))
      change(tracker, id, { dependencies: [...before, dependency] });
  }
}

function create(tracker: Tracker, args: Fields, answer: string | undefined): void {
  const { title, ...rest } = changeOf(args);
  const parentId = text(args.parentId);
  if (parentId !== undefined) find(tracker, parentId);
  const id = /^Created task ([0-9a-f]{6})\b/.exec(answer ?? "")?.[1];
  put(tracker, {
    title: title ?? "",
    dependencies: [],
    ...rest,
    status: "open",
    ...(parentId !== undefined && { parentId }),
    ...(id !== undefined && { id }),
  });
}

function changeOf(args: Fields): Partial<Task> {
  const title = text(args.title);
  const description = text(args.description);
  const status = text(args.status);
  const dependencies = list(args.dependencies)?.flatMap((id) => text(id) ?? []);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
    ...(dependencies && { dependencies }),
  };
}

function change(tracker: Tracker, id: string | undefined, given: Partial<Task>): void {
  if (id === undefined) return;
  const task = find(tracker, id, given.title);
  if (task) Object.assign(task, given);
  else {
    const loose = tracker.loose.find((known) => known.id === id);
    if (loose) loose.change = { ...loose.change, ...given };
    else if (tracker.loose.length < MAX_TASKS) tracker.loose.push({ id, change: given });
  }
}

/** The task of an id. Where only one task without an id can be meant, it gets the id. */
function find(tracker: Tracker, id: string, title?: string): Task | undefined {
  const known = tracker.tasks.find((task) => task.id === id);
  if (known) return known;
  const open = tracker.tasks.filter((task) => task.id === undefined);
  const named = open.filter((task) => task.title === title);
  const meant = named.length === 1 ? named[0] : open.length === 1 ? open[0] : undefined;
  if (meant) bind(tracker, meant, id);
  return meant;
}

function bind(tracker: Tracker, task: Task, id: string): void {
  const loose = tracker.loose.find((known) => known.id === id);
  Object.assign(task, loose?.change, { id });
  tracker.loose = tracker.loose.filter((known) => known.id !== id);
}

function put(tracker: Tracker, task: Task): void {
  const index = tracker.tasks.findIndex(({ id }) => id !== undefined && id === task.id);
  if (index !== -1) tracker.tasks[index] = task;
  else if (tracker.tasks.length < MAX_TASKS) tracker.tasks.push(task);
}

/** A task file. */
export function applyFile(tracker: Tracker, file: Fields): boolean {
  const id = text(file.id);
  const { title, ...rest } = changeOf(file);
  if (id === undefined || title === undefined) return false;
  const parentId = text(file.parentId);
  put(tracker, {
    status: "open",
    dependencies: [],
    ...rest,
    id,
    title,
    ...(parentId !== undefined && { parentId }),
  });
  return true;
}

const SHOWN = /^( *)\w+: (.*) \(([0-9a-f]{6})\)$/s;

/**
 * The whole tracker as a chat file shows it after each call, which tells what earlier sessions left
 * there. It has no dependencies, and its statuses are not the tracker's.
 */
export function applyShown(tracker: Tracker, shown: readonly unknown[]): void {
  const parents: string[] = [];
  const ids = new Set<string>();
  for (const entry of shown) {
    const given = fields(entry);
    const [, indent = "", title, id] = SHOWN.exec(text(given?.description) ?? "") ?? [];
    if (title === undefined || id === undefined) continue;
    const depth = indent.length / 2;
    parents.splice(depth, parents.length, id);
    ids.add(id);
    const parentId = parents[depth - 1];
    const { status } = readStatus(given?.status);
    const task = find(tracker, id, title);
    if (!task) put(tracker, { id, title, status, ...(parentId && { parentId }), dependencies: [] });
    else if (readStatus(task.status).status !== status) task.status = status;
  }
  tracker.tasks = tracker.tasks.filter(({ id }) => id === undefined || ids.has(id));
}

/** The list, or nothing where it is not clear which task the calls spoke of. */
export function listOf({ tasks, loose }: Tracker): readonly StreamItem[] | undefined {
  const open = tasks.filter(({ id }) => id === undefined).length;
  const said = loose.map((known) => known.change.status ?? "open");
  const [common = "open"] = said;
  if (said.some((status) => status !== common)) return undefined;
  // Ids that were not spoken of yet stand for tasks that are still open.
  if (common !== "open" && said.length !== open) return undefined;
  return tasks.map((task) => itemOf(task, task.id === undefined ? common : task.status));
}

function itemOf(task: Task, given: string): StreamItem {
  const { status, rawStatus } = readStatus(given);
  return {
    text: task.title,
    status,
    ...(rawStatus !== undefined && { raw: rawStatus }),
    ...(task.id !== undefined && { id: task.id }),
    ...(task.parentId !== undefined && { parent: task.parentId }),
    ...(task.dependencies.length > 0 && { blockedBy: task.dependencies }),
    ...(task.description !== undefined && { notes: [task.description] }),
  };
}
