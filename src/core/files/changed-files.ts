import type { Event } from "../model.ts";
import type { FileEdits } from "./file-edits.ts";
import { shownPath } from "./paths.ts";

/** Lines that git counts between a commit and the working tree. */
export interface FileLines {
  /** Null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** A file that an agent edited. */
export interface ChangedFile {
  /** Relative to the directory of the session if it lies in it. External text: encode it for its sink. */
  readonly path: string;
  /** Number of calls that edited it. */
  readonly edits: number;
  /** When it was last edited. */
  readonly at: number;
  /** Ids of the todos that were in progress, in the order of the edits; empty if there was none. */
  readonly todos: readonly string[];
  /** The difference that git sees; absent if it is not known. */
  readonly lines?: FileLines;
}

/** The files that one agent edited, the most recent first. */
export interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** Calls that edited files which they do not name. */
  readonly unnamed: number;
  /** Number of older edits that are not included. */
  readonly dropped: number;
  /** The difference that git sees; absent outside of a repository, and if git gave no answer. */
  readonly git?: GitDifference;
  /** Why there are no figures of git, if the directory should have some. */
  readonly problem?: string;
}

/** The difference between a commit and the working tree. */
export interface GitDifference {
  /** The last commit before the session; null if there was none, so everything counts as added. */
  readonly since: string | null;
  /** Files that differ, but that no edit of the agent names, at most 100. */
  readonly others: readonly OtherFile[];
  /** Number of files that differ and that no edit of the agent names. */
  readonly othersTotal: number;
}

export interface OtherFile {
  readonly path: string;
  readonly lines: FileLines;
}

/**
 * Groups edits by file. An edit counts for the todo that was in progress when its call started; `events`
 * are those of the list, oldest first.
 */
export function changedFiles(
  { edits, unnamed, dropped }: FileEdits,
  events: readonly Event[],
  directory?: string,
): ChangedFiles {
  const todoAt = todoInProgress(events);
  const files = new Map<string, { edits: number; at: number; todos: Set<string> }>();
  for (const { at, path } of edits) {
    const known = files.get(path) ?? { edits: 0, at, todos: new Set() };
    known.edits++;
    known.at = Math.max(known.at, at);
    const todo = todoAt(at);
    if (todo !== undefined) known.todos.add(todo);
    files.set(path, known);
  }
  const all = [...files].map(
    ([path, file]): ChangedFile => ({
      path: shownPath(path, directory),
      edits: file.edits,
      at: file.at,
      todos: [...file.todos],
    }),
  );
  return { files: all.sort((a, b) => b.at - a.at || order(a.path, b.path)), unnamed, dropped };
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Files by id of the todo. */
export function filesByTodo(files: readonly ChangedFile[]): ReadonlyMap<string, ChangedFile[]> {
  const found = new Map<string, ChangedFile[]>();
  for (const file of files)
    for (const todo of file.todos) found.set(todo, [...(found.get(todo) ?? []), file]);
  return found;
}

/** The sum of the lines of several files; undefined if git knows none of them. */
export function sumLines(
  files: readonly Pick<ChangedFile, "lines">[],
): { readonly added: number; readonly removed: number } | undefined {
  const known = files.flatMap(({ lines }) => lines ?? []);
  if (known.length === 0) return undefined;
  return {
    added: known.reduce((sum, { added }) => sum + (added ?? 0), 0),
    removed: known.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
  };
}

interface Step {
  readonly at: number;
  /** Todos in progress from then on, in the order in which they were started. */
  readonly todos: readonly string[];
}

/** Returns which todo was in progress at a time: the one that was started first. */
function todoInProgress(events: readonly Event[]): (at: number) => string | undefined {
  const steps: Step[] = [];
  let todos: readonly string[] = [];
  for (const { at, changes } of events) {
    const before = todos;
    for (const change of changes) {
      if (change.type === "list.started") todos = [];
      else if (change.type === "todo.removed") todos = without(todos, change.id);
      else if (change.type === "todo.moved") {
        todos = without(todos, change.id);
        if (change.to === "in_progress") todos = [...todos, change.id];
      } else if (change.type === "todo.added" && change.todo.status === "in_progress")
        todos = [...todos, change.todo.id];
    }
    if (todos !== before) steps.push({ at, todos });
  }
  return (at) => {
    const index = steps.findLastIndex((step) => step.at <= at);
    const step = steps[index];
    // A call that started together with the end of its todo still belongs to it.
    const current = step?.at === at && step.todos.length === 0 ? steps[index - 1] : step;
    return current?.todos[0];
  };
}

function without(todos: readonly string[], id: string): readonly string[] {
  return todos.includes(id) ? todos.filter((each) => each !== id) : todos;
}
