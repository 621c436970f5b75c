import { closeSync, fstatSync, fsyncSync, openSync, writeSync } from "node:fs";

/** The header of a finished rollback journal. */
const CLEARED_HEADER = Buffer.alloc(28);

/** Earlier writes may never reach the disk, so the header is written again. */
export function syncLastCommit(path: string, doubtful: boolean): void {
  let handle: number;
  try {
    handle = openSync(`${path}-journal`, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    if (doubtful && fstatSync(handle).size > CLEARED_HEADER.length)
      writeSync(handle, CLEARED_HEADER, 0, CLEARED_HEADER.length, 0);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
