#!/usr/bin/env node
try {
  require("../dist/start.cjs");
} catch (error) {
  if (error?.code !== "MODULE_NOT_FOUND" || !error.message.includes("start.cjs")) throw error;
  console.error("waymark: Not built: dist is missing. Run: npm run build");
  process.exitCode = 3;
}
