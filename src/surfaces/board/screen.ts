import { type Board, type BoardRow, needsYou } from "../../core/board.ts";
import { hitsOf } from "../../core/board-search.ts";
import { viewOf } from "../../core/view.ts";
import { agentLook } from "../text/agents.ts";
import { momentOf } from "../text/duration.ts";
import { cutLine, type Line, type Span, span, spread } from "../text/spans.ts";
import { emptyLines } from "./empty-page.ts";
import { helpLines } from "./help-page.ts";
import { type Arrangement, arrange, isSmall, overviewLines } from "./overview.ts";
import {
  type BoardOptions,
  beside,
  hintLine,
  type Pages,
  pagesOf,
  startFor,
  windowed,
} from "./pages.ts";
import { planBody, planHeader } from "./plan-page.ts";
import { searchLines } from "./search-page.ts";
import { type BoardState, findRow, itemOf, rowsOf, type Size, type World } from "./state.ts";
import { taskCards, tasksBody, tasksHead } from "./tasks-page.ts";
import { pastStrip, trackBody, trackHeader } from "./track-page.ts";

const LEAST: Size = { columns: 40, rows: 10 };
/** From here on there is room for the list of the selected track beside the others. */
const WIDE = 110;

/** Every row of the terminal. */
export function screenLines(
  world: World,
  state: BoardState,
  size: Size,
  options: Omit<BoardOptions, "width" | "now">,
): readonly Line[] {
  const { columns, rows } = size;
  const pages = pagesOf({ ...options, width: columns, now: world.now }, world.frame);
  const { ellipsis } = pages.still.marks;
  const fitted = (lines: readonly Line[]) =>
    lines.slice(0, rows).map((line) => cutLine(line, columns, ellipsis));
  if (columns < LEAST.columns || rows < LEAST.rows) return fitted(tooSmall(size));
  const { top, body, bottom } = partsOf(pages, world, state, size);
  const room = rows - top.length - bottom.length;
  const shown = body(room).slice(0, room);
  const blank: readonly Line[] = Array.from({ length: room - shown.length }, () => []);
  return fitted([...top, ...shown, ...blank, ...bottom]);
}

function tooSmall({ columns, rows }: Size): readonly Line[] {
  return [
    [span("waymark: too small")],
    [span(`needs ${LEAST.columns}x${LEAST.rows}`)],
    [span(`this is ${columns}x${rows}`)],
  ];
}

interface Parts {
  readonly top: readonly Line[];
  readonly body: (room: number) => readonly Line[];
  readonly bottom: readonly Line[];
}

function partsOf(pages: Pages, world: World, state: BoardState, size: Size): Parts {
  const row = findRow(rowsOf(world.board), state.selected);
  switch (state.place) {
    case "help":
      return helpParts(pages, state);
    case "tasks":
      return tasksParts(pages, world, state, size);
    case "search":
      return searchParts(pages, world, state);
    case "plan":
      if (row?.plan) return planParts(pages, row, state);
      return row ? trackParts(pages, row, state, size) : overviewParts(pages, world, state, size);
    case "history":
      if (row && world.past?.key === row.key) return historyParts(pages, world, row, state);
      return row ? trackParts(pages, row, state, size) : overviewParts(pages, world, state, size);
    case "track":
      return row ? trackParts(pages, row, state, size) : overviewParts(pages, world, state, size);
    case "tracks":
      return overviewParts(pages, world, state, size);
  }
}

function bottomOf(
  pages: Pages,
  state: BoardState,
  hints: Parameters<typeof hintLine>[1],
): readonly Line[] {
  const { still: page } = pages;
  const { tones, marks } = page;
  if (state.field) {
    const words = { add: "add", note: "note", comment: "comment", reject: "reject, because" };
    // What is being written shows its end.
    const text = page.whole(state.field.text);
    const lead = ` ${words[state.field.kind]} ${marks.pointer} `;
    return [
      [span(lead, tones.you), span(tail(text, page.width - lead.length - 2)), span(" ", "7")],
    ];
  }
  if (state.said !== undefined) return [[span(` ${page.safe(state.said)}`, tones.you)]];
  return [hintLine(page, hints)];
}

function tail(text: string, room: number): string {
  const letters = Array.from(text);
  return letters.slice(Math.max(0, letters.length - Math.max(1, Math.floor(room / 2)))).length ===
    letters.length
    ? text
    : letters.slice(-Math.max(1, Math.floor(room / 2))).join("");
}

export function arrangementFor(
  world: Pick<World, "board">,
  state: BoardState,
  size: Size,
): Arrangement {
  return arrange(world.board, state, size, size.rows - (size.rows < 16 ? 2 : 3));
}

/** `working, Codex`; nothing where everybody is shown. */
function filterWords({ only, agentType }: BoardState): string {
  const agent = agentType === undefined ? undefined : agentLook(agentType).name || "without a name";
  return [only, agent].filter(Boolean).join(", ");
}

