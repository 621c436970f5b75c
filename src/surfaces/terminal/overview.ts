import type { BoardGroup, BoardRow } from "../../core/views/board.ts";
import { type Line, span } from "../text/draw/spans.ts";
import type { Section, Shown, Sort } from "./find/shown.ts";
import { columnsOf } from "./overview/columns.ts";
import { foldedLine, HEADINGS, headingNote } from "./overview/folded.ts";
import type { Pages } from "./pages/pages.ts";
import { type Density, type RowOptions, rowHeight, rowLines } from "./rows.ts";
import type { BoardState, Size } from "./state.ts";

/** Which sections the overview shows in full, and how densely. */
export interface OverviewLayout {
  readonly density: Density;
  /** A blank line between sections. */
  readonly isSpaced: boolean;
  readonly sections: readonly FoldableSection[];
  /** List the todos of the sessions. */
  readonly todos: boolean;
}

interface FoldableSection extends Section {
  /** Shown on one line; of its sessions, only the selected one has its own. */
  readonly isFolded: boolean;
}

const SMALL = { columns: 60, rows: 16 };

export function isSmall({ columns, rows }: Size): boolean {
  return columns < SMALL.columns || rows < SMALL.rows;
}

type Try = readonly [density: Density, isSpaced: boolean, folded: readonly BoardGroup[]];

const TRIES: readonly Try[] = [
  ["full", true, []],
  ["full", false, []],
  ["full", false, ["finished"]],
  ["merged", false, ["finished"]],
  ["merged", false, ["finished", "idle"]],
  ["short", false, ["finished", "idle"]],
  ["two", false, ["finished", "idle"]],
  ["line", false, ["finished", "idle"]],
];
const SMALL_TRIES: readonly Try[] = [
  ["line", false, []],
  ["line", false, ["finished"]],
  ["line", false, ["finished", "idle"]],
];

/** The least dense layout that fits; `state.more` shows everything and scrolls. */
export function layoutOverview(
  { sections }: Pick<Shown, "sections">,
  state: Pick<BoardState, "more" | "selected">,
  size: Size,
  available: number,
): OverviewLayout {
  const small = isSmall(size);
  const layoutWith = ([density, isSpaced, names]: Try): OverviewLayout => {
    const isNamed = ({ group }: Section) => group !== undefined && names.includes(group);
    // Never fold every section.
    const canFold = sections.some((section) => !isNamed(section));
    return {
      density,
      isSpaced,
      todos: state.more,
      sections: sections.map((section) => ({
        ...section,
        isFolded: canFold && isNamed(section),
      })),
    };
  };
  const all = (small ? SMALL_TRIES : TRIES).map(layoutWith);
  const [first = layoutWith(["line", false, []])] = all;
  if (state.more) return first;
  return all.find((each) => fits(each, small, available)) ?? all.at(-1) ?? first;
}

function fits(
  { density, isSpaced, sections, todos }: OverviewLayout,
  small: boolean,
  available: number,
): boolean {
  const open = sections.filter(({ isFolded }) => !isFolded);
  const folded = sections.length - open.length;
  const headings = small ? 0 : open.length + (isSpaced ? open.length - 1 : 0);
  // One more line for the selected session of a folded section, so that selecting it changes nothing else.
  let left = available - headings - (folded > 0 ? (small ? 1 : folded + 1) : 0);
  const rows = open.flatMap((section) => section.rows);
  // Every row has at least one line, so thousands of rows need no measuring.
  if (rows.length > left) return false;
  // The selected row may take more lines. The layout has space for any of them, so that it stays the same.
  let extra = 0;
  for (const row of rows) {
    const height = rowHeight(row, density, optionsOf(row, undefined, todos, small));
    extra = Math.max(
      extra,
      rowHeight(row, density, optionsOf(row, row.key, todos, small)) - height,
    );
    left -= height;
  }
  return left >= extra;
}

/** On small screens, only the selected session lists its todos. */
function optionsOf(
  row: BoardRow,
  selected: string | undefined,
  todos: boolean,
  small: boolean,
): RowOptions {
  const isSelected = row.key === selected;
  return { selected: isSelected, todos: todos && (!small || isSelected) };
}

/** The lines of the overview, and the range of the selected row. */
export interface OverviewLines {
  readonly lines: readonly Line[];
  readonly focus: readonly [number, number];
  /** For each line, the key of its session. */
  readonly keys: readonly (string | undefined)[];
}

const ORDERED: Readonly<Record<Sort, string>> = {
  "needs you": "",
  recent: "MOST RECENT FIRST",
  cost: "MOST EXPENSIVE FIRST",
};

/** Draws the rows around the selected one; the others are blank lines of the right height. */
export function overviewLines(
  pages: Pages,
  { density, isSpaced, sections, todos }: OverviewLayout,
  { selected, sort }: Pick<BoardState, "selected" | "sort">,
  size: Size,
  available: number,
): OverviewLines {
  const { still } = pages;
  const { tones } = still;
  const small = isSmall(size);
  const visible = sections.flatMap(({ isFolded, rows }) =>
    isFolded ? rows.filter(({ key }) => key === selected) : rows,
  );
  const selectedIndex = Math.max(
    0,
    visible.findIndex(({ key }) => key === selected),
  );
  const near = visible.slice(Math.max(0, selectedIndex - available), selectedIndex + available);
  const columns = columnsOf(still, near);
  const lines: Line[] = [];
  const keys: (string | undefined)[] = [];
  let focus: readonly [number, number] = [0, 0];
  let index = 0;
  const put = (row: BoardRow) => {
    const options = optionsOf(row, selected, todos, small);
    const height = rowHeight(row, density, options);
    if (options.selected) focus = [lines.length, lines.length + height - 1];
    if (Math.abs(index - selectedIndex) > available)
      for (let line = 0; line < height; line++) lines.push([]);
    else lines.push(...rowLines(pages, row, columns, density, options));
    while (keys.length < lines.length) keys.push(row.key);
    index++;
  };
  for (const section of sections) {
    const { group, rows, isFolded } = section;
    if (!small) {
      if (lines.length > 0 && isSpaced && !isFolded) lines.push([]);
      const title = group === undefined ? ORDERED[sort] : HEADINGS[group];
      lines.push(
        isFolded
          ? foldedLine(pages, section)
          : [
              span(`  ${title}`, group === "needs you" ? tones.you : tones.dim),
              span(headingNote(section), tones.dim),
            ],
      );
      while (keys.length < lines.length) keys.push(undefined);
    }
    for (const row of rows) if (!isFolded || row.key === selected) put(row);
  }
  return { lines, focus, keys };
}
