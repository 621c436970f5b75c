#!/usr/bin/env node
// `npx biome …`: Biome in the version of scripts/packages/biome, downloaded on first use.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installPackages, lockedPackages } from "../install-packages.mjs";

const PROGRAM = join("node_modules", "@biomejs", "biome", "bin", "biome");

/** npm reports no error for an optional package, such as the program for this platform, that it could not download. */
function finish(dir) {
  const { status } = spawnSync(process.execPath, [join(dir, PROGRAM), "--version"]);
  if (status !== 0) throw new Error("npm could not download biome for this platform.");
}

try {
  const place = await installPackages("biome", lockedPackages("biome"), { finish });
  const args = [join(place, PROGRAM), ...process.argv.slice(2)];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(`Format and lint were not checked. ${error.message}`);
  process.exitCode = 3;
}
