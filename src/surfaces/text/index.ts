/** Lists as text: every function here is pure, its output is one string without a last newline. */

import type { View } from "../../core/view.ts";
import { boxedLines } from "./boxed.ts";
import { checkboxLines } from "./checkbox.ts";
import { type HistoryRow, historyLines } from "./history.ts";
import { agentTone, type Page, pageOf, type TextOptions, type TextStyle, titleOf } from "./page.ts";
import { planLines } from "./plan.ts";
import { type Line, print, span, spread } from "./spans.ts";
import { type TrackRow, trackLines } from "./tracks.ts";
import { treeLines } from "./tree.ts";
import { waymarkLines } from "./waymark.ts";

export type { HistoryRow } from "./history.ts";
export type { TextOptions, TextStyle } from "./page.ts";
export type { TrackRow } from "./tracks.ts";

const STYLES: Readonly<Record<TextStyle, (page: Page, view: View) => readonly Line[]>> = {
  waymark: waymarkLines,
  boxed: boxedLines,
  tree: treeLines,
  plan: planLines,
  checkbox: checkboxLines,
};

/** The list of one track. */
export function renderList(view: View, options: TextOptions): string {
  if (view.rows.length === 0) return "No list yet.";
  const page = pageOf(options);
  const lines =
    view.cleared && !options.all
      ? [clearedLine(page, view)]
      : STYLES[options.style ?? "waymark"](page, view);
  return print(lines, options.color);
}

/** All that is left on the display of a list that was finished a while ago. */
function clearedLine(page: Page, view: View): Line {
  const { marks, tones, width } = page;
  const { completed, total } = view.progress;
  return spread(
    [span(marks.blaze, agentTone(page, view)), span(` ${titleOf(page, view)}`, tones.dim)],
    [span(`Finished, ${completed} of ${total}`, tones.dim)],
    width,
    marks.ellipsis,
  );
}

/** The table of `waymark ls`. */
export function renderTracks(views: readonly TrackRow[], options: TextOptions): string {
  if (views.length === 0) return "No tracks yet.";
  return print(trackLines(pageOf(options), views), options.color);
}

/** What happened to the todos of a track, oldest first. */
export function renderHistory(rows: readonly HistoryRow[], options: TextOptions): string {
  if (rows.length === 0) return "No history yet.";
  return print(historyLines(pageOf(options), rows), options.color);
}
