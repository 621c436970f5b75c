import { counted } from "../../core/text/count.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { ListedSessions } from "../../sessions/listing/list.ts";
import { shortIds } from "../../sessions/listing/short-ids.ts";
import type { Terminal } from "../io/terminal.ts";
import { textOptions } from "../io/text-options.ts";
import { trackRow } from "./track-form.ts";

/** The table, and below it what it does not show. */
export async function tableOf(
  found: ListedSessions,
  terminal: Terminal,
  all: boolean,
  now: number,
): Promise<string> {
  // Imported late: for a program that reads JSON, nothing is drawn.
  const { renderTracks } = await import("../../surfaces/text/index.ts");
  const short = shortIds(found.tracks.map(({ track }) => track.session));
  const shown = found.tracks.filter(({ track }) => all || !found.subagents.has(trackKey(track)));
  const rows = shown.map((each) => {
    const { session } = each.track;
    return trackRow(each, short.get(session) ?? session, now);
  });
  return renderTracks(rows, textOptions(terminal, now));
}

/** `9 tracks, 3 subagents hidden`, where there is anything to be said. */
export function hiddenLine(
  { tracks, subagents, more }: ListedSessions,
  all: boolean,
): string | undefined {
  const hidden = all ? 0 : subagents.size;
  const count = tracks.length - hidden;
  const facts = [
    ...(hidden > 0 ? [`${counted(hidden, "subagent")} hidden`] : []),
    ...(more ? ["older ones left out"] : []),
  ];
  if (facts.length === 0) return undefined;
  return `${counted(count, "track")}, ${facts.join(", ")}: waymark ls --all`;
}
