import { readFileSync } from "node:fs";

/**
 * The most memory in megabytes that this process had. On Linux, `resourceUsage().maxRSS` begins with
 * the memory of the process that started it; `VmHWM` belongs to this program alone.
 */
export function peakMemory(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
