import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeDirectory, TO_REPLACE } from "./place.ts";

/**
 * Puts a text in the place of a file, whole or not at all. It may be lost in a power cut: for what
 * can be made again.
 */
export function replaceSmallFile(path: string, text: string): void {
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  const write = () => {
    const handle = openSync(part, TO_REPLACE, 0o600);
    try {
      writeFileSync(handle, text);
    } finally {
      closeSync(handle);
    }
  };
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeDirectory(dirname(path));
    write();
  }
  try {
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
