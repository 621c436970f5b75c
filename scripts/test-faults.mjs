// Runs at full size every test file that has one.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => join("test", file))
  .filter((file) => readFileSync(file, "utf8").includes("WAYMARK_FULL"));
const { status } = spawnSync("npx", ["vitest", "run", ...files, ...process.argv.slice(2)], {
  env: { ...process.env, WAYMARK_FULL: "1" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
