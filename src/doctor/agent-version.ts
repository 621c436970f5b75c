import { openSources, type SessionsCall } from "../sessions/sources.ts";
import { findOnPath, programVersionSync } from "../setup/installed.ts";
import type { Plan } from "../setup/plan.ts";
import type { SetupContext } from "../setup/status.ts";

/** The version of an agent, from its program or its newest session. Undefined if setup does not need it. */
export async function agentVersion(
  call: SessionsCall,
  userHome: string | undefined,
  { machine, path }: Pick<SetupContext, "machine" | "path">,
  { versionSpecific: byVersion, command, id: dialect }: Plan["setup"],
): Promise<string | undefined> {
  if (!byVersion) return undefined;
  const file = findOnPath(command, path, machine.platform);
  const reported = file === undefined ? undefined : programVersionSync(file, call.env);
  if (reported !== undefined) return reported;
  const tracks = await openSources(call, { userHome }).transcripts.list();
  return tracks.find(({ live }) => live.agentType === dialect && live.version)?.live.version;
}
