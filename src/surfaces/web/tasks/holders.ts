import { IDENTITIES } from "../../../agents/identities.ts";
import { MAIN_AGENT } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { progressOf } from "../../../core/views/view.ts";
import { agentLook } from "../../text/agents.ts";
import { pagePath } from "../connection/api.ts";
import { hueClass } from "../ui/parts.tsx";

/** The agent that holds a task, where its track is known. */
export interface Holder {
  readonly name: string;
  readonly hue: string;
  readonly path: string;
  /** `7 of 12` of its list. */
  readonly progress: string;
}

export type Holders = (owner: string | undefined) => Holder | undefined;

/** Agents hold tasks by the name of their session; others by whatever they call themselves. */
export function holdersIn(tracks: Iterable<MergedTrack>): Holders {
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
      // A session of our own making is told in its first letters only.
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

/** The colour of the agent that an owner is, or is named after. */
export function ownerHue(owner: string | undefined, holder: Holder | undefined): string {
  if (holder) return holder.hue;
  const name = owner?.toLowerCase() ?? "";
  return hueClass(IDENTITIES.find(({ shortName }) => shortName && name.includes(shortName))?.id);
}
