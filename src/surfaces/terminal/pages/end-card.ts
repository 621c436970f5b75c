import { formatDuration } from "../../../core/text/duration.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, lineCells, span } from "../../text/draw/spans.ts";
import { padEnd, widest, wrap } from "../../text/draw/width.ts";
import { type BoardData, rowsOf, type Size } from "../state.ts";

/** Minimum size of the terminal for a box around the card. */
const BOXED: Size = { columns: 64, rows: 20 };
const CARD = 70;
/** `waymark setup` lists the others. */
const MAX_COMMANDS = 2;

/** Shown after the demo: its statistics, and the commands to set up the user's own agents. */
export function endCardLines(
  page: Page,
  data: BoardData,
  size: Size,
  available: number,
): readonly Line[] {
  const isBoxed = size.columns >= BOXED.columns && size.rows >= BOXED.rows;
  if (!isBoxed) {
    const lines = cardLines(page, data, size.columns - 1, true);
    // Blank lines are dropped first.
    const spare = Math.max(0, lines.length + 1 - available);
    return [[], ...withoutBlanks(lines, spare)]
      .map((line) => [span(" "), ...line])
      .slice(0, available);
  }
  const width = Math.min(CARD, size.columns - 8);
  const inner = width - 4;
  const box = boxed(page, [[], ...cardLines(page, data, inner, false), []], width);
  const left = " ".repeat(Math.floor((size.columns - width - 2) / 2));
  const above = Math.max(0, Math.floor((available - box.length) / 3));
  return [
    ...Array.from({ length: above }, (): Line => []),
    ...box.map((line) => [span(left), ...line]),
  ];
}

function cardLines(page: Page, data: BoardData, width: number, isShort: boolean): readonly Line[] {
  const { tones, marks } = page;
  const { program = "waymark", agents } = data;
  const title = "The demo is over.";
  const commands = commandsOf(data);
  const column = widest(commands.map(([command]) => command)) + 3;
  const hasRoom = commands.every(([, does]) => column + does.length <= width);
  return [
    isShort
      ? [span(`${title} Next:`, tones.bold)]
      : [span(`${title}  `, tones.bold), span(statistics(data), tones.dim)],
    [],
    ...(isShort ? [] : [[span("Now with your own agents:")], []]),
    // Commands are wrapped, never cut.
    ...commands.flatMap(([command, does]): readonly Line[] =>
      hasRoom
        ? [[span(padEnd(command, column), tones.bold), span(does, tones.dim)]]
        : wrap(command, width).map((line) => [span(line, tones.bold)]),
    ),
    ...(agents
      ? [[], ...wrap(page.safe(foundLabel(data)), width).map((line) => [span(line, tones.dim)])]
      : []),
    ...(program === "waymark"
      ? []
      : [[], [span("npm link", tones.bold), span(" puts waymark on your path.", tones.dim)]]),
  ].map((line) => cutLine(line, width, marks.ellipsis));
}

function commandsOf({ agents = [], program = "waymark" }: BoardData): readonly [string, string][] {
  const off = agents.filter(({ found, list }) => found && list === "off");
  const setup = off
    .filter(({ command }) => command !== null)
    .slice(0, MAX_COMMANDS)
    .map(({ command, name }): [string, string] => [command ?? "", `give ${name} a todo list`]);
  return [
    ...(setup.length > 0 ? setup : [[`${program} setup`, "set up an agent"] as [string, string]]),
    [program, "your agents appear here"],
  ];
}

function foundLabel({ agents = [] }: BoardData): string {
  const found = agents.filter((agent) => agent.found);
  if (found.length === 0) return "No agents found on this machine.";
  const names = (all: typeof found) => all.map(({ name }) => name).join(", ");
  const off = found.filter(({ list }) => list === "off");
  const others = found.filter(({ list }) => list !== "off");
  return `Found here: ${[
    ...(off.length > 0 ? [`${names(off)} (todo list off)`] : []),
    ...(others.length > 0 ? [names(others)] : []),
  ].join(", ")}.`;
}

/** `1m 4s, 4 agents, 18 todos, 11 verified` */
function statistics({ board, demo }: BoardData): string {
  const rows = rowsOf(board);
  const sum = (count: (row: BoardRow) => number): number => {
    const all = (some: readonly BoardRow[]): number =>
      some.reduce((total, row) => total + count(row) + all(row.children), 0);
    return all(rows);
  };
  const verified = sum(({ view }) => view.progress.verified);
  return [
    formatDuration(demo?.length ?? 0),
    `${rows.length} agents`,
    `${sum(({ view }) => view.progress.total)} todos`,
    `${verified} proven`,
  ].join(", ");
}

function boxed({ marks, tones }: Page, lines: readonly Line[], width: number): readonly Line[] {
  const { corners, across, down } = marks.box;
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  const edge = (left: string, right: string): Line => [
    span(`${left}${across.repeat(width - 2)}${right}`, tones.edge),
  ];
  return [
    edge(topLeft, topRight),
    ...lines.map((line) => [
      span(`${down} `, tones.edge),
      ...line,
      span(" ".repeat(Math.max(0, width - 4 - lineCells(line)))),
      span(` ${down}`, tones.edge),
    ]),
    edge(bottomLeft, bottomRight),
  ];
}

function withoutBlanks(lines: readonly Line[], count: number): readonly Line[] {
  let left = count;
  return lines.filter((line) => line.length > 0 || left-- <= 0);
}
