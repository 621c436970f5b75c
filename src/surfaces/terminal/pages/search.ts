import { counted } from "../../../core/text/count.ts";
import { formatDuration } from "../../../core/text/duration.ts";
import { type SearchHit, searchBoard } from "../../../core/views/search.ts";
import { agentLook } from "../../text/agents.ts";
import { evidenceTone, markOf } from "../../text/draw/marks.ts";
import { type Line, type Span, span, spread } from "../../text/draw/spans.ts";
import { padEnd } from "../../text/draw/width.ts";
import type { ScreenParts } from "../screen-parts.ts";
import { type BoardData, type BoardState, rowsOf } from "../state.ts";
import {
  agentBarOf,
  highlighted,
  hintLine,
  type Pages,
  startFor,
  toneOf,
  windowed,
} from "./pages.ts";

export function searchParts(pages: Pages, data: BoardData, state: BoardState): ScreenParts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const rows = rowsOf(data.board);
  const hits = searchBoard(rows, state.search);
  const sessions = new Set(hits.map(({ row }) => row.key)).size;
  const count =
    state.search.trim() === "" ? "" : `${hits.length} in ${counted(sessions, "session")}`;
  const field = [span("/ ", tones.you), span(page.whole(state.search)), span(" ", "7")];
  const none: readonly Line[] =
    hits.length > 0 || state.search.trim() === ""
      ? []
      : [
          [
            span(
              `  No matches for “${page.safe(state.search)}” in ${counted(rows.length, "session")}.`,
              tones.dim,
            ),
          ],
        ];
  return {
    top: [spread(field, [span(count, tones.dim)], width, marks.ellipsis)],
    body: (available) => {
      const { lines, focus } = searchLines(pages, hits, state.hitIndex);
      return hits.length === 0
        ? none
        : windowed(page, lines, available, startFor(focus, available));
    },
    bottom: [
      hintLine(pages, [
        ["esc", "close"],
        ["enter", "open"],
        ["up down", "move"],
      ]),
    ],
  };
}

function searchLines(
  { still: page }: Pages,
  hits: readonly SearchHit[],
  selectedIndex: number,
): { readonly lines: readonly Line[]; readonly focus: readonly [number, number] } {
  const { tones, marks, width } = page;
  const lines: Line[] = [];
  let focus: readonly [number, number] = [0, 0];
  for (const [index, hit] of hits.entries()) {
    const { row } = hit;
    if (hits[index - 1]?.row !== row) {
      if (lines.length > 0) lines.push([]);
      const name = span(page.safe(agentLook(row.track.agentType).name), toneOf(page, row));
      const title = [agentBarOf(page, row), span(" "), span(page.safe(row.title), tones.bold)];
      lines.push(spread(title, [name], width, marks.ellipsis));
    }
    const isSelected = index === selectedIndex;
    if (isSelected) focus = [Math.max(0, lines.length - 1), lines.length];
    const pointer = span(isSelected ? marks.pointer : " ", tones.you);
    const text = hit.kind === "track" ? row.project : hit.text;
    const left = [pointer, span(" "), markSpan(page, hit), span(page.safe(text))];
    const line = spread(left, [span(kindLabel(page, hit), tones.dim)], width, marks.ellipsis);
    lines.push(isSelected ? highlighted(page, line, width) : line);
  }
  return { lines, focus };
}

function markSpan({ marks, tones }: Pages["still"], { kind, todo }: SearchHit): Span {
  const width = marks.todoCells + 1;
  if (kind === "note") return span(padEnd(marks.noteEdge, width), tones.edge);
  if (kind === "plan") return span(padEnd(marks.needsYou, width), tones.you);
  if (!todo) return span(" ".repeat(width));
  return span(padEnd(markOf(marks, todo), width), evidenceTone(tones, todo) ?? tones.dim);
}

function kindLabel(page: Pages["still"], { kind, todo, row }: SearchHit): string {
  if (kind === "plan") return row.plan?.state === "proposed" ? "plan, waiting" : "plan";
  if (kind !== "todo" || !todo) return kind;
  if (todo.todo.status === "in_progress" && todo.elapsed !== undefined)
    return `todo, ${formatDuration(todo.elapsed)}`;
  const at = page.time(todo.todo.finishedAt);
  return at === undefined ? "todo" : `todo, ${at}`;
}
