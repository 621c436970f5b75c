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
import { replaceFile } from "../engines/storage/place.ts";

/** A configuration file as it was found. */
export interface Found {
  /** As the agent calls it. */
  readonly path: string;
  /** Where it really lies. */
  readonly real: string;
  /** None when it is not there. */
  readonly text?: string;
}

/** What a file shall hold; none when it shall not be there. */
export interface Change {
  readonly found: Found;
  readonly text: string | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;
const OWNER_MAY_WRITE = 0o200;

export function readConfig(path: string): Found {
  const real = realOf(path);
  const stats = statsOf(path, real);
  if (!stats) return { path, real };
  if (!stats.isFile()) throw refused(path, "is no file", "Move it away and run the command again");
  if (stats.size > MAX_BYTES)
    throw refused(path, `has more than ${MAX_BYTES} bytes`, "Make it smaller");
  let bytes: Buffer;
  try {
    bytes = readFileSync(real);
  } catch (cause) {
    throw refused(path, `cannot be read (${reasonOf(cause)})`, "Make it readable for you", cause);
  }
  try {
    // The mark at the beginning is part of the text, so that it is written again.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, real, text };
  } catch (cause) {
    throw refused(path, "is not UTF-8", "Save it as UTF-8 and run the command again", cause);
  }
}

/** None where there is nothing, nor can be while a file stands in the place of its folder. */
function statsOf(path: string, real: string): Stats | undefined {
  try {
    return statSync(real, { throwIfNoEntry: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw refused(
      path,
      `cannot be looked at (${reasonOf(cause)})`,
      "Check the folders that lead to it",
      cause,
    );
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // What leads there is no folder, or nobody may look: reading it says so.
    return false;
  }
}

/** The file behind links, also one that is not there yet. */
function realOf(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (cause) {
    throw refused(
      path,
      `is a link that leads nowhere (${reasonOf(cause)})`,
      "Mend the link",
      cause,
    );
  }
}

/** Says no before anything is written, where writing would fail or would take a file from its owner. */
export function checkWritable({ found: { path, real, text } }: Change): void {
  const stats = text === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (stats) {
    const me = process.getuid?.();
    if (me !== undefined && stats.uid !== me)
      throw refused(path, "belongs to another user", "Run the command as that user");
    if ((stats.mode & OWNER_MAY_WRITE) === 0)
      throw refused(
        path,
        `is read-only${real === path ? "" : ` (it leads to ${real})`}`,
        "Make it writable, or change it where it is generated",
      );
  }
}

/** The folders that have to be made for a file, the innermost first. */
function missingFolders(file: string): readonly string[] {
  const missing: string[] = [];
  for (let at = dirname(file); !existsSync(at); at = dirname(at)) missing.push(at);
  return missing;
}

/** The innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      // Somebody put something there; then it stays.
      if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error))) throw error;
    }
  }
}

/** What is remembered of the changes, as a part of all or nothing. */
export interface Remembering {
  /** Before any file is changed, told which folders have to be made; answers how each is undone. */
  keep(folders: readonly string[]): Iterable<() => void>;
  /** After all of them are. */
  drop(): void;
}

const MEMORY = "What is remembered of it";

/** Writes all of the changes or none. */
export function writeAll(changes: readonly Change[], { keep, drop }: Remembering): void {
  const kept: (() => void)[] = [];
  const undo: (() => void)[] = [];
  const wanted = changes.filter(({ text }) => text !== undefined);
  const folders = new Set(wanted.flatMap(({ found }) => missingFolders(found.real)));
  let at = MEMORY;
  try {
    for (const each of keep([...folders])) kept.push(each);
    for (const change of changes) {
      at = change.found.path;
      writeOne(change, undo);
    }
    at = MEMORY;
    drop();
  } catch (cause) {
    throw new WaymarkError(
      "setup_failed",
      `${at} could not be written (${reasonOf(cause)}). ${takeBack(undo, kept)}`,
      { cause },
    );
  }
}

function takeBack(undo: readonly (() => void)[], kept: readonly (() => void)[]): string {
  const problems: string[] = [];
  for (const step of [...kept, ...undo].reverse()) {
    try {
      step();
    } catch (error) {
      problems.push(reasonOf(error));
    }
  }
  if (problems.length > 0)
    return `Not everything that was written before could be put back: ${problems.join("; ")}.`;
  if (undo.length > 0) return "What had been written before was put back; nothing is changed.";
  return "Nothing is changed.";
}

function writeOne({ found, text }: Change, undo: (() => void)[]): void {
  const { real, path } = found;
  const now = readConfig(path);
  if (now.text !== found.text)
    throw new Error("it was changed by somebody else in the meantime; run the command again");
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

function refused(path: string, what: string, wayOut: string, cause?: unknown): WaymarkError {
  return new WaymarkError("config_refused", `${path} ${what}. Nothing was written. ${wayOut}.`, {
    cause,
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

function reasonOf(error: unknown): string {
  const message = errorMessage(error);
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `${code}: not allowed to write there`;
  return message;
}
