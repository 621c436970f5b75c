import { openSources, type SessionsCall } from "../sessions/sources.ts";
import { findOnPath, versionOf } from "../setup/installed.ts";
import type { Plan } from "../setup/plan.ts";
import type { Surroundings } from "../setup/status.ts";

/** The version of an agent: what its program reports, else its newest session. Undefined where setup does not need it. */
export async function agentVersion(
  call: SessionsCall,
  userHome: string | undefined,
  { machine, path }: Pick<Surroundings, "machine" | "path">,
  { byVersion, command, dialect }: Plan["setup"],
): Promise<string | undefined> {
  if (!byVersion) return undefined;
  const file = findOnPath(command, path, machine.platform);
  const reported = file === undefined ? undefined : versionOf(file, call.env);
  if (reported !== undefined) return reported;
  const tracks = await openSources(call, { userHome }).transcripts.list();
  return tracks.find(({ live }) => live.agentType === dialect && live.version)?.live.version;
}
