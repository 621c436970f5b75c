import { formatDuration, formatShortDuration } from "../../../core/text/duration.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import { type Hint, LAST_HINTS, type Pages } from "../pages/pages.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardState } from "../state.ts";
import { noOutputText, outputLine, type ShownCall } from "./output.ts";

/** One call of the agent: its command, how it ended, and its output. */
export function callParts(
  pages: Pages,
  row: BoardRow,
  call: ShownCall | undefined,
  state: BoardState,
): ScreenParts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const rule: Line = [span(marks.box.across.repeat(width), tones.edge)];
  const hints = (...own: readonly Hint[]) =>
    bottomLines(pages, state, [["esc", "back"], ...own, ...LAST_HINTS]);
  if (!call)
    return {
      top: [[span(page.safe(row.title), tones.bold)], rule],
      body: () => [[span("Reading the agent's file", tones.dim)]],
      bottom: hints(),
    };
  const { detail, lines, failures } = call;
  const isSmall = width < 60;
  const missing = noOutputText(detail);
  const [command = ""] = detail.input.trimStart().split("\n", 1);
  const title = [
    span(`${page.safe(detail.name)}  `, tones.dim),
    span(page.safe(command), tones.bold),
  ];
  const result = resultOf(pages, call);
  const facts = factsOf(pages, call, isSmall).join(isSmall ? " " : ` ${marks.separator} `);
  const first = lines.length > 0 ? Math.min(state.scroll, lines.length - 1) + 1 : 0;
  const found =
    failures[0] === undefined ? "" : ` ${marks.separator} first failure at ${failures[0] + 1}`;
  const place = missing === undefined ? ` line ${first} of ${lines.length}${found}` : "";
  const source = isSmall ? "" : "read from the agent's file";
  return {
    top: [
      spread(
        title,
        [result, span(facts === "" ? "" : `  ${facts}`, tones.dim)],
        width,
        marks.ellipsis,
      ),
      rule,
    ],
    body: (available) => {
      if (missing !== undefined) return [[span(missing, tones.dim)]];
      // Only for its number: drawing all lines of a long output takes too long.
      if (!Number.isFinite(available)) return lines.map(() => []);
      const start = Math.max(0, Math.min(state.scroll, lines.length - available));
      return lines.slice(start, start + available).map((spans) => outputLine(page, spans));
    },
    bottom: [
      spread([span(place, tones.dim)], [span(source, tones.dim)], width, marks.ellipsis),
      ...hints(
        ...(failures.length > 0 ? ([["n N", "next, previous failure"]] as const) : []),
        ["y", "copy"],
        ["[ ]", "other calls"],
      ),
    ],
  };
}

function resultOf({ still: page }: Pages, { detail }: ShownCall) {
  const { tones, marks } = page;
  if (detail.endedAt === undefined) return span(`${marks.todo.in_progress} running`, tones.bold);
  if (detail.ok === undefined) return span("result unknown", tones.dim);
  return detail.ok
    ? span(`${marks.todo.completed} ended`, tones.dim)
    : span(`${marks.failed} failed`, tones.broken);
}

function factsOf(
  { still: page }: Pages,
  { detail }: ShownCall,
  isSmall: boolean,
): readonly string[] {
  const { exitCode, startedAt, endedAt } = detail;
  const took = startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : undefined;
  const duration = isSmall ? formatShortDuration : formatDuration;
  return [
    ...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
    ...(took === undefined ? [] : [duration(Math.max(0, took))]),
    ...(isSmall || startedAt === undefined ? [] : [page.time(startedAt) ?? ""]),
  ];
}
