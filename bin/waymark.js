#!/usr/bin/env node
// From Node 22 on, what was compiled once need not be compiled again.
if (Number.parseInt(process.versions.node, 10) >= 22) require("node:module").enableCompileCache?.();
try {
  require("../dist/start.cjs");
} catch (error) {
  if (error?.code !== "MODULE_NOT_FOUND" || !error.message.includes("start.cjs")) throw error;
  console.error("waymark: the program is not built (dist is missing). Run: npm run build");
  process.exitCode = 3;
}
