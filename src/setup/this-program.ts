import { fileURLToPath } from "node:url";
import { findProgram, type Program } from "../agents/common/setup/commands.ts";

/** How the installation that the bundle is a part of is started. */
export function thisProgram(env: NodeJS.ProcessEnv, platform: string): Program {
  return findProgram(fileURLToPath(new URL("../bin/waymark.js", import.meta.url)), env, platform);
}
