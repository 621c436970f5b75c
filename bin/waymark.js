#!/usr/bin/env node
// From Node 22 on, what was compiled once need not be compiled again. It is kept beside the program where that
// can be written to, else where Node keeps it: a shared directory for temporary files.
if (Number.parseInt(process.versions.node, 10) >= 22) {
  const dist = require("node:path").join(__dirname, "../dist");
  let own;
  try {
    require("node:fs").accessSync(dist, 2);
    own = `${dist}/compile-cache`;
  } catch {
    // An installation of another user, or none that was built.
  }
  require("node:module").enableCompileCache?.(own);
}
try {
  require("../dist/start.cjs");
} catch (error) {
  if (error?.code !== "MODULE_NOT_FOUND" || !error.message.includes("start.cjs")) throw error;
  console.error("waymark: the program is not built (dist is missing). Run: npm run build");
  process.exitCode = 3;
}
