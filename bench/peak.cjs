// Loaded before a program: says, when it ends, how much memory it had at most.
const { writeSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");

if (isMainThread)
  process.on("exit", () => {
    writeSync(2, JSON.stringify({ peak: process.resourceUsage().maxRSS / 1024 }));
  });
