#!/usr/bin/env node
// `npx biome …`: Biome in the version of scripts/packages/biome, downloaded on first use.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installPackages, lockedPackages } from "../install-packages.mjs";

try {
  const place = await installPackages("biome", lockedPackages("biome"));
  const program = join(place, "node_modules", "@biomejs", "biome", "bin", "biome");
  const args = [program, ...process.argv.slice(2)];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(`Format and lint were not checked. ${error.message}`);
  process.exitCode = 3;
}
