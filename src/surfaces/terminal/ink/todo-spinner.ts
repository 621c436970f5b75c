import { useInput } from "ink";
import { createElement, type ReactElement, useState } from "react";
import { duration } from "../../../core/text/duration.ts";
import { viewOf } from "../../../core/views/view.ts";
import { checkboxLines } from "../../text/draw/checkbox.ts";
import { agentTone } from "../../text/draw/page.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import { pagesOf, TURN } from "../pages/pages.ts";
import { Lines } from "./lines.ts";
import type { TodoProps } from "./todo-list.ts";
import { useNow, useWidth } from "./use-now.ts";

/** Props of `TodoSpinner`. */
export interface TodoSpinnerProps extends TodoProps {
  /** Shows every todo below the spinner instead of the next one. */
  readonly expanded?: boolean;
  /** Shown instead of what the current todo says. */
  readonly message?: string;
  /** Shown while no todo is in progress; without it there is no spinner then. */
  readonly defaultMessage?: string;
  /** Shown where no todo is next. */
  readonly tip?: string;
  /** The key that expands and collapses, to be named beside the spinner: "ctrl+t". */
  readonly toggleKey?: string;
}

/**
 * Draws what the agent is doing, for how long, and what is next; expanded, the whole list.
 *
 * @returns the element; none while there is nothing to show
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
  const pages = pagesOf(options, Math.floor(now / TURN));
  const page = still ? pages.still : pages.live;
  const { marks, tones } = page;
  const hasTodos = view.rows.length > 0;
  const isExpanded = expanded && hasTodos;
  const right: Line = [
    ...(current?.elapsed === undefined ? [] : [span(duration(current.elapsed), tones.dim)]),
    ...(toggleKey && hasTodos
      ? [
          span(`  ${page.safe(toggleKey)}`, tones.bold),
          span(` ${isExpanded ? "hide" : "show"} todos`, tones.dim),
        ]
      : []),
  ];
  const sign = span(`${marks.todo.in_progress} `, agentTone(page, view));
  const text = span(`${page.safe(doing)}${marks.ellipsis}`, tones.bold);
  // Without the heading of its own: the spinner is the heading.
  const todos = isExpanded ? checkboxLines(pages.still, view).slice(1) : [];
  const below = next && !isExpanded ? `Next: ${page.safe(next.todo.text)}` : undefined;
  const hint = below ?? (tip && !next ? `Tip: ${page.safe(tip)}` : undefined);
  const lines: readonly Line[] = [
    spread([sign, text], right, width, marks.ellipsis),
    ...todos,
    ...(hint ? [spread([span(`  ${hint}`, tones.dim)], [], width, marks.ellipsis)] : []),
  ];
  return createElement(Lines, { lines, color: options.color, width });
}

/**
 * Whether todos are expanded; ctrl+t changes it while `isActive`.
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
