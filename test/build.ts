import { spawnSync } from "node:child_process";

/** Bundles the program: tests run it as it is shipped. */
export function setup(): void {
  const args = ["scripts/build.mjs", "--no-types", "--if-stale"];
  const build = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (build.status !== 0) throw new Error("The build failed; see above.");
}
