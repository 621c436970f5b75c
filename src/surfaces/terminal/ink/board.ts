import { useStdout } from "ink";
import { createElement, type ReactElement, useMemo } from "react";
import { STALL_POLICY, type StallPolicy } from "../../../core/activity/stall.ts";
import type { Track, TrackId } from "../../../core/model.ts";
import { trackKey } from "../../../core/text/ids.ts";
import { boardOf } from "../../../core/views/board.ts";
import { mergeTracks } from "../../../sessions/merge.ts";
import type { TextOptions } from "../../text/draw/page.ts";
import { FRAME_MS } from "../pages/pages.ts";
import { screenLines } from "../screen.ts";
import { newState } from "../state.ts";
import { Lines } from "./lines.ts";
import { useNow, useWidth } from "./use-now.ts";

/** Props of `Board`. */
export interface BoardProps
  extends Partial<Pick<TextOptions, "width" | "color" | "unicode" | "background" | "timeZone">> {
  readonly tracks: readonly Track[];
  readonly selected?: TrackId;
  /** Show the selected track in full. */
  readonly open?: boolean;
  /** Rows (default: the terminal's rows minus one). */
  readonly height?: number;
  readonly now?: number;
  /** How long an agent may be inactive before it counts as stalled, in milliseconds. */
  readonly stall?: Partial<StallPolicy>;
}

/**
 * Draws all agents, grouped by state: needs you, working, idle, finished.
 *
 * @returns the element
 */
export function Board({
  tracks,
  selected,
  open = false,
  height,
  now: given,
  stall,
  ...look
}: BoardProps): ReactElement {
  const { stdout } = useStdout();
  const width = useWidth(look.width);
  const works = tracks.some(({ todos }) => todos.some(({ status }) => status === "in_progress"));
  const now = useNow(works, given);
  // Recompute the board once a second; between, only the spinner changes.
  const second = given ?? Math.floor(now / 1_000) * 1_000;
  const board = useMemo(
    () => boardOf(mergeTracks(tracks, [], second, { ...STALL_POLICY, ...stall }), { now: second }),
    [tracks, second, stall],
  );
  const [first] = board.groups.flatMap(({ rows }) => rows);
  const state = {
    ...newState(false),
    screen: open && selected ? ("track" as const) : ("tracks" as const),
    selected: selected ? trackKey(selected) : first?.key,
  };
  const rows = height ?? Math.max(10, (stdout.rows || 24) - 1);
  const frame = Math.floor(now / FRAME_MS);
  const data = { board, now, since: now, loading: false, frame, isEmbedded: true };
  const options = { color: true, unicode: true, ...look };
  // The last line has key hints; keys belong to the host program.
  const lines = screenLines(data, state, { columns: width, rows: rows + 1 }, options).slice(
    0,
    rows,
  );
  return createElement(Lines, { lines, color: options.color, width });
}
