/** Renders lists, sessions and history as text. Pure; the results have no trailing newline. */

import type { View } from "../../core/views/view.ts";
import { pageOf, type TextOptions } from "./draw/page.ts";
import { print } from "./draw/spans.ts";
import { type HistoryRow, historyLines } from "./history.ts";
import { listLines } from "./list.ts";
import { type TrackRow, trackLines } from "./tracks.ts";

export type { TextOptions, TextStyle } from "./draw/page.ts";
export type { HistoryRow } from "./history.ts";
export type { TrackRow } from "./tracks.ts";

/**
 * Renders the list of one track.
 *
 * @param view what `viewOf` returns
 * @param options style, width and colors
 * @returns lines, with escape sequences only if `color` is set
 */
export function renderList(view: View, options: TextOptions): string {
  return print(listLines(view, options), options.color);
}

/**
 * Renders the table of `waymark ls`.
 *
 * @param views one row per track
 * @param options width and colors
 * @returns lines, with escape sequences only if `color` is set
 */
export function renderTracks(views: readonly TrackRow[], options: TextOptions): string {
  if (views.length === 0) return "No sessions yet.";
  return print(trackLines(pageOf(options), views), options.color);
}

/**
 * Renders the changes of a list, oldest first.
 *
 * @param rows one row per change
 * @param options width and colors
 * @returns lines, with escape sequences only if `color` is set
 */
export function renderHistory(rows: readonly HistoryRow[], options: TextOptions): string {
  if (rows.length === 0) return "No history yet.";
  return print(historyLines(pageOf(options), rows), options.color);
}
