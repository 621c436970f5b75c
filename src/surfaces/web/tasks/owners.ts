import { IDENTITIES } from "../../../agents/identities.ts";
import { MAIN_AGENT } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { progressOf } from "../../../core/views/view.ts";
import { agentLook } from "../../text/agents.ts";
import { pagePath } from "../connection/api.ts";
import { hueClass } from "../ui/parts.tsx";

/** The agent that owns a task, if its session is known. */
export interface OwnerAgent {
  readonly name: string;
  readonly hue: string;
  readonly path: string;
  /** `7 of 12` */
  readonly progress: string;
}

export type OwnerLookup = (owner: string | undefined) => OwnerAgent | undefined;

/** Finds the agent of an owner. Agents claim tasks under their session id, other owners under any name. */
export function ownerLookup(tracks: Iterable<MergedTrack>): OwnerLookup {
  const known = new Map<string, MergedTrack>();
  const sessions: MergedTrack[] = [];
  for (const each of tracks) {
    const { session, agent } = each.track;
    known.set(agent === MAIN_AGENT ? session : `${session}/${agent}`, each);
    if (agent === MAIN_AGENT) sessions.push(each);
  }
  return (owner) => {
    if (owner === undefined) return undefined;
    const found =
      known.get(owner) ??
      // The owner of a generated MCP session is a prefix of its id.
      (owner.startsWith("mcp-")
        ? sessions.find(({ track }) => track.session.startsWith(owner))
        : undefined);
    if (!found) return undefined;
    const { track } = found;
    const { completed, total } = progressOf(track.todos);
    return {
      name: agentLook(track.agentType).name || owner,
      hue: hueClass(track.agentType),
      path: pagePath(track),
      progress: total > 0 ? `${completed} of ${total}` : "",
    };
  };
}

/** The color class of the owner's agent, or of the agent whose name the owner contains. */
export function ownerHue(owner: string | undefined, ownerAgent: OwnerAgent | undefined): string {
  if (ownerAgent) return ownerAgent.hue;
  const name = owner?.toLowerCase() ?? "";
  return hueClass(IDENTITIES.find(({ shortName }) => shortName && name.includes(shortName))?.id);
}
