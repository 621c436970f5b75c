import type { Machine } from "../agent.ts";

/** The directory in which applications keep the configuration of a user. */
export function applicationFolder({ env, home, platform, join }: Machine): string {
  if (platform === "win32") return env.APPDATA || join(home, "AppData", "Roaming");
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}
