import { trackKey } from "../../core/text/ids.ts";
import { parentKey, workedUntil } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { viewOf } from "../../core/views/view.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { shortIds } from "../../sessions/listing/short-ids.ts";
import { openRegion } from "../../surfaces/terminal/region.ts";
import { renderList, renderTracks } from "../../surfaces/text/index.ts";
import type { Terminal } from "../io/terminal.ts";
import { textOptions } from "../io/text-options.ts";
import { trackRow } from "./track-form.ts";

/** The live view of `watch`: the table, or the list of one session. */
export interface WatchScreen {
  draw(tracks: readonly AnyTrack[], now: number): void;
}

/** Lines around the rows. */
const FRAME = 6;

export function openScreen(
  terminal: Terminal,
  wanted: string,
  write: (text: string) => void,
  clearDelay = -1,
): WatchScreen {
  const size = () => ({
    columns: process.stdout.columns || terminal.width,
    rows: process.stdout.rows || 24,
  });
  const region = openRegion({ write, size });
  return {
    draw(tracks, now) {
      const { columns, rows } = size();
      const maxRows = Math.max(1, rows - FRAME);
      // The last column stays empty: some terminals wrap when it is written to.
      const options = { ...textOptions(terminal, now), width: columns - 1, maxRows };
      const keys = new Set(tracks.map(({ track }) => trackKey(track)));
      const main = tracks.filter((each) => parentKey(each.track, keys) === undefined);
      const [only] = main;
      if (wanted !== "" && only && main.length === 1) {
        const findings = only.findings.map(({ message }) => message).join("; ");
        const list = renderList(
          viewOf({ ...only.track, title: titleOf(only) }, now, clearDelay, workedUntil(only, now)),
          options,
        );
        region.draw([], ["", ...list.split("\n"), ...(findings ? ["", findings] : [])]);
        return;
      }
      const short = shortIds(tracks.map(({ track }) => track.session));
      const shown = main.slice(0, maxRows);
      const table = renderTracks(
        shown.map((each) => trackRow(each, short.get(each.track.session) ?? "", now)),
        options,
      );
      const hidden = [
        counted(main.length - shown.length, "more session"),
        counted(tracks.length - main.length, "subagent"),
      ].filter((words) => words !== "");
      const more =
        hidden.length > 0 ? ["", `${hidden.join(", ")}. \`waymark ls --all\` lists them.`] : [];
      region.draw([], ["", ...table.split("\n"), ...more]);
    },
  };
}

function counted(count: number, what: string): string {
  if (count === 0) return "";
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
