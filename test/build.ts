import { spawnSync } from "node:child_process";

/** The tests run the program as it is shipped: bundled. */
export function setup(): void {
  const build = spawnSync(process.execPath, ["scripts/build.mjs", "--no-types"], {
    stdio: "inherit",
  });
  if (build.status !== 0) throw new Error("The build failed; see above.");
}
