import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorMessage, WaymarkError } from "../core/error.ts";
import { replaceFile } from "../engines/storage/files.ts";

/** A configuration file as it was read. */
export interface ConfigFile {
  /** The path that the agent uses. */
  readonly path: string;
  /** The path with links resolved. */
  readonly real: string;
  /** Undefined if the file does not exist. */
  readonly text?: string;
}

/** The new content of a file; undefined to delete it. */
export interface Change {
  readonly found: ConfigFile;
  readonly text: string | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_MAY_WRITE = 0o200;

export function readConfig(path: string): ConfigFile {
  const real = realOf(path);
  const stats = statsOf(path, real);
  if (!stats) return { path, real };
  if (!stats.isFile())
    throw refused(path, "is not a regular file", "Move it away and run the command again");
  if (stats.size > MAX_BYTES)
    throw refused(
      path,
      `is larger than ${MAX_BYTES / 1024 / 1024} MiB`,
      "Make it smaller and run the command again",
    );
  let bytes: Buffer;
  try {
    bytes = readFileSync(real);
  } catch (cause) {
    throw refused(
      path,
      `cannot be read (${reasonOf(cause)})`,
      "Make it readable and run the command again",
      cause,
    );
  }
  try {
    // The byte order mark stays in the text, so that it is written back.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, real, text };
  } catch (cause) {
    throw refused(path, "is not UTF-8", "Save it as UTF-8 and run the command again", cause);
  }
}

/** Undefined if the file does not exist, also if one of its parents is not a directory. */
function statsOf(path: string, real: string): Stats | undefined {
  try {
    return statSync(real, { throwIfNoEntry: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw refused(
      path,
      `cannot be read (${reasonOf(cause)})`,
      "Check the permissions of its parent directories",
      cause,
    );
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Reading the file reports the problem.
    return false;
  }
}

/** Resolves links; the file itself need not exist. */
function realOf(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (cause) {
    throw refused(
      path,
      `is a broken link (${reasonOf(cause)})`,
      "Fix or delete the link and run the command again",
      cause,
    );
  }
}

/** Throws before anything is written, if writing would fail or change the owner of the file. */
export function checkWritable({ found: { path, real, text } }: Change): void {
  const stats = text === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (stats) {
    const me = process.getuid?.();
    if (me !== undefined && stats.uid !== me)
      throw refused(path, "belongs to another user", "Run the command as that user");
    if ((stats.mode & OWNER_MAY_WRITE) === 0)
      throw refused(
        path,
        `is read-only${real === path ? "" : ` (it is a link to ${real})`}`,
        "Make it writable, or make the change where the file is generated",
      );
  }
}

/** The directories to create for a file, innermost first. */
function missingFolders(file: string): readonly string[] {
  const missing: string[] = [];
  for (let at = dirname(file); !existsSync(at); at = dirname(at)) missing.push(at);
  return missing;
}

/** Removes empty directories, innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      // The directory is not empty, or was removed already.
      if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error))) throw error;
    }
  }
}

/** Writes the receipts as part of the transaction. */
export interface ReceiptSteps {
  /** Called before any file is changed, with the directories to create. Yields the undo step of each receipt. */
  keep(folders: readonly string[]): Iterable<() => void>;
  /** Called after all files are written. */
  drop(): void;
}

const RECEIPT = "The record of this setup";

/** Writes all of the changes or none. */
export function writeAll(changes: readonly Change[], { keep, drop }: ReceiptSteps): void {
  const kept: (() => void)[] = [];
  const undo: (() => void)[] = [];
  const wanted = changes.filter(({ text }) => text !== undefined);
  const folders = new Set(wanted.flatMap(({ found }) => missingFolders(found.real)));
  let at = RECEIPT;
  try {
    for (const each of keep([...folders])) kept.push(each);
    for (const change of changes) {
      at = change.found.path;
      writeOne(change, undo);
    }
    at = RECEIPT;
    drop();
  } catch (cause) {
    throw new WaymarkError(
      "setup_failed",
      `${at} cannot be written (${reasonOf(cause)}). ${rollBack(undo, kept)}`,
      { cause },
    );
  }
}

function rollBack(undo: readonly (() => void)[], kept: readonly (() => void)[]): string {
  const problems: string[] = [];
  for (const step of [...kept, ...undo].reverse()) {
    try {
      step();
    } catch (error) {
      problems.push(reasonOf(error));
    }
  }
  if (problems.length > 0) return `Some files could not be restored: ${problems.join("; ")}.`;
  if (undo.length > 0) return "The files that were already written have been restored.";
  return "Nothing was written.";
}

function writeOne({ found, text }: Change, undo: (() => void)[]): void {
  const { real, path } = found;
  const now = readConfig(path);
  if (now.text !== found.text)
    throw new Error("another program changed it in the meantime; run the command again");
  const before = statSync(real, { throwIfNoEntry: false });
  if (text === undefined) {
    rmSync(real);
    undo.push(() => {
      replaceFile(real, found.text ?? "", before);
    });
    return;
  }
  const folders = missingFolders(real);
  mkdirSync(dirname(real), { recursive: true, mode: 0o755 });
  undo.push(() => removeEmptyFolders(folders));
  replaceFile(real, text, before);
  undo.push(() => {
    if (found.text === undefined) rmSync(real, { force: true });
    else replaceFile(real, found.text, before);
  });
  if (!before) chmodSync(real, 0o644 & ~process.umask());
}

function refused(path: string, problem: string, remedy: string, cause?: unknown): WaymarkError {
  return new WaymarkError("config_refused", `${path} ${problem}. Nothing was written. ${remedy}.`, {
    cause,
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

function reasonOf(error: unknown): string {
  const message = errorMessage(error);
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM") return `${code}: permission denied`;
  if (code === "EROFS") return "EROFS: read-only file system";
  return message;
}
