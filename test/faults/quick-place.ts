import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const MEMORY = "/dev/shm";

/**
 * A directory in memory where there is such a place: what a disk
 * keeps and what it loses is up to the shim, and waiting for a real one proves nothing more.
 */
export function makeQuickPlace(): string {
  return mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "waymark-fault-"));
}

/** Goes when the test has ended. */
export function quickPlace(): string {
  const dir = makeQuickPlace();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
