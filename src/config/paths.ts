import { lstatSync } from "node:fs";
import { dirname, posix, win32 } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

const FILE = "config.toml";
/** The directory of the project file, in the repository. */
const PROJECT = [".waymark", FILE] as const;

/**
 * The user's configuration file. Undefined without a home directory: looking one up costs more than a hook may take.
 * `bin/waymark-hook` has the same rule.
 */
export function userConfigPath(env: Env, platform: string): string | undefined {
  if (platform === "win32") {
    const roaming = env.APPDATA || (env.USERPROFILE && `${env.USERPROFILE}\\AppData\\Roaming`);
    return roaming ? win32.join(roaming, "waymark", FILE) : undefined;
  }
  const given = env.XDG_CONFIG_HOME;
  // The XDG specification says to ignore relative paths.
  if (given && posix.isAbsolute(given)) return posix.join(given, "waymark", FILE);
  if (!env.HOME) return undefined;
  const folder = platform === "darwin" ? ["Library", "Application Support"] : [".config"];
  return posix.join(env.HOME, ...folder, "waymark", FILE);
}

/** Where a project file belongs: the root of the repository, or the directory itself. */
export function projectRoot(cwd: string): string {
  for (let at = cwd; ; ) {
    if (isThere(join(at, [".git"]))) return at;
    const above = dirname(at);
    if (above === at) return cwd;
    at = above;
  }
}

/** The nearest project file from the directory up to the root of the repository; without a repository, only there. */
export function projectConfigPath(cwd: string): string | undefined {
  const root = projectRoot(cwd);
  for (let at = cwd; ; at = dirname(at)) {
    const path = join(at, PROJECT);
    if (isThere(path)) return path;
    if (at === root) return undefined;
  }
}

/** Where `config set --project` creates a project file. */
export function newProjectPath(cwd: string): string {
  return join(projectRoot(cwd), PROJECT);
}

function join(folder: string, names: readonly string[]): string {
  return (process.platform === "win32" ? win32 : posix).join(folder, ...names);
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A directory that cannot be searched has no file for us.
    return false;
  }
}
