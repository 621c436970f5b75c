import type { Decoder, ListSetting } from "../agents/agent.ts";
import type { LiveTrack } from "../core/stream/fold.ts";
import { MAIN_AGENT } from "../core/text/ids.ts";
import { isAtLeast } from "../core/text/version.ts";
import type { AgentSummary } from "../core/wire.ts";

export interface ListFacts {
  /** The version of the agent's program or of its newest session. */
  readonly version: string | undefined;
  /** Sessions of this agent, newest first. */
  readonly lives: readonly LiveTrack[];
  /** `waymark setup` gave it a list. */
  readonly isSetUp: boolean;
  /** Its configuration enables its own list. */
  readonly isEnabled: boolean;
  readonly isConfigReadable: boolean;
}

/** `off` only if the agent ships with its list off and nothing shows that it was enabled. */
export function listStateOf(
  { listSetting }: Pick<Decoder, "listSetting">,
  { version, lives, isSetUp, isEnabled, isConfigReadable }: ListFacts,
): AgentSummary["list"] {
  if (isSetUp || isEnabled) return "on";
  if (!listSetting) return lives.some(hasList) ? "on" : "unknown";
  if (!isOffByDefault(listSetting, version)) return "unknown";
  if (newestHasList(listSetting, lives)) return "on";
  return isConfigReadable ? "off" : "unknown";
}

/** Whether this version of the agent ships with its list off. */
export function isOffByDefault({ since }: ListSetting, version: string | undefined): boolean {
  return since === undefined || (version !== undefined && isAtLeast(version, since));
}

/** Whether the newest session of such a version wrote a list, so the list was enabled then. */
export function newestHasList(setting: ListSetting, lives: readonly LiveTrack[]): boolean {
  const newest = lives.find(
    ({ agent, version }) => agent === MAIN_AGENT && isOffByDefault(setting, version),
  );
  return newest !== undefined && hasList(newest);
}

function hasList({ track }: LiveTrack): boolean {
  return track.version > 0;
}
