import { counted } from "../../../core/text/count.ts";
import { duration } from "../../../core/text/duration.ts";
import { type Hit, hitsOf } from "../../../core/views/search.ts";
import { agentLook } from "../../text/agents.ts";
import { markOf } from "../../text/draw/marks.ts";
import { type Line, type Span, span, spread } from "../../text/draw/spans.ts";
import { padEnd } from "../../text/draw/width.ts";
import type { Parts } from "../parts.ts";
import { type BoardState, rowsOf, type World } from "../state.ts";
import { blazeOf, highlighted, hintLine, type Pages, startFor, toneOf, windowed } from "./pages.ts";

export function searchParts(pages: Pages, world: World, state: BoardState): Parts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const rows = rowsOf(world.board);
  const hits = hitsOf(rows, state.search);
  const places = new Set(hits.map(({ row }) => row.key)).size;
  const count = state.search.trim() === "" ? "" : `${hits.length} in ${counted(places, "track")}`;
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
  hits: readonly Hit[],
  place: number,
): { readonly lines: readonly Line[]; readonly focus: readonly [number, number] } {
  const { tones, marks, width } = page;
  const lines: Line[] = [];
  let focus: readonly [number, number] = [0, 0];
  for (const [index, hit] of hits.entries()) {
    const { row } = hit;
    if (hits[index - 1]?.row !== row) {
      if (lines.length > 0) lines.push([]);
      const name = span(page.safe(agentLook(row.track.agentType).name), toneOf(page, row));
      const title = [blazeOf(page, row), span(" "), span(page.safe(row.title), tones.bold)];
      lines.push(spread(title, [name], width, marks.ellipsis));
    }
    const isSelected = index === place;
    if (isSelected) focus = [Math.max(0, lines.length - 1), lines.length];
    const pointer = span(isSelected ? marks.pointer : " ", tones.you);
    const text = hit.kind === "track" ? row.project : hit.text;
    const left = [pointer, span(" "), signOf(page, hit), span(page.safe(text))];
    const line = spread(left, [span(wordsOf(page, hit), tones.dim)], width, marks.ellipsis);
    lines.push(isSelected ? highlighted(page, line, width) : line);
  }
  return { lines, focus };
}

function signOf({ marks, tones }: Pages["still"], { kind, todo }: Hit): Span {
  const room = marks.todoCells + 1;
  if (kind === "note") return span(padEnd(marks.noteEdge, room), tones.edge);
  if (kind === "plan") return span(padEnd(marks.yours, room), tones.you);
  if (!todo) return span(" ".repeat(room));
  return span(
    padEnd(markOf(marks, todo), room),
    todo.proof === "verified" ? tones.verified : tones.dim,
  );
}

function wordsOf(page: Pages["still"], { kind, todo, row }: Hit): string {
  if (kind === "plan") return row.plan?.state === "proposed" ? "plan, waits" : "plan";
  if (kind !== "todo" || !todo) return kind;
  if (todo.todo.status === "in_progress" && todo.elapsed !== undefined)
    return `todo, ${duration(todo.elapsed)}`;
  const at = page.time(todo.todo.finishedAt);
  return at === undefined ? "todo" : `todo, ${at}`;
}
