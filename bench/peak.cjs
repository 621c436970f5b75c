// Loaded before a program: says, when it ends, how much memory it had at most.
const { readFileSync, writeSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");

if (isMainThread)
  process.on("exit", () => {
    writeSync(2, JSON.stringify({ peak: peakMemory() }));
  });

/** Megabytes. On Linux, `maxRSS` begins with the memory of the process that started this one. */
function peakMemory() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
}
