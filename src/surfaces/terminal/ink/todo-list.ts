import { createElement, type ReactElement } from "react";
import type { Track } from "../../../core/model.ts";
import { viewOf } from "../../../core/views/view.ts";
import type { TextOptions } from "../../text/draw/page.ts";
import { listLines } from "../../text/list.ts";
import { FRAME_MS, pagesOf } from "../pages/pages.ts";
import { Lines } from "./lines.ts";
import { useNow, useWidth } from "./use-now.ts";

/** Props of components that draw one track. */
export interface TodoProps
  extends Partial<Pick<TextOptions, "width" | "color" | "unicode" | "background" | "timeZone">> {
  readonly track: Track;
  /** Freezes the time, e.g. for tests (default: the current time). */
  readonly now?: number;
  /** Disables motion. */
  readonly still?: boolean;
}

/** Props of `TodoList`. */
export interface TodoListProps
  extends TodoProps,
    Partial<Pick<TextOptions, "style" | "maxRows" | "all" | "member">> {
  /** Seconds until a closed todo is removed; negative: never (default: only finished lists are removed). */
  readonly clearDelay?: number;
}

/**
 * Draws the list of one agent.
 *
 * @returns the element
 */
export function TodoList({
  track,
  now: given,
  still = false,
  clearDelay,
  ...look
}: TodoListProps): ReactElement {
  const works = track.todos.some(({ status }) => status === "in_progress");
  const now = useNow(works && !still, given);
  const width = useWidth(look.width);
  const options = { color: true, unicode: true, ...look, width, now };
  const pages = pagesOf(options, Math.floor(now / FRAME_MS));
  const page = still ? pages.still : pages.live;
  const lines = listLines(viewOf(track, now, clearDelay), options, page);
  return createElement(Lines, { lines, color: options.color, width });
}
