/**
 * tasks/folder: keeps a folder of task files (`tasks/formats/backlog`) and the tasks of a store in step.
 * Each field is merged by the last version that both sides had (`tasks/files/merge`). Those versions are
 * in the home, one set for each branch of git.
 */
import { join } from "node:path";
import { takeLock } from "../../checks/file-lock.ts";
import { CommandError } from "../../core/error.ts";
import { ensureDirectory } from "../../engines/storage/files.ts";
import { fieldsOfFile, fieldsOfTask, phaseIn } from "../files/fields.ts";
import {
  type BaseFields,
  type Merged,
  mergeFields,
  NO_BASE,
  nextBase,
  type SharedFields,
  type Side,
  sameFields,
} from "../files/merge.ts";
import { patchOf } from "../files/patch.ts";
import { changeTaskFile, readTaskFile, type TaskFile } from "../formats/backlog/document.ts";
import type { TaskStore } from "../store.ts";
import { addNewTasks } from "./add.ts";
import { changeTasks, readTasks, type TaskTable } from "./apply.ts";
import { basesFor } from "./bases.ts";
import { type FolderOrigin, originOf, shortHash } from "./branch.ts";
import { createFiles, type NewFile, type Selection, selectNew } from "./create.ts";
import { type KeyedFile, keyOf, linkFiles, withKeys } from "./links.ts";
import { missingFiles } from "./missing.ts";
import type { SyncChange, SyncConflict, SyncRefusal, SyncReport } from "./report.ts";
import { type FileNote, type Scan, scanFolder } from "./scan.ts";
import { type BaseEntry, type Bases, readState, type SyncState, writeState } from "./state.ts";
import { changeFile, type FileWrite } from "./write.ts";

export interface SyncOptions {
  readonly store: TaskStore;
  /** Tells stores apart, without passwords. */
  readonly storeName: string;
  /** Absolute, without symlinks. */
  readonly folder: string;
  /** Directory of the last synced versions. */
  readonly stateDirectory: string;
  /** Tasks of the store that get a file. */
  readonly selection?: Selection;
  /** The side that decides conflicts (default: none, they are reported). */
  readonly prefer?: Side | undefined;
  readonly dryRun?: boolean;
  /** Cancel the tasks of deleted files even if most files are missing. */
  readonly allowDeletions?: boolean;
  /** Whether a file has been missing long enough to count as deleted (default: at once). */
  isDeleted?(key: string): boolean;
}

/** Git changes the files, or needs the user, at the moment. */
export class GitBusyError extends CommandError {}

const LOCK_LIMIT = 30_000;
const MAX_BRANCHES = 50;

/** Syncs a folder and a store once. Two syncs of one folder exclude each other. */
export async function syncFolder(options: SyncOptions): Promise<SyncReport> {
  const { folder, stateDirectory, storeName } = options;
  const origin = await originOf(folder);
  if (origin.busyWith !== undefined)
    throw new GitBusyError(
      `git is in the middle of ${origin.busyWith} in ${folder}. Nothing was changed. Finish it, then sync again.`,
    );
  const fileOf = (place: string) =>
    join(stateDirectory, `${shortHash(`${place}\n${storeName}`)}.json`);
  const file = fileOf(origin.place);
  // The folder may have been synced before it was in a repository.
  const readBases = () => readState(file) ?? readState(fileOf(shortHash(folder)));
  if (options.dryRun) return await syncOnce(options, origin, { file, state: readBases() });
  ensureDirectory(stateDirectory);
  const release = await takeLock(`${file}.lock`, { limitMs: LOCK_LIMIT });
  if (!release)
    throw new CommandError(
      `Another sync of ${folder} is running. Nothing was changed. Try again later.`,
    );
  try {
    return await syncOnce(options, origin, { file, state: readBases() });
  } finally {
    release();
  }
}

