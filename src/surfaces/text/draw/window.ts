import { type Group, isOpen, type Row, type View } from "../../../core/views/view.ts";
import type { Page } from "./page.ts";
import { type Line, span } from "./spans.ts";

/** The visible part of a list. */
export interface Window {
  readonly groups: readonly Group[];
  readonly rows: readonly Row[];
  readonly before: readonly Row[];
  readonly after: readonly Row[];
}

/** At most `max` rows around the current todo, a quarter of them above it. */
export function windowOf(view: View, max: number): Window {
  const rows = view.groups.flatMap((group) => group.rows);
  const size = Math.max(1, Math.floor(max));
  if (rows.length <= size) return { groups: view.groups, rows, before: [], after: [] };
  const focus = view.current ?? view.next;
  const index = focus ? rows.indexOf(focus) : rows.length - 1;
  const start = Math.min(Math.max(0, index - Math.floor(size / 4)), rows.length - size);
  const shown = rows.slice(start, start + size);
  const kept = new Set(shown);
  return {
    groups: view.groups
      .map((group) => ({ ...group, rows: group.rows.filter((row) => kept.has(row)) }))
      .filter((group) => group.rows.length > 0),
    rows: shown,
    before: rows.slice(0, start),
    after: rows.slice(start + size),
  };
}

/** The heading of a group: its phase, or `Other` for todos without a phase after those with one. */
export function headingOf(page: Page, view: View, group: Group): string | undefined {
  if (group.phase !== undefined) return page.safe(group.phase);
  return view.groups[0]?.phase === undefined ? undefined : "Other";
}

/** The row limit of the options, or `fallback`. */
export function rowLimit({ options }: Page, fallback = Number.POSITIVE_INFINITY): number {
  return options.all ? Number.POSITIVE_INFINITY : (options.maxRows ?? fallback);
}

function countOf(rows: readonly Row[]): string {
  if (rows.every((row) => row.todo.status === "completed")) return `${rows.length} done`;
  return `${rows.length} ${rows.some((row) => isOpen(row.todo)) ? "more" : "closed"}`;
}

/** A line that counts the todos above or below the window; empty if there are none. */
export function hiddenLines(page: Page, side: "above" | "below", rows: readonly Row[]): Line[] {
  if (rows.length === 0) return [];
  return [[span(`${page.marks[side]} ${countOf(rows)}`, page.tones.dim)]];
}
