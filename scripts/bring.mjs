// Brings packages from the npm registry into a folder of their own, once: what is too heavy for every install.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const TIMEOUT = 15 * 60_000;

function cacheRoot({ env, platform } = process) {
  if (env.WAYMARK_CACHE) return env.WAYMARK_CACHE;
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "waymark", "cache");
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "waymark");
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "waymark");
}

function placeOf(name, dependencies) {
  const print = createHash("sha256").update(JSON.stringify(dependencies)).digest("hex");
  const root = cacheRoot();
  const folder = `${name}-${print.slice(0, 12)}`;
  const place = join(root, folder);
  return { root, folder, place, isThere: existsSync(join(place, "brought")) };
}

/** The folder with exactly these versions if they were brought before; nothing is fetched. */
export function brought(name, dependencies) {
  const { place, isThere } = placeOf(name, dependencies);
  return isThere ? place : undefined;
}

/** The folder with exactly these versions; what was brought under this name before makes room. */
export function bring(name, dependencies, say = console.error) {
  const { root, folder, place, isThere } = placeOf(name, dependencies);
  if (isThere) return place;
  const wanted = Object.entries(dependencies).map(([known, version]) => `${known}@${version}`);
  say(`bringing ${wanted.join(", ")} into ${root}`);
  // Aside first: two runs may bring the same at once, and a broken one must leave nothing behind.
  const aside = `${place}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  const meta = { private: true, type: "module", dependencies };
  writeFileSync(join(aside, "package.json"), JSON.stringify(meta, null, 2));
  const started = Date.now();
  const npm = spawnSync(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--fetch-retries=1",
      "--loglevel=error",
    ],
    {
      cwd: aside,
      encoding: "utf8",
      timeout: TIMEOUT,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    },
  );
  if (npm.status !== 0) {
    rmSync(aside, { recursive: true, force: true });
    const reason = npm.error?.message ?? npm.stderr.trim().split("\n").slice(0, 4).join("\n");
    throw new Error(
      `npm could not bring ${wanted.join(", ")}; this needs the npm registry.\n${reason}`,
    );
  }
  writeFileSync(join(aside, "brought"), "");
  for (const old of readdirSync(root))
    if (old.startsWith(`${name}-`) && old !== folder && old !== `${folder}.${process.pid}`)
      rmSync(join(root, old), { recursive: true, force: true });
  try {
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(join(place, "brought"))) throw error;
  }
  say(`brought in ${Math.round((Date.now() - started) / 1000)} s`);
  return place;
}
