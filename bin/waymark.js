#!/usr/bin/env node
try {
  const { main } = await import("../dist/cli/main.js");
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !String(error.message).includes("cli/main.js"))
    throw error;
  console.error("waymark: the program is not built (dist is missing). Run: npm run build");
  process.exitCode = 3;
}
