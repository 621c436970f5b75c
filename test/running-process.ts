import { existsSync, readFileSync } from "node:fs";

/** Whether a process is running. A zombie, which has ended but was not reaped by its parent, is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!existsSync("/proc/self/stat")) return true;
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch {
    return false;
  }
}
