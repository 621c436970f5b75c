import { CommandError } from "../../core/error.ts";
import { fieldsOfFile, ownerIn, phaseIn } from "../files/fields.ts";
import { NO_BASE, nextBase } from "../files/merge.ts";
import { newTaskFile, readTaskFile } from "../formats/backlog/document.ts";
import type { Task } from "../model.ts";
import { canonical } from "../rules/needs.ts";
import { fileNameOf, isFrom, ownFileId } from "./links.ts";
import type { BaseEntry } from "./state.ts";
import { minuteOf, type Pass } from "./sync.ts";
import { createFile } from "./write.ts";

/** Tasks of the store that get a file. Subtasks of tasks with a file always do. */
export interface Selection {
  readonly all?: boolean;
  readonly labels?: readonly string[];
  readonly tasks?: readonly string[];
}

/** A task of the store that gets a file. */
export interface NewFile {
  readonly task: Task;
  readonly key: string;
  readonly isRestored: boolean;
}

/** Chooses the tasks that get a file, and their ids in files. */
export function selectNew(pass: Pass, restored: readonly string[]): readonly NewFile[] {
  const { table, fileIds, links, scan, bases } = pass;
  const named = namedTasks(pass);
  const chosen = new Map<string, Task>();
  const shared = (id: string) => fileIds.has(id) || chosen.has(id);
  // In order of ids, so that parents mostly precede; a subtask of a later one is found by repeating.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const task of table.byId.values()) {
      if (shared(task.id) || !isWanted(pass, task, named, restored, shared)) continue;
      chosen.set(task.id, task);
      isGrowing = true;
    }
  }
  return [...chosen.values()].map((task) => {
    const old = bases[task.id]?.key.replace(/~.*/, "");
    const own = ownFileId(task, scan.config.prefix);
    const key =
      [old, own, `${own}${task.id}`].find((each) => each !== undefined && !links.has(each)) ?? own;
    links.set(key, task.id);
    fileIds.set(task.id, key.toUpperCase());
    return { task, key, isRestored: restored.includes(task.id) };
  });
}

function namedTasks({ options, table }: Pass): ReadonlySet<string> {
  const names = (options.selection?.tasks ?? []).map(canonical);
  const missing = names.find((id) => !table.byId.has(id));
  if (missing !== undefined)
    throw new CommandError(
      `There is no task ${missing}. Nothing was changed. See \`waymark task list --all\`.`,
    );
  return new Set(names);
}

function isWanted(
  { options, origin, bases, state }: Pass,
  task: Task,
  named: ReadonlySet<string>,
  restored: readonly string[],
  isShared: (id: string) => boolean,
): boolean {
  const { id, status, parent, labels, createdAt } = task;
  if (restored.includes(id) || (named.has(id) && status !== "cancelled")) return true;
  if (status === "done" || status === "cancelled" || id in bases) return false;
  // Its file is on another branch, or in a clone.
  const isElsewhere = Object.values(state?.branches ?? {}).some(
    (each) => each[id]?.createdAt === createdAt,
  );
  if (isElsewhere || isFrom(task, origin.sources)) return false;
  const { all, labels: wanted = [] } = options.selection ?? {};
  return (
    all === true ||
    wanted.some((label) => labels.includes(label)) ||
    (parent !== undefined && isShared(parent))
  );
}

/** Writes the files. Returns their bases. */
export function createFiles(pass: Pass, created: readonly NewFile[]): Record<string, BaseEntry> {
  const { options, scan, changes, problems, idOf } = pass;
  const entries: Record<string, BaseEntry> = {};
  for (const { task, key, isRestored } of created) {
    const fields = pass.fieldsOf(task.id);
    if (!fields) continue;
    const path = `tasks/${fileNameOf(key, task.subject)}`;
    const text = newTaskText(pass, task, key);
    const written = options.dryRun
      ? { ok: true as const, path }
      : createFile(options.folder, path, text);
    if (!written.ok) {
      problems.push({ path, why: written.why });
      continue;
    }
    changes.push({
      change: isRestored ? "restored file" : "created file",
      task: task.id,
      file: path,
    });
    const read = readTaskFile(text);
    const { state } = fields.texts;
    const after = read.ok ? fieldsOfFile(read.file, "tasks", scan.config, { idOf, state }) : fields;
    entries[task.id] = {
      key,
      path,
      createdAt: task.createdAt,
      base: nextBase(NO_BASE, after, fields),
    };
  }
  return entries;
}

function newTaskText(pass: Pass, task: Task, key: string): string {
  const { scan, fileIds } = pass;
  const fields = pass.fieldsOf(task.id);
  const { texts, sets } = fields ?? { texts: undefined, sets: undefined };
  const state = texts?.state ?? "open";
  const owner = ownerIn(state);
  const idFor = (id: string) => fileIds.get(id) ?? id;
  return newTaskFile(
    {
      id: key.toUpperCase(),
      title: texts?.title ?? task.subject,
      status: scan.config.statusFor(phaseIn(state)) ?? "To Do",
      assignee: owner === undefined ? [] : [`@${owner}`],
      created_date: minuteOf(task.createdAt),
      labels: sets?.labels ?? [],
      dependencies: (sets?.dependencies ?? []).map(idFor),
      ...(texts && texts.parent !== "" && { parent_task_id: idFor(texts.parent) }),
      ...(texts && texts.priority !== "medium" && { priority: texts.priority }),
    },
    texts ?? {},
  );
}
