import { useInput } from "ink";
import { createElement, type ReactElement, useState } from "react";
import { formatDuration } from "../../../core/text/duration.ts";
import { viewOf } from "../../../core/views/view.ts";
import { checkboxLines } from "../../text/draw/checkbox.ts";
import { agentTone } from "../../text/draw/page.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import { FRAME_MS, pagesOf } from "../pages/pages.ts";
import { Lines } from "./lines.ts";
import type { TodoProps } from "./todo-list.ts";
import { useNow, useWidth } from "./use-now.ts";

/** Props of `TodoSpinner`. */
export interface TodoSpinnerProps extends TodoProps {
  /** Show all todos below the spinner instead of the next one. */
  readonly expanded?: boolean;
  /** Replaces the text of the current todo. */
  readonly message?: string;
  /** Shown while no todo is in progress (default: no spinner). */
  readonly defaultMessage?: string;
  /** Shown if there is no next todo. */
  readonly tip?: string;
  /** The key that expands and collapses, for the hint: "ctrl+t". */
  readonly toggleKey?: string;
}

/**
 * Draws the current todo, its elapsed time and the next todo; expanded, the whole list.
 *
 * @returns the element, or `null` if there is nothing to show
 */
export function TodoSpinner({
  track,
  now: given,
  still = false,
  expanded = false,
  message,
  defaultMessage,
  tip,
  toggleKey,
  ...look
}: TodoSpinnerProps): ReactElement | null {
  const isActive =
    message !== undefined ||
    defaultMessage !== undefined ||
    track.todos.some(({ status }) => status === "in_progress");
  const now = useNow(isActive && !still, given);
  const width = useWidth(look.width);
  const options = { color: true, unicode: true, ...look, width, now };
  const view = viewOf(track, now);
  const { current, next } = view;
  const doing = message ?? (current?.todo.activeText || current?.todo.text) ?? defaultMessage;
  if (doing === undefined) return null;
  const pages = pagesOf(options, Math.floor(now / FRAME_MS));
  const page = still ? pages.still : pages.live;
  const { marks, tones } = page;
  const hasTodos = view.rows.length > 0;
  const isExpanded = expanded && hasTodos;
  const right: Line = [
    ...(current?.elapsed === undefined ? [] : [span(formatDuration(current.elapsed), tones.dim)]),
    ...(toggleKey && hasTodos
      ? [
          span(`  ${page.safe(toggleKey)}`, tones.bold),
          span(` ${isExpanded ? "hide" : "show"} todos`, tones.dim),
        ]
      : []),
  ];
  const mark = span(`${marks.todo.in_progress} `, agentTone(page, view));
  const text = span(`${page.safe(doing)}${marks.ellipsis}`, tones.bold);
  // Without its heading: the spinner is the heading.
  const todos = isExpanded ? checkboxLines(pages.still, view).slice(1) : [];
  const below = next && !isExpanded ? `Next: ${page.safe(next.todo.text)}` : undefined;
  const hint = below ?? (tip && !next ? `Tip: ${page.safe(tip)}` : undefined);
  const lines: readonly Line[] = [
    spread([mark, text], right, width, marks.ellipsis),
    ...todos,
    ...(hint ? [spread([span(`  ${hint}`, tones.dim)], [], width, marks.ellipsis)] : []),
  ];
  return createElement(Lines, { lines, color: options.color, width });
}

/**
 * Toggles with ctrl+t while `isActive`.
 *
 * @returns whether todos are expanded
 */
export function useTodoToggle({ initial = false, isActive = true } = {}): boolean {
  const [expanded, setExpanded] = useState(initial);
  useInput(
    (input, key) => {
      if (key.ctrl && input === "t") setExpanded((is) => !is);
    },
    { isActive },
  );
  return expanded;
}
