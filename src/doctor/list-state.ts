import type { Dialect, ListSetting } from "../agents/agent.ts";
import type { Live } from "../core/stream/fold.ts";
import { MAIN_AGENT } from "../core/text/ids.ts";
import { isAtLeast } from "../core/text/version.ts";
import type { AgentSummary } from "../core/wire.ts";

export interface ListFacts {
  /** Version of the agent's program or of its newest session. */
  readonly version: string | undefined;
  /** Sessions of this agent, newest first. */
  readonly lives: readonly Live[];
  /** `waymark setup` gave it a list. */
  readonly isSetUp: boolean;
  /** Its configuration switches its own list on. */
  readonly isSwitchedOn: boolean;
  readonly isConfigReadable: boolean;
}

/** `off` only where the agent ships its list switched off and nothing shows that it was switched on. */
export function listStateOf(
  { listSetting }: Pick<Dialect, "listSetting">,
  { version, lives, isSetUp, isSwitchedOn, isConfigReadable }: ListFacts,
): AgentSummary["list"] {
  if (isSetUp || isSwitchedOn) return "on";
  if (!listSetting) return lives.some(hasList) ? "on" : "unknown";
  if (!isConcerned(listSetting, version)) return "unknown";
  if (newestHasList(listSetting, lives)) return "on";
  return isConfigReadable ? "off" : "unknown";
}

/** Whether this version of the agent ships with its list switched off. */
export function isConcerned({ since }: ListSetting, version: string | undefined): boolean {
  return since === undefined || (version !== undefined && isAtLeast(version, since));
}

/** Whether the newest session of such a version wrote a list: it was switched on then. */
export function newestHasList(setting: ListSetting, lives: readonly Live[]): boolean {
  const newest = lives.find(
    ({ agent, version }) => agent === MAIN_AGENT && isConcerned(setting, version),
  );
  return newest !== undefined && hasList(newest);
}

function hasList({ track }: Live): boolean {
  return track.version > 0;
}
