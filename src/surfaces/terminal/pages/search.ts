import { counted } from "../../../core/text/count.ts";
import { choicesOf, NO_FILTERS } from "../../../core/views/find/filters.ts";
import { agentLook } from "../../text/agents.ts";
import { evidenceTone, markOf } from "../../text/draw/marks.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, lineCells, type Span, span, spread } from "../../text/draw/spans.ts";
import { padEnd } from "../../text/draw/width.ts";
import { taskMark, taskStateLabel, taskTone } from "../../text/tasks/labels.ts";
import { filterLabel } from "../find/chip-line.ts";
import {
  type Hit,
  type Hits,
  hitIndexOf,
  hitsOf,
  type Suggestion,
  suggestionOf,
} from "../find/hits.ts";
import { markedSpans } from "../find/marked.ts";
import { parseQuery } from "../find/query.ts";
import { isNarrowed, shownOf } from "../find/shown.ts";
import { isSmall } from "../overview.ts";
import { resultColumns, resultLine, rowLines } from "../rows.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardData, BoardState, Size } from "../state.ts";
import { rowOf } from "../tasks-lines.ts";
import { noResultLines } from "./no-results.ts";
import {
  type Hint,
  highlighted,
  type Pages,
  startFor,
  toneOf,
  windowed,
  windowedKeys,
} from "./pages.ts";

/** The filter line with its results: sessions, todos, tasks. */
export function searchParts(
  pages: Pages,
  data: BoardData,
  state: BoardState,
  size: Size,
): ScreenParts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const small = isSmall(size);
  const hits = hitsOf(data, state);
  const isEmpty = hits.all.length === 0;
  const instead = isEmpty ? suggestionOf(data, state) : undefined;
  const field = [span("/ ", tones.you), span(page.whole(state.search)), span(" ", "7")];
  const top = [
    spread(field, [span(countLabel(page, hits, small), tones.dim)], width, marks.ellipsis),
    ...(small ? [] : [narrowLine(page, state, hits)]),
  ];
  const drawn = (available: number) => {
    const { lines, keys, focus } = resultLines(pages, state, hits, small, available);
    const start = startFor(focus, available);
    return {
      lines: windowed(page, lines, available, start),
      keys: windowedKeys(keys, available, start),
    };
  };
  return {
    top,
    body: (available) =>
      isEmpty ? noResultLines(page, data, state, instead) : drawn(available).lines,
    bottom: bottomLines(pages, state, hintsOf(data, state, isEmpty, instead)),
    targets: (available) => (isEmpty ? [] : drawn(available).keys),
  };
}

function hintsOf(
  data: BoardData,
  state: BoardState,
  isEmpty: boolean,
  instead: Suggestion | undefined,
): readonly Hint[] {
  const { older } = shownOf(data.board, state, data.now);
  const first: readonly Hint[] = isEmpty
    ? instead
      ? [["tab", "use suggestion"]]
      : []
    : [
        ["enter", "open"],
        ["up down", "move"],
        ["tab", "keep as chip"],
      ];
  return [
    ["esc", "clear"],
    ...first,
    ...(older > 0 || state.older
      ? [["ctrl+a", state.older ? "only today" : "older"] as const]
      : []),
    ["?", "help"],
  ];
}

/** `2 of 12 sessions · 2 todos · 2 tasks` */
function countLabel(page: Page, { sessions, todos, tasks, total }: Hits, small: boolean): string {
  const count = `${sessions.length} of ${total}`;
  if (small) return count;
  return [
    `${count} ${total === 1 ? "session" : "sessions"}`,
    ...(todos.length > 0 ? [counted(todos.length, "todo")] : []),
    ...(tasks.length > 0 ? [counted(tasks.length, "task")] : []),
  ].join(` ${page.marks.separator} `);
}

/** The chips that apply, and what would narrow the results. */
function narrowLine(page: Page, state: BoardState, hits: Hits): Line {
  const { tones, marks, width } = page;
  const kept = isNarrowed(state) ? [filterLabel(state)] : [];
  const chips = [...(state.older ? [] : ["today"]), ...kept].map((label) =>
    span(` ${page.safe(label)} ${marks.remove} `, tones.chipOn),
  );
  const rows = hits.sessions.map(({ row }) => row);
  const board = { groups: [{ group: "working" as const, rows }] };
  const narrower = (["agent", "project", "state"] as const).flatMap((name) => {
    const states = ["stuck", "unproven", "needs you"] as const;
    const [choice] = choicesOf(board, NO_FILTERS, name, states).filter(
      ({ count }) => count > 0 && count < rows.length,
    );
    if (!choice) return [];
    const { value } = choice;
    if (name === "agent") return [`@${agentLook(value).code || value}`];
    return [name === "project" ? `#${value}` : `is:${value.replaceAll(" ", "-")}`];
  });
  const text = narrower.filter((part) => !/\s/.test(part) && !state.search.includes(part));
  const left: Span[] = chips.flatMap((chip) => [span(" "), chip]);
  const help =
    text.length === 0
      ? []
      : [
          span(`  ${page.safe(text.join("  "))}`, tones.dim),
          span("  narrow it further", tones.dim),
        ];
  return spread([...left, ...help], [], width, marks.ellipsis);
}

