import { lstatSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile, syncDirectory } from "../../engines/storage/files.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { FilePlace } from "../files/fields.ts";
import { FOLDER_OF, isRealDirectory, type ScannedFile } from "./scan.ts";

/** A new content for a file, and where it goes. */
export interface FileWrite {
  readonly text: string;
  readonly place: FilePlace;
}

/** The result of a write: the path, or why the file was left alone. */
export type Written =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string };

/** Replaces a file atomically, unless it changed since it was read. */
export function changeFile(folder: string, file: ScannedFile, { text, place }: FileWrite): Written {
  const path = join(folder, file.path);
  try {
    if (lstatSync(path).isSymbolicLink() || readFileSync(path, "utf8") !== file.file.text)
      return { ok: false, why: "changed while it was synced; the next sync reads it again" };
    if (text !== file.file.text) replaceFile(path, text, file.stats);
    const target = place === file.place ? file.path : `${FOLDER_OF[place]}/${nameOf(file.path)}`;
    if (target !== file.path) moveFile(folder, file.path, target);
    syncDirectory(dirname(path));
    return { ok: true, path: target };
  } catch (error) {
    return { ok: false, why: `cannot be written: ${redactedMessage(error)}` };
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function moveFile(folder: string, from: string, to: string): void {
  prepareFolder(folder, dirname(to));
  const target = join(folder, to);
  if (lstatSync(target, { throwIfNoEntry: false })) throw new Error(`${to} exists already`);
  renameSync(join(folder, from), target);
  syncDirectory(dirname(target));
}

/** Creates a file with the rights of new files of this user. */
export function createFile(folder: string, path: string, text: string): Written {
  try {
    prepareFolder(folder, dirname(path));
    const target = join(folder, path);
    if (lstatSync(target, { throwIfNoEntry: false })) return { ok: false, why: "exists already" };
    const { gid } = statSync(dirname(target));
    replaceFile(target, text, { mode: 0o666 & ~process.umask(), gid });
    syncDirectory(dirname(target));
    return { ok: true, path };
  } catch (error) {
    return { ok: false, why: `cannot be written: ${redactedMessage(error)}` };
  }
}

/** Creates a subfolder. A symlink is refused: it may lead out of the folder. */
export function prepareFolder(folder: string, name: string): void {
  if (!lstatSync(join(folder, name), { throwIfNoEntry: false }))
    mkdirSync(join(folder, name), { recursive: true });
  if (!isRealDirectory(folder, name)) throw new Error(`${name} is not a directory of this folder`);
}
