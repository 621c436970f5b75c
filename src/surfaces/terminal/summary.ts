import { counted } from "../../core/text/count.ts";
import { duration } from "../../core/text/duration.ts";
import type { BoardRow } from "../../core/views/board.ts";
import type { Page } from "../text/draw/page.ts";
import { type Line, type Span, span, spread } from "../text/draw/spans.ts";
import { padEnd, wrap } from "../text/draw/width.ts";
import { blazeOf } from "./pages/pages.ts";
import { stateOf } from "./row-state.ts";
import { rowsOf, type World } from "./state.ts";

const SHOWN = 12;

/** What stays in the scrollback when the board is left. */
export function summaryLines(page: Page, world: World): readonly Line[] {
  const { board, now, since, demo, program = "waymark" } = world;
  const { tones, marks, width } = page;
  const rows = rowsOf(board);
  const shown = [
    ...rows.filter(({ group }) => group === "finished"),
    ...rows.filter(({ group }) => group !== "finished"),
  ];
  const count = `${counted(rows.length, "session")}`;
  const from = page.time(since) ?? "";
  const until = page.time(now) ?? "";
  const more = shown.length - SHOWN;
  const head = spread(
    [
      span(marks.blaze, tones.you),
      span("waymark", tones.bold),
      span(`   ${demo ? "demo, " : ""}watched ${duration(now - since)}, ${count}`, tones.dim),
    ],
    width < 60 ? [] : [span(from === until ? until : `${from} to ${until}`, tones.dim)],
    width,
    marks.ellipsis,
  );
  return [
    head,
    ...(rows.length > 0 ? [[]] : []),
    ...shown.slice(0, SHOWN).map((row) => rowLine(page, row)),
    ...(more > 0 ? [[span(`  and ${more} more${demo ? "" : `: ${program} ls`}`, tones.dim)]] : []),
    [],
    ...(demo ? afterDemo(page, program) : afterwards(page, board.counts["needs you"])),
  ];
}

/** Sentences on as many lines as they need. */
function told({ tones, width }: Page, words: string): readonly Line[] {
  return wrap(words, width - 2).map((line) => [span(`  ${line}`, tones.dim)]);
}

function afterwards(page: Page, waits: number): readonly Line[] {
  const waiting =
    waits > 0 ? ` ${waits} session${waits === 1 ? " is" : "s are"} waiting for you.` : "";
  return told(page, `Your agents keep running.${waiting}`);
}

/** What to run next, each command on a line of its own so that it can be copied. */
function afterDemo(page: Page, program: string): readonly Line[] {
  const { tones } = page;
  const command = (text: string): Line => [span(`  ${text}`, tones.bold)];
  return [
    ...told(page, "That was a recording; nothing was kept. With your own agents:"),
    command(`${program} setup`),
    command(program),
    ...(program === "waymark" ? [] : told(page, "npm link puts waymark on your path.")),
  ];
}

function rowLine(page: Page, row: BoardRow): Line {
  const { tones, marks, width } = page;
  const { completed, total, verified } = row.view.progress;
  const mark = markOfRow(page, row);
  const proof =
    completed === 0
      ? ""
      : verified === completed
        ? " verified"
        : verified > 0
          ? `, ${verified} verified`
          : ", only claimed";
  const count = row.view.rows.length === 0 ? "no list" : `${completed} of ${total}${proof}`;
  const { word } = stateOf(page, row);
  const words =
    word === "plan waits" ? "plan waits for you" : [count, word].filter(Boolean).join(", ");
  const left = [blazeOf(page, row), span(" "), mark, span(page.safe(row.title))];
  return spread(left, [span(words, tones.dim)], width, marks.ellipsis);
}

function markOfRow(page: Page, row: BoardRow): Span {
  const state = stateOf(page, row);
  const tone = state.tone === page.tones.pill ? page.tones.you : state.tone;
  return span(padEnd(state.mark || page.marks.todo.pending, page.marks.todoCells + 1), tone);
}
