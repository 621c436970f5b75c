import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "../../core/error.ts";
import { oneLine } from "../../core/text/escape.ts";
import type { FilePlace } from "../files/fields.ts";
import { type FolderConfig, readFolderConfig } from "../files/statuses.ts";
import { readTaskFile, type TaskFile } from "../formats/backlog/document.ts";
import { lineOf } from "../formats/backlog/front-matter.ts";

/** A task file on disk. */
export interface ScannedFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly place: FilePlace;
  readonly file: TaskFile;
  readonly stats: Pick<Stats, "mode" | "gid">;
}

/** A file that was left alone. */
export interface FileNote {
  readonly path: string;
  readonly line?: number;
  readonly why: string;
}

export interface Scan {
  readonly config: FolderConfig;
  readonly files: readonly ScannedFile[];
  readonly unread: readonly FileNote[];
}

const PLACES: readonly (readonly [FilePlace, string])[] = [
  ["tasks", "tasks"],
  ["completed", "completed"],
  ["archive", "archive/tasks"],
];
export const FOLDER_OF = Object.fromEntries(PLACES) as Readonly<Record<FilePlace, string>>;

const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 20_000;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the task files of a folder. Symlinks inside it are not followed. */
export function scanFolder(folder: string): Scan {
  const config = readFolderConfig(configText(folder));
  const files: ScannedFile[] = [];
  const unread: FileNote[] = [];
  for (const { path, place, stats } of listFolder(folder, config.prefix)) {
    const read = readOne(join(folder, path), stats);
    if (typeof read === "string") unread.push({ path, why: read });
    else if (read) {
      const parsed = readTaskFile(read.text);
      if (!parsed.ok) unread.push({ path, ...parsed.problem });
      else if (!config.isKnown(parsed.file.status))
        unread.push({
          path,
          line: lineOf(parsed.file.front, "status"),
          why: `has a status that the configuration does not list: ${oneLine(parsed.file.status ?? "")}`,
        });
      else files.push({ path, place, file: parsed.file, stats });
    }
  }
  return { config, files, unread };
}

function configText(folder: string): string | undefined {
  // Backlog.md keeps it in the folder, or beside it at the root of the project.
  for (const path of [join(folder, "config.yml"), join(dirname(folder), "backlog.config.yml")]) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.size <= MAX_BYTES) return readFileSync(path, "utf8");
  }
  return undefined;
}

interface Listed {
  readonly path: string;
  readonly place: FilePlace;
  readonly stats: Stats;
}

const byNumber = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** The files that may be tasks, in a fixed order. */
function listFolder(folder: string, prefix: string): readonly Listed[] {
  const found: Listed[] = [];
  const isTask = new RegExp(`^${prefix}-.*\\.md$`, "i");
  for (const [place, name] of PLACES) {
    const dir = join(folder, name);
    if (!isRealDirectory(folder, name)) continue;
    for (const entry of readdirSync(dir).sort(byNumber)) {
      if (!isTask.test(entry)) continue;
      const stats = lstatSync(join(dir, entry), { throwIfNoEntry: false });
      if (stats) found.push({ path: `${name}/${entry}`, place, stats });
      if (found.length > MAX_FILES)
        throw new CommandError(
          `${folder} has more than ${MAX_FILES} task files. Nothing was changed.`,
        );
    }
  }
  return found;
}

/** Whether a subfolder is a directory, and not a link that may lead out of the folder. */
export function isRealDirectory(folder: string, name: string): boolean {
  let path = folder;
  return name.split("/").every((part) => {
    path = join(path, part);
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  });
}

/** The text of a file, or why it is not read; undefined if it was removed meanwhile. */
function readOne(path: string, stats: Stats): { readonly text: string } | string | undefined {
  if (stats.isSymbolicLink()) return "is a symlink, which is not followed";
  if (!stats.isFile()) return "is not a file";
  if (stats.size > MAX_BYTES) return `is larger than ${MAX_BYTES} bytes`;
  try {
    return { text: utf8.decode(readFileSync(path)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return error instanceof TypeError ? "is not UTF-8 text" : `cannot be read (${message})`;
  }
}

/** Changes when a file of the folder is added, removed or written. */
export function signatureOf(folder: string): string {
  const { prefix } = readFolderConfig(configText(folder));
  return listFolder(folder, prefix)
    .map(({ path, stats }) => `${path} ${stats.mtimeMs} ${stats.size} ${stats.ino}`)
    .join("\n");
}
