import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { isAlive } from "../src/engines/storage/is-alive.ts";

const PLACE = "/dev/shm";
/** Required free bytes in memory and in the file system. A run uses less than a quarter. */
const NEEDED = 4 * 1024 ** 3;

const PREFIX = "waymark-test-";

/** Removes directories of killed runs, which would occupy memory until a reboot. */
function removeAbandoned(): void {
  for (const name of readdirSync(PLACE)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(PLACE, name), { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}

/**
 * Creates a directory in memory for the temporary files of a run, because most tests write small files and sync them.
 * Undefined if there is no file system in memory, it is too small, or programs cannot be started from it.
 */
export function memoryDirectory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(PLACE);
    const options = new RegExp(`^\\S+ ${PLACE} tmpfs (\\S+)`, "m").exec(
      readFileSync("/proc/self/mounts", "utf8"),
    )?.[1];
    const isFit = options?.startsWith("rw") && !options.split(",").includes("noexec");
    if (!isFit || bavail * bsize < NEEDED || freemem() < NEEDED) return undefined;
    removeAbandoned();
    const directory = mkdtempSync(`${PLACE}/${PREFIX}${process.pid}-`);
    // Like any temporary directory: if run as root, PostgreSQL writes there as another user.
    chmodSync(directory, 0o1777);
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  } catch {
    // Another operating system, or not writable for this user.
    return undefined;
  }
}
