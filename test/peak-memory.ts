import { readFileSync } from "node:fs";

/**
 * The peak memory of this process in megabytes. On Linux, `resourceUsage().maxRSS` includes the memory of
 * the parent at the time of the fork; `VmHWM` does not.
 */
export function peakMemory(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
