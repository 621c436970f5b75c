// Downloads exact versions of npm packages that are too heavy for every `npm ci` into the user's
// cache, once per machine.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cacheDirectory, privateDirectory } from "./private-directory.mjs";

const TIMEOUT = 15 * 60_000;
const UNUSED_AFTER = 30 * 24 * 60 * 60_000;
const MARKER = "installed";
const OWN_CACHE = ".npm";
const LOCKED = new URL("packages/", import.meta.url);

/** The packages of `scripts/packages/<name>`, whose lock file pins the content of each. */
export function lockedPackages(name) {
  const read = (file) => readFileSync(new URL(`${name}/${file}`, LOCKED), "utf8");
  return { "package.json": read("package.json"), "package-lock.json": read("package-lock.json") };
}

/** These versions of these packages; what they depend on is up to the registry. */
export function exactPackages(dependencies) {
  return { "package.json": JSON.stringify({ private: true, type: "module", dependencies }) };
}

/** The directory with these packages if they are installed; nothing is downloaded. */
export function installedPackages(name, files) {
  const place = placeOf(name, files);
  if (!existsSync(join(place, MARKER))) return undefined;
  privateDirectory(place);
  return place;
}

function placeOf(name, files) {
  const content = JSON.stringify([files, process.platform, process.arch]);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return join(cacheDirectory(), `${name}-${hash}`);
}

/**
 * The directory with these packages, downloaded if they are not installed yet. `finish` changes the new directory before
 * anyone sees it. Safe to call from many processes at once: one of them installs, the others wait.
 */
export async function installPackages(
  name,
  files,
  { say = console.error, finish = () => {} } = {},
) {
  const place = placeOf(name, files);
  const lock = `${place}.lock`;
  const waitingSince = Date.now();
  for (;;) {
    if (installedPackages(name, files) !== undefined) {
      touch(join(place, MARKER));
      return place;
    }
    const failure = failedSince(waitingSince, place);
    if (failure !== undefined) throw new Error(failure);
    if (takeLock(lock)) break;
    await delay(200);
  }
  try {
    await installInto(place, name, files, { say, finish });
    return place;
  } catch (error) {
    writeFileSync(`${place}.failed`, error.message);
    throw error;
  } finally {
    rmSync(lock, { force: true });
  }
}

async function installInto(place, name, files, { say, finish }) {
  const started = Date.now();
  removeUnused(place, name);
  // A broken download leaves nothing behind, and no process sees a partial one.
  const aside = mkdtempSync(`${place}.`);
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(aside, file), text);
    say(`Downloading ${name} into ${place}`);
    await runNpm(files["package-lock.json"] === undefined ? "install" : "ci", aside, name);
    rmSync(join(aside, OWN_CACHE), { recursive: true, force: true });
    await finish(aside);
    writeFileSync(join(aside, MARKER), "");
    if (!existsSync(join(place, MARKER))) {
      rmSync(place, { recursive: true, force: true });
      renameSync(aside, place);
    }
    say(`Downloaded ${name} in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function runNpm(command, cwd, name) {
  const args = [
    command,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--include=optional",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-timeout=60000",
    "--loglevel=error",
    ...ownCache(cwd),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn("npm", args, {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      shell: process.platform === "win32",
    });
    // Not the option of `spawn`, which keeps this process waiting where npm is missing.
    const timer = setTimeout(() => child.kill(), TIMEOUT).unref();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const fail = (reason) =>
      reject(new Error(`npm could not download ${name}: ${reason || "it gave no reason"}`));
    child.once("error", (error) => fail(error.message));
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else fail(firstLines(stderr) || `it ended with ${code ?? signal}`);
    });
  });
}

function firstLines(stderr) {
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim());
  return lines
    .filter((line) => line !== "")
    .slice(0, 3)
    .join("; ");
}

/** npm keeps its own cache below the home directory, which may be missing or read-only. */
function ownCache(dir) {
  if (process.env.npm_config_cache || process.platform === "win32") return [];
  try {
    const home = homedir();
    const cache = join(home, ".npm");
    accessSync(existsSync(cache) ? cache : home, constants.W_OK);
    return [];
  } catch {
    return ["--cache", join(dir, OWN_CACHE)];
  }
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > TIMEOUT) return true;
    const pid = Number(readFileSync(lock, "utf8"));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** The message of another process that failed while this one waited for it: trying again would only take as long. */
function failedSince(time, place) {
  try {
    const file = `${place}.failed`;
    return statSync(file).mtimeMs > time ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Other versions of these packages that no checkout has used for a month. */
function removeUnused(place, name) {
  const root = dirname(place);
  for (const entry of readdirSync(root)) {
    const path = join(root, entry);
    if (!entry.startsWith(`${name}-`) || path.startsWith(place)) continue;
    if (Date.now() - lastUse(path) > UNUSED_AFTER) rmSync(path, { recursive: true, force: true });
  }
}

function lastUse(path) {
  const marker = join(path, MARKER);
  const stats = statSync(existsSync(marker) ? marker : path, { throwIfNoEntry: false });
  return stats?.mtimeMs ?? Date.now();
}

function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // A read-only cache still works.
  }
}