interface ResultLines {
  readonly lines: readonly Line[];
  readonly keys: readonly (string | undefined)[];
  readonly focus: readonly [number, number];
}

function resultLines(
  pages: Pages,
  state: BoardState,
  hits: Hits,
  small: boolean,
  available: number,
): ResultLines {
  const { still: page } = pages;
  const { tones } = page;
  const { words } = parseQuery(state.search);
  const selected = hitIndexOf(hits, state);
  const lines: Line[] = [];
  const keys: (string | undefined)[] = [];
  let focus: readonly [number, number] = [0, 0];
  let index = 0;
  const near = hits.sessions.slice(Math.max(0, selected - available), selected + available);
  const columns = resultColumns(
    pages,
    near.map(({ row }) => row),
  );
  const draw = (hit: Hit, isSelected: boolean): Line => {
    if (hit.kind !== "session") return itemLine(page, hit, words, isSelected, small);
    const options = { selected: isSelected, words };
    if (!small) return resultLine(pages, hit.row, columns, options);
    return rowLines(pages, hit.row, columns, "line", options)[0] ?? [];
  };
  const put = (heading: string, some: readonly Hit[]) => {
    if (some.length === 0) return;
    if (!small) {
      if (lines.length > 0) lines.push([]);
      lines.push([span(`  ${heading}`, tones.dim)]);
      while (keys.length < lines.length) keys.push(undefined);
    }
    for (const hit of some) {
      const isSelected = index === selected;
      if (isSelected) focus = [Math.max(0, lines.length - 1), lines.length];
      // Rows far away are not drawn: there may be thousands.
      lines.push(Math.abs(index - selected) > available ? [] : draw(hit, isSelected));
      keys.push(hit.key);
      index++;
    }
  };
  put("SESSIONS", hits.sessions);
  const hidden = hits.total - hits.sessions.length;
  if (hidden > 0 && !small && hits.sessions.length > 0) {
    lines.push([span(`     ${counted(hidden, "session")} hidden`, tones.dim)]);
    keys.push(undefined);
  }
  put("TODOS", hits.todos);
  put("TASKS", hits.tasks);
  return { lines, keys, focus };
}

/** A todo, note, plan or task on one line. */
function itemLine(
  page: Page,
  hit: Exclude<Hit, { kind: "session" }>,
  words: readonly string[],
  isSelected: boolean,
  small: boolean,
): Line {
  const { tones, marks, width } = page;
  const pointer = span(isSelected ? marks.pointer : " ", tones.you);
  const lead = [span(" "), pointer, span(small ? " " : "   ")];
  const [mark, text, end] = hit.kind === "task" ? taskSpans(page, hit) : todoSpans(page, hit);
  const marked = markedSpans(
    page.safe(text),
    words,
    isSelected ? tones.bold : undefined,
    tones.match,
  );
  const right = small || lineCells(end) > width / 2 ? [] : end;
  const line = spread([...lead, mark, ...marked], right, width, marks.ellipsis);
  return isSelected ? highlighted(page, line, width) : line;
}

type ItemSpans = readonly [mark: Span, text: string, end: Line];

function taskSpans(page: Page, { card }: Extract<Hit, { kind: "task" }>): ItemSpans {
  const { tones } = page;
  const row = rowOf(card);
  const state = `${taskMark(page, row)} ${taskStateLabel(page, row)}`;
  return [
    span(`${row.id}  `, tones.you),
    row.subject,
    [
      span(state, taskTone(page, row) ?? tones.dim),
      span(` ${page.marks.separator} P${row.priority}`, tones.dim),
    ],
  ];
}

function todoSpans(page: Page, { hit }: Extract<Hit, { kind: "todo" }>): ItemSpans {
  const { tones, marks } = page;
  const { row, kind, todo, text } = hit;
  const width = marks.todoCells + 1;
  const mark =
    kind === "note"
      ? span(padEnd(marks.noteEdge, width), tones.edge)
      : kind === "plan"
        ? span(padEnd(marks.needsYou, width), tones.you)
        : todo
          ? span(padEnd(markOf(marks, todo), width), evidenceTone(tones, todo) ?? tones.dim)
          : span(" ".repeat(width));
  const { code } = agentLook(row.track.agentType);
  const label = kind === "todo" ? "" : `${kind} `;
  return [
    mark,
    text,
    [
      span(label, tones.dim),
      span(code ? `${page.safe(code)} ` : "", toneOf(page, row)),
      span(page.safe(row.title), tones.dim),
    ],
  ];
}