function headLine(pages: Pages, { board, now, reading, address }: World, state: BoardState): Line {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const dot = span(` ${marks.separator} `, tones.dim);
  const parts = headParts(board, page.tones, width < 60).map(([text, tone]) => [span(text, tone)]);
  const none = reading ? "reading sessions" : "watching for agents";
  const words = parts.length === 0 ? [[span(none, tones.dim)]] : parts;
  const clock = momentOf(now, page.options.timeZone)?.clock ?? "";
  const only = filterWords(state);
  const filter: Span[] = only === "" ? [] : [span(`  only ${page.safe(only)}`, tones.you)];
  const left: Line = [
    span(marks.blaze, tones.you),
    span("waymark", tones.bold),
    span(width < 60 ? "  " : "   "),
    ...words
      .slice(0, width < 60 ? 2 : 4)
      .flatMap((each, place) => (place === 0 ? each : [dot, ...each])),
    ...filter,
  ];
  const right = [
    span(reading && parts.length > 0 && width >= 80 ? "reading  " : "", tones.dim),
    span(address !== undefined && width >= WIDE ? `${address}  ` : "", tones.dim),
    span(clock, tones.dim),
  ];
  return spread(left, right, width, marks.ellipsis);
}

function headParts({ counts, stuck }: Board, tones: Pages["still"]["tones"], short: boolean) {
  const parts: (readonly [string, string | undefined])[] = [];
  const yours = counts["needs you"];
  if (yours > 0) parts.push([`${yours} ${yours === 1 ? "needs" : "need"} you`, tones.you]);
  if (counts.working > 0)
    parts.push([
      `${counts.working} working${stuck > 0 && !short ? `, ${stuck} stuck` : ""}`,
      stuck > 0 ? tones.watch : undefined,
    ]);
  if (counts.idle > 0) parts.push([`${counts.idle} idle`, tones.dim]);
  if (counts.finished > 0) parts.push([`${counts.finished} finished`, tones.dim]);
  return parts;
}

const HINTS = [
  ["/", "search"],
  ["f", "filter"],
  ["t", "tasks"],
  ["e", "edit"],
  ["ctrl+t", "more"],
  ["?", "help"],
  ["q", "quit"],
] as const;

function overviewParts(pages: Pages, world: World, state: BoardState, size: Size): Parts {
  const { still: page } = pages;
  const { board } = world;
  const wide = size.columns >= WIDE;
  const rule = span(page.marks.box.across.repeat(size.columns), page.tones.edge);
  const top = [headLine(pages, world, state), ...(size.rows < 16 ? [] : wide ? [[rule]] : [[]])];
  if (board.groups.length === 0) {
    const filtered = filterWords(state);
    const lines =
      filtered !== ""
        ? [[span(`  Nobody is left with only ${page.safe(filtered)}. esc shows the others.`)]]
        : world.reading
          ? []
          : emptyLines(page, world.agents ?? [], board.older);
    return {
      top: [...top, ...(wide ? [[]] : [])],
      body: () => lines,
      bottom: bottomOf(pages, state, [
        ["d", "demo"],
        ["t", "tasks"],
        ["?", "help"],
        ["q", "quit"],
      ]),
    };
  }
  const row = findRow(rowsOf(board), state.selected);
  const decide =
    row && needsYou(row) && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
        ] as const)
      : [];
  const bottom = bottomOf(pages, state, [["enter", "open"], ...decide, ...HINTS]);
  const leftWidth = wide ? Math.max(70, Math.floor(size.columns * 0.62)) : size.columns;
  const left = wide ? pages.sized(leftWidth - 1) : pages;
  const arrangement = arrangementFor(world, state, { ...size, columns: leftWidth });
  const body = (room: number): readonly Line[] => {
    const { lines, focus } = overviewLines(
      left,
      arrangement,
      state.selected,
      { ...size, columns: leftWidth },
      room,
    );
    const shown = windowed(left.still, lines, room, startFor(focus, room));
    if (!wide) return shown;
    const right = pages.sized(size.columns - leftWidth - 2);
    const beginning = row ? preview(right, row, room) : [];
    return beside(page, shown, beginning, leftWidth, room);
  };
  return { top, body, bottom };
}

function preview(pages: Pages, row: BoardRow, room: number): readonly Line[] {
  const header = trackHeader(pages, row);
  const { lines, focus } = trackBody(pages, row, { item: undefined, fold: false, rest: true });
  const space = room - header.length - 1;
  const body =
    lines.length <= space
      ? lines
      : trackBody(pages, row, { item: undefined, fold: true, rest: true }).lines;
  return [...header, [], ...windowed(pages.still, body, space, startFor(focus, space))];
}

