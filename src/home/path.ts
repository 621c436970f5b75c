import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** The directory of Waymark's own files. */
export function homePath(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (env.WAYMARK_HOME) return resolve(env.WAYMARK_HOME);
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "waymark");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "waymark");
  const data = env.XDG_DATA_HOME;
  // The XDG specification says to ignore relative paths.
  return join(data && isAbsolute(data) ? data : join(homedir(), ".local", "share"), "waymark");
}