/** The data of one sync. */
export interface Pass {
  readonly options: SyncOptions;
  readonly origin: FolderOrigin;
  readonly scan: Scan;
  readonly files: readonly KeyedFile[];
  readonly bases: Bases;
  readonly state: SyncState | undefined;
  readonly table: TaskTable;
  /** Ids of tasks by key of their file. */
  readonly links: Map<string, string>;
  /** Written ids of files by task. */
  readonly fileIds: Map<string, string>;
  readonly changes: SyncChange[];
  readonly refused: SyncRefusal[];
  readonly problems: FileNote[];
  idOf(fileId: string): string | undefined;
  fieldsOf(id: string): SharedFields | undefined;
}

async function syncOnce(
  options: SyncOptions,
  origin: FolderOrigin,
  { file: stateFile, state }: { readonly file: string; readonly state: SyncState | undefined },
): Promise<SyncReport> {
  const { folder, store, dryRun } = options;
  const scan = scanFolder(folder);
  const bases = await basesFor(folder, state, origin, scan);
  const files = withKeys(scan.files, scan.config.prefix, bases);
  const table = await readTasks(store);
  const pass = newPass({ options, origin, scan, files, bases, state, table });
  const added = await addNewTasks(pass);
  const missing = missingFiles(pass);
  const created = selectNew(pass, missing.restored);
  const pairs = pass.files.flatMap((file) => pairOf(pass, file, added) ?? []);
  if (!dryRun) {
    const wanted = pairs.map(({ id, task, merged }) => ({ id, from: task, to: merged.task }));
    const { changed, refused } = await changeTasks(store, table, wanted);
    for (const { id, file } of pairs) {
      const message = refused.get(id);
      if (message !== undefined) pass.refused.push({ task: id, file: file.path, message });
      if (changed.has(id) && !added.has(id))
        pass.changes.push({ change: "changed task", task: id, file: file.path });
    }
  } else {
    for (const { id, task, merged, file } of pairs)
      if (!sameFields(task, merged.task))
        pass.changes.push({ change: "changed task", task: id, file: file.path });
  }
  await missing.cancel();
  const entries = { ...missing.entries, ...writePairs(pass, pairs), ...createFiles(pass, created) };
  if (!dryRun) save(pass, stateFile, entries);
  return reportOf(pass, pairs, created);
}

function newPass(
  given: Pick<Pass, "options" | "origin" | "scan" | "files" | "bases" | "state" | "table">,
): Pass {
  const { scan, files, bases, table, origin } = given;
  const { config } = scan;
  const { prefix } = config;
  const links = linkFiles(files, bases, table.byId, { sources: origin.sources, prefix });
  const fileIds = new Map<string, string>();
  for (const { key, file } of files) {
    const id = links.get(key);
    if (id !== undefined) fileIds.set(id, file.id);
  }
  return {
    ...given,
    links,
    fileIds,
    changes: [],
    refused: [],
    problems: [
      ...scan.unread,
      ...files.flatMap(({ path, twinOf, file }) =>
        twinOf === undefined
          ? []
          : [
              {
                path,
                line: 1,
                why: `has the id ${file.id}, as ${twinOf} does; both are kept. Give one of them another id`,
              },
            ],
      ),
    ],
    idOf: (fileId) => links.get(keyOf(fileId, prefix)),
    fieldsOf: (id) => {
      const task = table.byId.get(id);
      return task && fieldsOfTask(task, config, (each) => fileIds.has(each));
    },
  };
}

interface Pair {
  readonly id: string;
  readonly file: KeyedFile;
  readonly base: BaseFields;
  readonly fields: SharedFields;
  readonly task: SharedFields;
  readonly merged: Merged;
}

/** A file with its task, merged; undefined without a task. */
function pairOf(pass: Pass, file: KeyedFile, added: ReadonlySet<string>): Pair | undefined {
  const id = pass.links.get(file.key);
  const task = id === undefined ? undefined : pass.fieldsOf(id);
  if (id === undefined || !task) return undefined;
  const entry = pass.bases[id];
  // The file of a closed task came back.
  const base = entry?.isGone
    ? { ...entry.base, texts: { ...entry.base.texts, state: task.texts.state } }
    : added.has(id)
      ? task
      : (entry?.base ?? NO_BASE);
  const { state } = task.texts;
  const fields = fieldsOfFile(file.file, file.place, pass.scan.config, { idOf: pass.idOf, state });
  const merged = mergeFields(base, fields, task, {
    before: entry?.conflicts ?? [],
    prefer: pass.options.prefer,
  });
  return { id, file, base, fields, task, merged };
}

