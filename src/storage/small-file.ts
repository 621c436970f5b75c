import { closeSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeBeside, makeDirectory } from "./place.ts";

/**
 * Puts a text in the place of a file, whole or not at all. It may be lost in a power cut: for what
 * can be made again.
 */
export function replaceSmallFile(path: string, text: string): void {
  const { name, handle } = makePart(path);
  try {
    try {
      writeFileSync(handle, text);
    } finally {
      closeSync(handle);
    }
    renameSync(name, path);
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  }
}

function makePart(path: string): { name: string; handle: number } {
  try {
    return makeBeside(path, ".part");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeDirectory(dirname(path));
    return makeBeside(path, ".part");
  }
}
