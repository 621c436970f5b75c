import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const PLACE = "/dev/shm";
/** Bytes that have to be free, in memory and in the file system. A run uses less than a quarter of it. */
const NEEDED = 4 * 1024 ** 3;

/**
 * Creates a directory in memory for the temporary files of a run: most tests write small files and wait until the disk
 * has them. Undefined where there is no file system in memory, it is small, or programs cannot be started from it.
 */
export function memoryDirectory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(PLACE);
    const options = new RegExp(`^\\S+ ${PLACE} tmpfs (\\S+)`, "m").exec(
      readFileSync("/proc/self/mounts", "utf8"),
    )?.[1];
    const isFit = options?.startsWith("rw") && !options.split(",").includes("noexec");
    if (!isFit || bavail * bsize < NEEDED || freemem() < NEEDED) return undefined;
    const directory = mkdtempSync(`${PLACE}/waymark-`);
    // As any directory for temporary files: run as root, PostgreSQL writes there as another user.
    chmodSync(directory, 0o1777);
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  } catch {
    // Another system, or a place that this user cannot write to.
    return undefined;
  }
}
