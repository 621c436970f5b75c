import {
  type EvidenceState,
  evidenceStates,
  stateFacts,
} from "../../core/checks/evidence-state.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import type { BoardRow } from "../../core/views/board.ts";
import type { Page } from "../text/draw/page.ts";
import { type Line, type Span, span, spread } from "../text/draw/spans.ts";
import { padEnd, wrap } from "../text/draw/width.ts";
import { agentBarOf } from "./pages/pages.ts";
import { stateOf } from "./row-state.ts";
import { type BoardData, rowsOf } from "./state.ts";

const SHOWN = 12;

/** The summary that stays in the scrollback when the board is closed. */
export function summaryLines(page: Page, data: BoardData): readonly Line[] {
  const { board, now, since, demo, program = "waymark" } = data;
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
      span(marks.agentBar, tones.you),
      span("waymark", tones.bold),
      span(`   ${demo ? "demo, " : ""}watched ${formatDuration(now - since)}, ${count}`, tones.dim),
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

function paragraph({ tones, width }: Page, text: string): readonly Line[] {
  return wrap(text, width - 2).map((line) => [span(`  ${line}`, tones.dim)]);
}

function afterwards(page: Page, waits: number): readonly Line[] {
  const waiting =
    waits > 0 ? ` ${waits} session${waits === 1 ? " is" : "s are"} waiting for you.` : "";
  return paragraph(page, `Your agents keep running.${waiting}`);
}

/** The next commands, each on its own line so that it can be copied. */
function afterDemo(page: Page, program: string): readonly Line[] {
  const { tones } = page;
  const command = (text: string): Line => [span(`  ${text}`, tones.bold)];
  return [
    ...paragraph(page, "That was a recording; nothing was saved. To use your own agents:"),
    command(`${program} setup`),
    command(program),
    ...(program === "waymark" ? [] : paragraph(page, "npm link puts waymark on your path.")),
  ];
}

/** The evidence of a list: ` verified` if it covers every completed todo, else how many are proven. */
function evidenceOf({ track, view: { progress } }: BoardRow): string {
  const counts = evidenceStates(track.todos);
  const [only, ...others] = Object.keys(counts) as EvidenceState[];
  if (others.length === 0 && (only === "verified" || only === "reproduced")) return ` ${only}`;
  if (others.length === 0 && only === "unverified") return ", unverified";
  if (counts.reproduced && counts.verified) return `, ${progress.verified} proven`;
  return `, ${stateFacts(counts)[0]}`;
}

function rowLine(page: Page, row: BoardRow): Line {
  const { tones, marks, width } = page;
  const { completed, total } = row.view.progress;
  const mark = markOfRow(page, row);
  const evidence = completed === 0 ? "" : evidenceOf(row);
  const count = row.view.rows.length === 0 ? "no todos" : `${completed} of ${total}${evidence}`;
  const { label } = stateOf(page, row);
  const summary = [count, label].filter(Boolean).join(", ");
  const left = [agentBarOf(page, row), span(" "), mark, span(page.safe(row.title))];
  return spread(left, [span(summary, tones.dim)], width, marks.ellipsis);
}

function markOfRow(page: Page, row: BoardRow): Span {
  const state = stateOf(page, row);
  const tone = state.tone === page.tones.pill ? page.tones.you : state.tone;
  return span(padEnd(state.mark || page.marks.todo.pending, page.marks.todoCells + 1), tone);
}
