import { costOfSum } from "../../core/cost/cost.ts";
import { counted } from "../../core/text/count.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { ListedSessions } from "../../sessions/listing/list.ts";
import { shortIds } from "../../sessions/listing/short-ids.ts";
import type { Terminal } from "../io/terminal.ts";
import { textOptions } from "../io/text-options.ts";
import { type TrackCosts, trackRow } from "./track-form.ts";

/** The table of sessions. */
export async function tableOf(
  found: ListedSessions,
  terminal: Terminal,
  all: boolean,
  now: number,
  costs: TrackCosts,
): Promise<string> {
  // Imported on demand: JSON output does not need it.
  const { renderTracks } = await import("../../surfaces/text/index.ts");
  const short = shortIds(found.tracks.map(({ track }) => track.session));
  const shown = found.tracks.filter(({ track }) => all || !found.subagents.has(trackKey(track)));
  const rows = shown.map((each) => {
    const { session } = each.track;
    const cost = costs.get(trackKey(each.track))?.withSubagents;
    return {
      ...trackRow(each, short.get(session) ?? session, now),
      ...(cost && { cost: costOfSum(cost) }),
    };
  });
  return renderTracks(rows, textOptions(terminal, now));
}

/** `9 sessions, 3 subagents hidden. …`; undefined if nothing is hidden. */
export function hiddenLine(
  { tracks, subagents, more, archived }: ListedSessions,
  all: boolean,
): string | undefined {
  const hidden = all ? 0 : subagents.size;
  const count = tracks.length - hidden;
  const facts = [
    ...(hidden > 0 ? [`${counted(hidden, "subagent")} hidden`] : []),
    ...(more ? ["older ones not shown"] : []),
    ...(archived > 0 ? [`${archived} archived`] : []),
  ];
  if (facts.length === 0) return undefined;
  return `${counted(count, "session")}, ${facts.join(", ")}. \`waymark ls --all\` lists all.`;
}
