import { closeSync, fstatSync, fsyncSync, openSync, writeSync } from "node:fs";

/** What stands at the beginning of a rollback journal that is over. */
const OVER = Buffer.alloc(28);

/**
 * Makes sure that the last commit is durable, whoever made it. A commit is done when the beginning of
 * the journal is cleared; all see it from then on. But who cleared it may have been killed before it
 * was synced, and if a power cut brings the old beginning back while new pages are being written
 * behind it, they are taken for the old ones. `doubtful`: a sync has failed. What was written before
 * that may never get to the disk, so it is written once more.
 *
 * Only for who holds the write lock.
 */
export function keepLastCommit(path: string, doubtful: boolean): void {
  let handle: number;
  try {
    handle = openSync(`${path}-journal`, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    if (doubtful && fstatSync(handle).size > OVER.length)
      writeSync(handle, OVER, 0, OVER.length, 0);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
