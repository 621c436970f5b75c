/** Resolves every setting: options on the command line are not part of it, because a command parses its own. */
import { statSync } from "node:fs";
import { rememberSecrets } from "../engines/storage/redact-secrets.ts";
import { type ConfigFile, type FileKind, type Problem, readConfigFile } from "./file.ts";
import { projectConfigPath, userConfigPath } from "./paths.ts";
import { SETTINGS, type Setting } from "./settings.ts";

type Env = NodeJS.ProcessEnv;

export type Source = "environment" | "project" | "user" | "default";

/** A setting with its value as the environment has it; undefined for its default. */
export interface Resolved {
  readonly setting: Setting;
  readonly source: Source;
  readonly value?: string;
  /** The file that it comes from. */
  readonly file?: string;
}

/** The settings of one process. */
export interface Settings {
  /** The environment with the settings of the files. Child processes that get it inherit only the environment. */
  readonly env: Env;
  readonly user?: ConfigFile;
  readonly project?: ConfigFile;
  readonly problems: readonly Problem[];
}

/** Precedence: environment, project file, user file. An empty variable restores the default. */
export function resolveSettings(
  env: Env,
  { user, project }: Pick<Settings, "user" | "project">,
): readonly Resolved[] {
  return SETTINGS.map((setting): Resolved => {
    const { variable } = setting;
    const given = env[variable];
    if (given !== undefined) return { setting, source: "environment", value: given };
    for (const [source, file] of [
      ["project", project],
      ["user", user],
    ] as const) {
      const value = file?.variables[variable];
      if (file && value !== undefined) return { setting, source, value, file: file.path };
    }
    return { setting, source: "default" };
  });
}

/** The environment without files, and the path of the user's file. */
const given = new WeakMap<Env, { readonly env: Env; readonly userPath: string | undefined }>();

const cache = new Map<string, { readonly state: string; readonly file: ConfigFile }>();
const MOST_CACHED = 50;

/** The content of a file, read again after a change. */
function currentFile(path: string, kind: FileKind, env: Env): ConfigFile {
  const state = stateOf(path);
  const known = cache.get(path);
  if (known?.state === state && known.file.kind === kind) return known.file;
  const file = readConfigFile(path, kind, env);
  if (cache.size >= MOST_CACHED) cache.clear();
  cache.set(path, { state, file });
  return file;
}

function stateOf(path: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    return [mtimeMs, ctimeMs, size, ino].join(" ");
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** Reads the files that apply in a directory. Nothing is thrown: `problems` has what is wrong. */
export function loadSettings(
  env: Env,
  cwd: string | undefined,
  platform: string = process.platform,
): Settings {
  const userPath = userConfigPath(env, platform);
  const user = userPath === undefined ? undefined : currentFile(userPath, "user", env);
  const project = projectFile(env, cwd);
  const files = [user, project].filter((file) => file !== undefined);
  return {
    env: withFiles(env, userPath, user, project),
    ...(user && { user }),
    ...(project && { project }),
    problems: files.flatMap(({ problems }) => problems),
  };
}

function projectFile(env: Env, cwd: string | undefined): ConfigFile | undefined {
  const path = cwd === undefined ? undefined : projectConfigPath(cwd);
  return path === undefined ? undefined : currentFile(path, "project", env);
}

function withFiles(
  env: Env,
  userPath: string | undefined,
  user?: ConfigFile,
  project?: ConfigFile,
): Env {
  const filled: Record<string, string> = Object.create(null);
  for (const { setting, source, value } of resolveSettings(env, {
    ...(user && { user }),
    ...(project && { project }),
  }))
    if ((source === "project" || source === "user") && value !== undefined)
      filled[setting.variable] = value;
  rememberSecrets(Object.values(filled));
  // Only reading by name finds the settings of files: a copy for a child process has the environment alone, so a
  // setting of one project does not reach another one, and no secret reaches a command.
  const all = new Proxy(env, {
    get: (target, name) =>
      typeof name === "string" && name in filled ? filled[name] : Reflect.get(target, name),
  });
  given.set(all, { env, userPath });
  return all;
}

/** SQLite is opened in many places and in threads, and its driver is chosen once for each process. */
export function chooseDriver({ WAYMARK_SQLITE_DRIVER: driver }: Env): void {
  if (driver !== undefined) process.env.WAYMARK_SQLITE_DRIVER = driver;
}

/** The environment without the settings of files. */
export function givenEnvironment(env: Env): Env {
  return given.get(env)?.env ?? env;
}

/** The settings that apply now in the directory of a session, if `env` has the settings of files. */
export function settingsIn(env: Env, cwd: string | undefined): Env {
  const known = given.get(env);
  if (!known || cwd === undefined) return env;
  const { userPath } = known;
  const user = userPath === undefined ? undefined : currentFile(userPath, "user", known.env);
  return withFiles(known.env, userPath, user, projectFile(known.env, cwd));
}
