import { choicesOf, type FilterName, STATE_FILTERS } from "../../../core/views/find/filters.ts";
import { agentLook } from "../../text/agents.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, lineCells, type Span, span, spread } from "../../text/draw/spans.ts";
import type { BoardData, BoardState } from "../state.ts";
import { isNarrowed, type Shown, SORTS, shownOf } from "./shown.ts";

/** The chips of the overview, from left to right. */
export const CHIPS = ["age", "agent", "project", "state", "sort"] as const;
export type Chip = (typeof CHIPS)[number];

/** A value of a chip; `value` is undefined if the chip is not set. */
export interface ChipChoice {
  readonly value: string | undefined;
  readonly label: string;
  /** How many sessions it would show; undefined for age and order. */
  readonly count?: number;
}

/** The values of a chip, in the order of the arrow keys. */
export function chipChoices(data: BoardData, state: BoardState, chip: Chip): readonly ChipChoice[] {
  const { all } = shownOf(data.board, state, data.now);
  if (chip === "sort") return SORTS.map((value) => ({ value, label: value }));
  if (chip === "age")
    return [
      { value: "today", label: "today" },
      { value: undefined, label: "all" },
      ...(data.board.archived > 0 || state.onlyArchived
        ? [{ value: "archived", label: "archived" }]
        : []),
    ];
  const rows = { groups: [{ group: "working" as const, rows: all }] };
  const choices = choicesOf(rows, state.filters, chip, STATE_FILTERS)
    .filter(({ value, count }) => count > 0 || state.filters[chip].includes(value))
    .map(({ value, count }) => ({ value, label: valueLabel(chip, value), count }));
  return [{ value: undefined, label: "all", count: all.length }, ...choices];
}

function valueLabel(name: FilterName, value: string): string {
  if (name !== "agent") return value || "none";
  return agentLook(value).name || "unknown agent";
}

/** The values of a filter that is set; empty if it is not. */
function setLabel(state: BoardState, name: FilterName): string {
  return state.filters[name].map((value) => valueLabel(name, value).replace(/^\0/, "")).join(", ");
}

/** `working, NAME, refu`; empty if nothing is filtered. */
export function filterLabel(state: BoardState): string {
  return [
    ...(state.onlyArchived ? ["archived"] : []),
    ...(["state", "agent", "project"] as const).map((name) => setLabel(state, name)),
    ...state.words,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Whether the chips say something that is not the default. */
export function hasChips(state: BoardState): boolean {
  return (
    state.chip !== undefined ||
    isNarrowed(state) ||
    state.older ||
    state.onlyArchived ||
    state.sort !== SORTS[0]
  );
}

/** ` today ×   agent   project   state   sort: needs you                12 shown`. */
export function chipLine(page: Page, data: BoardData, state: BoardState): Line {
  const { marks, width } = page;
  const shown = shownOf(data.board, state, data.now);
  const left: Span[] = chipsOf(page, state).flatMap(({ label }) => [span(" "), label]);
  if (state.chip === undefined)
    return spread(left, countSpans(page, data, state, shown), width, marks.ellipsis);
  const choices = choiceSpans(page, data, state, state.chip);
  return spread(left, cutStart(choices, width - lineCells(left) - 2), width, marks.ellipsis);
}

interface DrawnChip {
  /** The chip, or the word that was kept. */
  readonly chip: Chip | { readonly word: string };
  readonly label: Span;
  /** Whether it can be removed. */
  readonly isSet: boolean;
}

function chipsOf(page: Page, state: BoardState): readonly DrawnChip[] {
  const { marks, tones } = page;
  return [
    ...CHIPS.map((chip) => ({ chip, ...chipSpan(page, state, chip) })),
    ...state.words.map((word) => ({
      chip: { word },
      label: span(` ${page.safe(word)} ${marks.remove} `, tones.chipOn),
      isSet: true,
    })),
  ];
}

/** The cells of a chip. */
export interface ChipSpot extends Pick<DrawnChip, "chip" | "isSet"> {
  readonly from: number;
  /** The cell after it. */
  readonly to: number;
}

export function chipSpots(page: Page, state: BoardState): readonly ChipSpot[] {
  let at = 0;
  return chipsOf(page, state).map(({ chip, isSet, label }) => {
    const from = at + 1;
    at = from + lineCells([label]);
    return { chip, isSet, from, to: at };
  });
}

function chipSpan(page: Page, state: BoardState, chip: Chip): Omit<DrawnChip, "chip"> {
  const { marks, tones } = page;
  const isFocused = state.chip === chip;
  const tone = (isSet: boolean) =>
    isFocused ? `${tones.chipOn};7` : isSet ? tones.chipOn : tones.chip;
  const pill = (label: string, isSet: boolean, canRemove = isSet) => ({
    label: span(` ${page.safe(label)}${canRemove ? ` ${marks.remove}` : ""} `, tone(isSet)),
    isSet: canRemove,
  });
  if (chip === "sort") return pill(`sort: ${state.sort}`, state.sort !== SORTS[0], false);
  if (chip === "age") {
    if (state.onlyArchived) return pill("archived", true);
    return state.older ? pill("all ages", false) : pill("today", true);
  }
  const label = setLabel(state, chip);
  return pill(label === "" ? chip : label, label !== "");
}

function countSpans(
  page: Page,
  { board: { archived } }: BoardData,
  state: BoardState,
  { rows, all, older }: Shown,
): Line {
  const facts = [
    ...(isNarrowed(state) ? [`${rows.length} of ${all.length} shown`] : []),
    ...(older > 0 && !state.older ? [`${older} older`] : []),
    ...(archived > 0 && !state.onlyArchived ? [`${archived} archived`] : []),
  ];
  return [span(facts.join(` ${page.marks.separator} `), page.tones.dim)];
}

/** The values of the focused chip, from the chosen one. */
function choiceSpans(page: Page, data: BoardData, state: BoardState, chip: Chip): readonly Span[] {
  const chosen = chosenIndex(data, state, chip);
  return chipChoices(data, state, chip)
    .slice(chosen)
    .flatMap(({ label, count }, index): Span[] => [
      span(index === 0 ? "" : "  "),
      span(
        `${page.safe(label)}${count === undefined ? "" : ` ${count}`}`,
        index === 0 ? page.tones.you : page.tones.dim,
      ),
    ]);
}

/** The index of the chosen value of a chip. */
export function chosenIndex(data: BoardData, state: BoardState, chip: Chip): number {
  const value =
    chip === "sort" ? state.sort : chip === "age" ? ageOf(state) : state.filters[chip][0];
  return Math.max(
    0,
    chipChoices(data, state, chip).findIndex((choice) => choice.value === value),
  );
}

function ageOf({ older, onlyArchived }: BoardState): string | undefined {
  if (onlyArchived) return "archived";
  return older ? undefined : "today";
}

/** Keeps the first spans that fit. */
function cutStart(spans: readonly Span[], available: number): Line {
  let left = available;
  const over = spans.findIndex((each) => {
    left -= lineCells([each]);
    return left < 0;
  });
  return over < 0 ? spans : spans.slice(0, over);
}
