import { counted } from "../../../core/text/count.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, lineCells, span, spread } from "../../text/draw/spans.ts";
import { padEnd, widest } from "../../text/draw/width.ts";
import { type Hint, hintLine, type Pages, startFor, windowed } from "../pages/pages.ts";
import type { BoardData, Size } from "../state.ts";
import { isMultiple, type PickerItem, type PickerState, pickerView } from "./items.ts";

const WIDEST = 76;
const MARGIN = 14;
/** Rows above the box. */
const ABOVE = 3;
/** Lines of the box besides the items. */
const FRAME = 6;
const MOST_ITEMS = 12;

/** Draws the list over a screen; on a small terminal, in place of it. */
export function withPicker(
  pages: Pages,
  screen: readonly Line[],
  picker: PickerState,
  data: BoardData,
  size: Size,
): readonly Line[] {
  const { still: page } = pages;
  const hints = hintLine(pages, hintsOf(picker));
  const isSmall = size.columns < 60 || size.rows < 16;
  if (isSmall) {
    const { head, query, items } = partsOf(page, picker, data, size.columns, size.rows - 5);
    const rule: Line = [span(page.marks.box.across.repeat(size.columns), page.tones.edge)];
    const lines = [[span(head, page.tones.bold)], query, rule, ...items];
    const blank = Array.from({ length: size.rows - 1 - lines.length }, (): Line => []);
    return [...lines, ...blank, hints];
  }
  const width = Math.min(WIDEST, size.columns - MARGIN);
  const left = Math.floor((size.columns - width) / 2);
  const rows = Math.min(MOST_ITEMS, size.rows - ABOVE - FRAME - 1);
  const box = boxOf(page, partsOf(page, picker, data, width - 2, rows), width);
  return screen.map((line, index) => {
    if (index === size.rows - 1) return hints;
    const drawn = box[index - ABOVE];
    if (!drawn) return line;
    const before = cutLine(line, left, "");
    return [...before, span(" ".repeat(Math.max(0, left - lineCells(before)))), ...drawn];
  });
}

function hintsOf(picker: PickerState): readonly Hint[] {
  const save: readonly Hint[] = isMultiple(picker)
    ? [
        ["space", "select"],
        ["enter", "save"],
      ]
    : [["enter", "assign"]];
  return [["up down", "move"], ...save, ["esc", "cancel"]];
}

interface Parts {
  readonly head: string;
  readonly query: Line;
  readonly items: readonly Line[];
  readonly foot: string;
}

function partsOf(
  page: Page,
  picker: PickerState,
  data: BoardData,
  width: number,
  rows: number,
): Parts {
  const { items, total } = pickerView(picker, data);
  const { tones, marks } = page;
  const index = Math.min(picker.index, Math.max(0, items.length - 1));
  const names = Math.min(20, widest(items.map(({ name }) => page.safe(name))));
  const drawn = items.map((item, at) => itemLine(page, picker, item, at === index, names, width));
  return {
    head: headOf(picker),
    query: [span(` ${marks.pointer} `, tones.you), span(page.whole(picker.query)), span(" ", "7")],
    items:
      items.length === 0
        ? [[span(" No matches.", tones.dim)]]
        : windowed(page, drawn, rows, startFor([index, index], rows)),
    foot: footOf(picker, items, total),
  };
}

function headOf({ kind, task }: PickerState): string {
  return {
    owner: `Assign ${task.id} to`,
    blockers: `${task.id} is blocked by`,
    labels: `Labels of ${task.id}`,
  }[kind];
}

function footOf(
  { kind, selected }: PickerState,
  items: readonly PickerItem[],
  total: number,
): string {
  const shown = items.filter(({ isNew }) => !isNew).length;
  switch (kind) {
    case "owner":
      return `${counted(shown, "owner")}, type to filter, or a new name`;
    case "blockers":
      return `${shown} of ${counted(total, "task")}, ${selected.length} selected`;
    case "labels":
      return `${shown} of ${counted(total, "label")}, ${selected.length} selected, or type a new one`;
  }
}

function itemLine(
  page: Page,
  picker: PickerState,
  item: PickerItem,
  isCurrent: boolean,
  names: number,
  width: number,
): Line {
  const { tones, marks } = page;
  const pointer = span(isCurrent ? marks.pointer : " ", tones.you);
  const lead = isMultiple(picker)
    ? span(item.refused ? "[!] " : picker.selected.includes(item.value) ? "[x] " : "[ ] ")
    : span(item.agentType === undefined ? "  " : `${marks.agentBar} `, tones.agent(item.agentType));
  const tone = item.refused ? tones.dim : undefined;
  const name = page.cut(page.safe(item.name), names);
  const left = [
    pointer,
    lead,
    span(`${padEnd(name, names)} `, tone),
    span(page.safe(item.detail), tone),
  ];
  return spread(left, [span(`${page.safe(item.note)} `, tones.dim)], width, marks.ellipsis);
}

function boxOf(page: Page, { head, query, items, foot }: Parts, width: number): readonly Line[] {
  const { marks, tones } = page;
  const { corners, across, down } = marks.box;
  const inner = width - 2;
  const edge = (text: string) => span(text, tones.edge);
  const row = (line: Line): Line => {
    const cut = cutLine(line, inner, marks.ellipsis);
    return [edge(down), ...cut, span(" ".repeat(Math.max(0, inner - lineCells(cut)))), edge(down)];
  };
  const title = ` ${head} `;
  const rule: Line = [edge(down), edge(across.repeat(inner)), edge(down)];
  return [
    [
      edge(`${corners[0]}${across}`),
      span(title, tones.bold),
      edge(`${across.repeat(Math.max(0, inner - 1 - title.length))}${corners[1]}`),
    ],
    row(query),
    rule,
    ...items.map(row),
    rule,
    row([span(` ${foot}`, tones.dim)]),
    [edge(`${corners[2]}${across.repeat(inner)}${corners[3]}`)],
  ];
}