/** Writes the files that differ from the merged fields. Returns the new bases. */
function writePairs(pass: Pass, pairs: readonly Pair[]): Record<string, BaseEntry> {
  const { options, table, changes, problems } = pass;
  const entries: Record<string, BaseEntry> = {};
  for (const { id, file, base, fields, merged } of pairs) {
    const write = writeOf(pass, file, fields, merged.file);
    const written = write && !options.dryRun ? changeFile(options.folder, file, write) : undefined;
    if (write && written?.ok !== false)
      changes.push({ change: "changed file", task: id, file: file.path });
    if (written?.ok === false) problems.push({ path: file.path, why: written.why });
    const now = pass.fieldsOf(id);
    const task = table.byId.get(id);
    if (!now || !task) continue;
    const after =
      written?.ok && write ? (fieldsAfter(pass, write, now.texts.state) ?? fields) : fields;
    entries[id] = {
      key: file.key,
      path: written?.ok ? written.path : file.path,
      createdAt: task.createdAt,
      base: nextBase(base, after, now),
      ...(merged.conflicts.length > 0 && { conflicts: merged.conflicts }),
    };
  }
  return entries;
}

function fieldsAfter({ scan, idOf }: Pass, { text, place }: FileWrite, state: string) {
  const read = readTaskFile(text);
  return read.ok ? fieldsOfFile(read.file, place, scan.config, { idOf, state }) : undefined;
}

function writeOf(
  { scan, idOf, fileIds }: Pass,
  { file, place }: KeyedFile,
  from: SharedFields,
  to: SharedFields,
): FileWrite | undefined {
  if (sameFields(from, to)) return undefined;
  const fileIdOf = (id: string) => fileIds.get(id) ?? id;
  const { keys, sections } = patchOf(file, from, to, scan.config, { idOf, fileIdOf });
  const text = changeTaskFile(file, { ...keys, ...updatedNow(file) }, sections);
  const phase = phaseIn(to.texts.state);
  const isMoved = from.texts.state !== to.texts.state;
  const toArchive = phase === "cancelled" && scan.config.statusFor("cancelled") === undefined;
  const back = phase === "open" || phase === "claimed" ? "tasks" : place;
  return { text, place: isMoved ? (toArchive ? "archive" : back) : place };
}

/** Backlog.md sorts by this date. */
function updatedNow({ front }: TaskFile): Readonly<Record<string, string>> {
  const isThere = front.entries.some(({ key }) => key === "updated_date");
  return isThere ? { updated_date: minuteOf(Date.now()) } : {};
}

export function minuteOf(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

function save({ origin, state, options }: Pass, file: string, entries: Bases): void {
  const { [origin.branch]: _, ...others } = state?.branches ?? {};
  const kept = Object.entries(others).slice(1 - MAX_BRANCHES);
  const sorted = Object.entries(entries).sort(([a], [b]) =>
    a.localeCompare(b, "en", { numeric: true }),
  );
  writeState(file, {
    version: 1,
    folder: options.folder,
    branch: origin.branch,
    ...(origin.commit !== undefined && { commit: origin.commit }),
    branches: { ...Object.fromEntries(kept), [origin.branch]: Object.fromEntries(sorted) },
  });
}

function reportOf(pass: Pass, pairs: readonly Pair[], created: readonly NewFile[]): SyncReport {
  const conflicts = pairs.flatMap(({ id, file, merged }) =>
    merged.conflicts.map(
      ({ field, file: fileValue, task: taskValue }): SyncConflict => ({
        task: id,
        file: file.path,
        field,
        fileValue,
        taskValue,
      }),
    ),
  );
  const { changes, refused, problems, options } = pass;
  return {
    folder: options.folder,
    linked: pairs.length + created.length,
    changes,
    conflicts,
    refused,
    problems,
  };
}
