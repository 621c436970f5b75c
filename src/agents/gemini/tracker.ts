import type { StreamItem } from "../../core/stream/events.ts";
import { parseStatus } from "../../core/text/status.ts";
import { type Fields, fields, list, text } from "../common/values.ts";

/** The experimental task tracker: each call changes one task of the list. */
export interface Tracker {
  tasks: Task[];
  /** Changes to ids that may belong to several tasks without an id. */
  unmatched: Unmatched[];
}

interface Task {
  /** Unknown for tasks created in a stream. */
  id?: string;
  title: string;
  description?: string;
  status: string;
  parentId?: string;
  dependencies: string[];
}

interface Unmatched {
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

/** Applies an accepted call. `answer` is the result for the model, if the record has it. */
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
    const unmatched = tracker.unmatched.find((known) => known.id === id);
    if (unmatched) unmatched.change = { ...unmatched.change, ...given };
    else if (tracker.unmatched.length < MAX_TASKS) tracker.unmatched.push({ id, change: given });
  }
}

/** Finds a task by id. If exactly one task without an id can match, it gets the id. */
function find(tracker: Tracker, id: string, title?: string): Task | undefined {
  const known = tracker.tasks.find((task) => task.id === id);
  if (known) return known;
  const open = tracker.tasks.filter((task) => task.id === undefined);
  const named = open.filter((task) => task.title === title);
  const match = named.length === 1 ? named[0] : open.length === 1 ? open[0] : undefined;
  if (match) bind(tracker, match, id);
  return match;
}

function bind(tracker: Tracker, task: Task, id: string): void {
  const unmatched = tracker.unmatched.find((known) => known.id === id);
  Object.assign(task, unmatched?.change, { id });
  tracker.unmatched = tracker.unmatched.filter((known) => known.id !== id);
}

function put(tracker: Tracker, task: Task): void {
  const index = tracker.tasks.findIndex(({ id }) => id !== undefined && id === task.id);
  if (index !== -1) tracker.tasks[index] = task;
  else if (tracker.tasks.length < MAX_TASKS) tracker.tasks.push(task);
}

/** Adds the task of a file. Returns false if it has no id or title. */
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
 * Applies the list of all tasks that a chat file shows after each call. It includes tasks of earlier sessions, has no
 * dependencies, and uses other statuses than the tracker.
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
    const { status } = parseStatus(given?.status);
    const task = find(tracker, id, title);
    if (!task) put(tracker, { id, title, status, ...(parentId && { parentId }), dependencies: [] });
    else if (parseStatus(task.status).status !== status) task.status = status;
  }
  tracker.tasks = tracker.tasks.filter(({ id }) => id === undefined || ids.has(id));
}

/** The list, or undefined if it is ambiguous which task a call changed. */
export function listOf({ tasks, unmatched }: Tracker): readonly StreamItem[] | undefined {
  const open = tasks.filter(({ id }) => id === undefined).length;
  const statuses = unmatched.map((known) => known.change.status ?? "open");
  const [common = "open"] = statuses;
  if (statuses.some((status) => status !== common)) return undefined;
  // Tasks without any change are still open.
  if (common !== "open" && statuses.length !== open) return undefined;
  return tasks.map((task) => itemOf(task, task.id === undefined ? common : task.status));
}

function itemOf(task: Task, given: string): StreamItem {
  const { status, rawStatus } = parseStatus(given);
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
