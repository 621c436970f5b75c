import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

/** The output of a program on a machine that has nothing in its caches and cannot reach the registry. */
function runOffline(args: readonly string[]) {
  const place = mkdtempSync(join(tmpdir(), "waymark-offline-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const cache = join(place, "cache");
  mkdirSync(cache, 0o700);
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: {
      ...process.env,
      WAYMARK_CACHE: cache,
      // Port 9 discards: nothing listens there.
      npm_config_registry: "http://127.0.0.1:9",
      npm_config_cache: join(place, "npm"),
    },
  });
  const installed = readdirSync(cache).filter((name) => !name.endsWith(".failed"));
  return { status, stderr, installed };
}

// Their programs are optional dependencies, which npm leaves out without an error.
test.for([
  ["biome", ["scripts/biome/biome.mjs", "--version"]],
  [
    "postgres",
    [
      "--input-type=module",
      "-e",
      `const { postgresPrograms } = await import(${JSON.stringify(pathToFileURL(resolve("scripts/postgres-programs.mjs")).href)});
      await postgresPrograms();`,
    ],
  ],
] as const)("an incomplete download of %s fails and is not kept", ([name, args]) => {
  const { status, stderr, installed } = runOffline(args);
  expect(status).not.toBe(0);
  expect(stderr).toContain(`npm could not download ${name}`);
  expect(installed).toEqual([]);
});
