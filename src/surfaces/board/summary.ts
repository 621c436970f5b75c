import type { BoardRow } from "../../core/board.ts";
import { duration } from "../text/duration.ts";
import type { Page } from "../text/page.ts";
import { type Line, type Span, span, spread } from "../text/spans.ts";
import { padEnd } from "../text/width.ts";
import { blazeOf } from "./pages.ts";
import { stateOf } from "./row-state.ts";
import { rowsOf, type World } from "./state.ts";

const SHOWN = 12;

/** What stays in the scrollback when the board is left. */
export function summaryLines(page: Page, { board, now, since }: World): readonly Line[] {
  const { tones, marks, width } = page;
  const rows = rowsOf(board);
  const shown = [
    ...rows.filter(({ group }) => group === "finished"),
    ...rows.filter(({ group }) => group !== "finished"),
  ];
  const count = `${rows.length} track${rows.length === 1 ? "" : "s"}`;
  const from = page.time(since) ?? "";
  const until = page.time(now) ?? "";
  const more = shown.length - SHOWN;
  const plans = rows.filter(({ group, hosted }) => group === "needs you" && hosted).length;
  const head = spread(
    [
      span(marks.blaze, tones.you),
      span("waymark", tones.bold),
      span(`   watched ${duration(now - since)}, ${count}`, tones.dim),
    ],
    [span(from === until ? until : `${from} to ${until}`, tones.dim)],
    width,
    marks.ellipsis,
  );
  return [
    head,
    ...(rows.length > 0 ? [[]] : []),
    ...shown.slice(0, SHOWN).map((row) => rowLine(page, row)),
    ...(more > 0 ? [[span(`  and ${more} more: waymark ls`, tones.dim)]] : []),
    [],
    [
      span(
        plans > 0
          ? `  Agents go on without the board. ${plans} plan${plans === 1 ? " waits" : "s wait"} for you.`
          : "  Agents go on without the board.",
        tones.dim,
      ),
    ],
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
