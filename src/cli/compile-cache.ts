import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/**
 * Where compiled code is kept between starts: `dist/compiled` in a checkout, whose build creates it; else the user's
 * cache directory. Compiled code is executed, so a directory or file that another user could have written is never read.
 * Everything here fails silently: without a cache the program only starts slower.
 */

const UNUSED_AFTER = 30 * 24 * 60 * 60_000;
const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

export interface CacheOptions {
  /** The directory of the bundles. */
  readonly dist: string;
  /** Changes with every byte of the bundles: V8 compares only their length. */
  readonly build: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, whose profile directories are private. */
  readonly uid: number | undefined;
}

/** Returns a directory that only this user can write to, created if it is missing; undefined if there is none. */
export function compileCacheDirectory(options: CacheOptions): string | undefined {
  try {
    const { dist, build, env, platform, uid } = options;
    if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
    const checkout = join(dist, "compiled");
    if (isPrivate(checkout, uid)) return checkout;
    const user = userCache(env, platform, uid);
    if (user === undefined) return undefined;
    const all = join(user, "compiled");
    const own = join(all, `${build}-node-${process.versions.node}-${process.arch}`);
    if (!isPrivate(own, uid)) {
      createMissing(own);
      removeUnused(all, own);
    }
    const isOurs = (path: string) => isOwned(lstatSync(path), uid, WRITABLE_BY_OTHERS);
    return isOurs(user) && isOurs(all) && isPrivate(own, uid) ? own : undefined;
  } catch {
    return undefined;
  }
}

export interface CacheFile {
  /** Number of runs that added to it, up to 255. */
  readonly runs: number;
  readonly data: Buffer;
}

/** Bytes before the data: the number of runs, and at byte 8 the offset of its end. V8 needs its data aligned. */
const HEADER = 16;
/** Trailer. A file that a power cut truncated or zeroed does not end with it. */
const END = Buffer.from("compiled");

/**
 * Returns the content of a complete cache file that only this user could have written. V8 crashes on damaged data: it
 * checks nothing but the version, the settings and the length of the source.
 */
export function readCacheFile(path: string, uid: number | undefined): CacheFile | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(descriptor);
    const isOurs = uid === undefined || (stats.uid === uid && !(stats.mode & WRITABLE_BY_OTHERS));
    if (!stats.isFile() || !isOurs) return undefined;
    const content = readFileSync(descriptor);
    const end = content.length - END.length;
    const isComplete =
      end > HEADER && content.readDoubleLE(END.length) === end && content.subarray(end).equals(END);
    return isComplete ? { runs: content[0] ?? 0, data: content.subarray(HEADER, end) } : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Replaces a cache file atomically. */
export function writeCacheFile(path: string, { runs, data }: CacheFile): void {
  const part = `${path}.${process.pid}`;
  const header = Buffer.alloc(HEADER);
  header[0] = runs;
  header.writeDoubleLE(HEADER + data.length, END.length);
  try {
    const descriptor = openSync(part, "wx", 0o600);
    try {
      writeFileSync(descriptor, Buffer.concat([header, data, END]));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(part, path);
  } catch {
    try {
      rmSync(part, { force: true });
    } catch {
      // The directory is not writable, so there is no such file.
    }
  }
}

function userCache(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  uid: number | undefined,
): string | undefined {
  const isUnix = platform !== "win32" && platform !== "darwin";
  if (isUnix && env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME))
    return join(env.XDG_CACHE_HOME, "waymark");
  const home = env.HOME || env.USERPROFILE || process.getBuiltinModule("node:os").homedir();
  // `sudo` keeps HOME; a cache directory owned by root would lock the user out.
  if (uid !== undefined && statSync(home).uid !== uid) return undefined;
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "waymark", "cache");
  if (platform === "darwin") return join(home, "Library", "Caches", "waymark");
  return join(home, ".cache", "waymark");
}

function isPrivate(path: string, uid: number | undefined): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isOwned(stats, uid, OPEN_TO_OTHERS);
}

function isOwned(stats: Stats, uid: number | undefined, forbidden: number): boolean {
  if (!stats.isDirectory()) return false;
  return uid === undefined || (stats.uid === uid && (stats.mode & forbidden) === 0);
}

/** Not `recursive`: in Node 20 that never returns where directories cannot be created, such as /proc. */
function createMissing(path: string, parentTried = false): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false })) return;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || parentTried || dirname(path) === path) throw error;
    createMissing(dirname(path));
    createMissing(path, true);
  }
}

/** Removes caches of other versions that were not written for a month. */
function removeUnused(all: string, own: string): void {
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (path === own || !stats || Date.now() - stats.mtimeMs < UNUSED_AFTER) continue;
    rmSync(path, { recursive: true, force: true });
  }
}
