// Directories that only this user can change. Programs are started from them, so no other user may be able to plant one there.
import { accessSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Creates the directory if it is missing and returns its path. Throws if it is a symlink, belongs to another user,
 * or can be changed by other users: its content may then be theirs.
 */
export function privateDirectory(path, uid = process.getuid?.()) {
  createMissing(path);
  const reason = reasonAgainst(lstatSync(path), uid);
  if (reason !== "") throw new Error(`${path} ${reason}, so no program is started from it.`);
  return path;
}

function reasonAgainst(stats, uid) {
  if (stats.isSymbolicLink()) return "is a symlink";
  if (!stats.isDirectory()) return "is not a directory";
  // Windows has neither user ids nor modes; its profile directories are private.
  if (uid === undefined) return "";
  if (stats.uid !== uid) return `belongs to user ${stats.uid}, not ${uid}`;
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0)
    return `can be changed by other users (mode ${(stats.mode & 0o777).toString(8)})`;
  return "";
}

/** Not `recursive`: Node 20 never returns from that in a file system without directories of ours, such as /proc. */
function createMissing(path, parentTried = false) {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false })) return;
    if (error.code !== "ENOENT" || parentTried || dirname(path) === path) throw error;
    createMissing(dirname(path));
    createMissing(path, true);
  }
}

/**
 * The directory for downloaded packages: WAYMARK_CACHE, or else the first usable one of the user's cache directory
 * and the project's `node_modules/.cache`. Throws with the reasons if there is none.
 */
export function cacheDirectory({
  env = process.env,
  platform = process.platform,
  project = PROJECT,
} = {}) {
  if (env.WAYMARK_CACHE) return privateDirectory(resolve(env.WAYMARK_CACHE));
  const user = userCache(env, platform);
  const candidates = [
    ...(user === undefined ? [] : [user]),
    join(project, "node_modules", ".cache", "waymark"),
  ];
  const reasons = [];
  for (const path of candidates) {
    try {
      privateDirectory(path);
      accessSync(path, constants.W_OK);
      return path;
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(`No directory for downloaded packages; set WAYMARK_CACHE. ${reasons.join(" ")}`);
}

function userCache(env, platform) {
  if (platform === "linux" && env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME))
    return join(env.XDG_CACHE_HOME, "waymark");
  const home = ownHome(env);
  if (home === undefined) return undefined;
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "waymark", "cache");
  if (platform === "darwin") return join(home, "Library", "Caches", "waymark");
  return join(home, ".cache", "waymark");
}

/** The home directory if it is this user's: `sudo` keeps HOME, and root's files would lock its owner out. */
function ownHome(env) {
  try {
    const home = env.HOME || env.USERPROFILE || homedir();
    const uid = process.getuid?.();
    return uid === undefined || statSync(home).uid === uid ? home : undefined;
  } catch {
    return undefined;
  }
}
