import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const MEMORY = "/dev/shm";

/**
 * A directory in memory, if available: the shim decides what a disk keeps and loses, so waiting for
 * a real disk proves nothing more.
 */
export function makeQuickPlace(): string {
  return mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "waymark-fault-"));
}

/** Removed when the test ends. */
export function quickPlace(): string {
  const dir = makeQuickPlace();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