function trackParts(pages: Pages, row: BoardRow, state: BoardState, size: Size): Parts {
  const small = size.rows < 16;
  const item = itemOf(row, state)?.item;
  const whole = trackBody(pages, row, { item, fold: false, rest: state.more || !small });
  const body = (room: number): readonly Line[] => {
    const { lines, focus } =
      whole.lines.length <= room || state.more
        ? whole
        : trackBody(pages, row, { item, fold: true, rest: !small });
    return windowed(pages.still, lines, room, startFor(focus, room));
  };
  const decide =
    needsYou(row) && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
        ] as const)
      : [];
  const own = row.hosted
    ? ([
        ["e", "edit"],
        ["space", "finish"],
        ["n", "add"],
        ["x", "drop"],
      ] as const)
    : [];
  const plan = row.plan ? ([["p", "plan"]] as const) : [];
  return {
    top: [...trackHeader(pages, row), ...(small ? [] : [[]])],
    body,
    bottom: bottomOf(pages, state, [
      ["esc", "back"],
      ...decide,
      ...own,
      ...plan,
      ["h", "history"],
      ["ctrl+t", state.more ? "less" : "more"],
      ["?", "help"],
    ]),
  };
}

function planParts(pages: Pages, row: BoardRow, state: BoardState): Parts {
  const { plan } = row;
  if (!plan) return { top: [], body: () => [], bottom: [] };
  const waits = plan.state === "proposed";
  const decide =
    waits && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
          ["c", "comment"],
        ] as const)
      : [];
  return {
    top: [...planHeader(pages, row, plan), []],
    body: (room) => windowed(pages.still, planBody(pages, row, plan), room, state.scroll),
    bottom: bottomOf(pages, state, [
      ...decide,
      ["esc", waits ? "decide later" : "back"],
      ["?", "help"],
    ]),
  };
}

function historyParts(pages: Pages, world: World, row: BoardRow, state: BoardState): Parts {
  const { past } = world;
  if (!past) return { top: [], body: () => [], bottom: [] };
  const then: BoardRow = {
    ...row,
    track: past.track,
    view: viewOf(past.track, past.at, -1),
    state: "idle",
    findings: [],
    children: [],
  };
  const { activity: _, ...still } = then;
  return {
    top: [...trackHeader(pages, still, true), pastStrip(pages.still, past)],
    body: (room) => {
      const { lines, focus } = trackBody(pages, still, {
        item: undefined,
        fold: false,
        rest: false,
      });
      return windowed(pages.still, lines, room, startFor(focus, room));
    },
    bottom: bottomOf(pages, state, [
      ["[", "back"],
      ["]", "forward"],
      ["esc", "back to now"],
      ["?", "help"],
    ]),
  };
}

function searchParts(pages: Pages, world: World, state: BoardState): Parts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const rows = rowsOf(world.board);
  const hits = hitsOf(rows, state.search);
  const places = new Set(hits.map(({ row }) => row.key)).size;
  const count =
    state.search.trim() === "" ? "" : `${hits.length} in ${places} track${places === 1 ? "" : "s"}`;
  const field = [span("/ ", tones.you), span(page.whole(state.search)), span(" ", "7")];
  const none: readonly Line[] =
    hits.length > 0 || state.search.trim() === ""
      ? []
      : [[span(`  Nothing for “${page.safe(state.search)}” in ${rows.length} tracks.`, tones.dim)]];
  return {
    top: [spread(field, [span(count, tones.dim)], width, marks.ellipsis)],
    body: (room) => {
      const { lines, focus } = searchLines(pages, hits, state.hit);
      return hits.length === 0 ? none : windowed(page, lines, room, startFor(focus, room));
    },
    bottom: [
      hintLine(page, [
        ["enter", "open"],
        ["up down", "move"],
        ["esc", "close"],
      ]),
    ],
  };
}

function helpParts(pages: Pages, state: BoardState): Parts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  return {
    top: [
      spread(
        [span("Keys", tones.bold)],
        [span("? or esc closes", tones.dim)],
        width,
        marks.ellipsis,
      ),
      ...(width < 70 ? [] : [[]]),
    ],
    body: (room) => windowed(page, helpLines(page), room, state.scroll),
    bottom: [
      hintLine(page, [
        ["esc", "close"],
        ["j k", "scroll"],
      ]),
    ],
  };
}

function tasksParts(pages: Pages, world: World, state: BoardState, size: Size): Parts {
  const { still: page } = pages;
  const { tasks } = world;
  const small = isSmall(size);
  const isEmpty = !tasks || taskCards(tasks, true).length === 0;
  const keys = [
    ...(isEmpty ? [] : ([["enter", state.taskIsOpen ? "close" : "open"]] as const)),
    ["t", "tracks"],
    ["ctrl+t", state.more ? "less" : "more"],
    ["?", "help"],
    ["q", "quit"],
  ] as const;
  return {
    top: [tasksHead(pages, tasks, world.now), ...(small ? [] : [[]])],
    body: (room) => {
      if (!tasks || isEmpty) return noTasks(page);
      const { lines, focus } = tasksBody(pages, tasks, state, small, room);
      return windowed(page, lines, room, startFor(focus, room));
    },
    bottom: bottomOf(pages, state, keys),
  };
}

function noTasks({ tones }: Pages["still"]): readonly Line[] {
  return [
    [span("  No task yet.")],
    [
      span(
        "  Tasks are work that agents share: one takes a task, the others see it is taken.",
        tones.dim,
      ),
    ],
    [
      span(
        "  They come from waymark task, from an agent's own task tools, or from a plan.",
        tones.dim,
      ),
    ],
  ];
}
