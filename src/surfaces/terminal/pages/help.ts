import type { Page } from "../../text/draw/page.ts";
import { type Line, lineCells, span, spread } from "../../text/draw/spans.ts";
import { padEnd } from "../../text/draw/width.ts";
import type { Parts } from "../parts.ts";
import type { BoardState } from "../state.ts";
import { hintLine, LAST_HINTS, type Pages, windowed } from "./pages.ts";

export function helpParts(pages: Pages, state: BoardState): Parts {
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
      hintLine(pages, [
        ["esc", "close"],
        ["j k", "scroll"],
        ...LAST_HINTS.filter(([key]) => key !== "?"),
      ]),
    ],
  };
}

type Entry = readonly [keys: string, does: string];

const LEFT: readonly (readonly [string, readonly Entry[]])[] = [
  [
    "MOVE",
    [
      ["j k, arrows", "up and down"],
      ["enter, esc", "open, back"],
      ["g G", "first, last"],
      ["ctrl+t", "more or less detail"],
    ],
  ],
  [
    "FIND",
    [
      ["/", "search everything"],
      ["f F", "filter by state, by agent"],
      ["t", "tasks"],
      ["h [ ]", "history, change by change"],
    ],
  ],
  [
    "LEAVE",
    [
      ["w", "the page in a browser"],
      ["q", "quit, the summary stays"],
    ],
  ],
];

const RIGHT: readonly (readonly [string, readonly Entry[]])[] = [
  [
    "PLANS AND TODOS",
    [
      ["a r c", "approve, reject, comment"],
      ["p", "read the plan"],
      ["e", "edit the list"],
      ["space", "finish or reopen"],
      ["n x u", "add, drop, undo"],
      ["m T", "note, make it a task"],
      ["alt+arrows", "reorder"],
    ],
  ],
  [
    "TASKS",
    [
      ["n e x", "add, edit, drop"],
      ["space", "finish or reopen"],
      ["o u", "hand over, give back"],
      ["b", "wait for another"],
      ["0 to 4", "priority"],
    ],
  ],
];

function helpLines(page: Page): readonly Line[] {
  const wide = page.width >= 70;
  const left = LEFT.flatMap((part) => partLines(page, part));
  const right = RIGHT.flatMap((part) => partLines(page, part));
  const half = Math.floor(page.width / 2);
  const keys: readonly Line[] = wide
    ? Array.from({ length: Math.max(left.length, right.length) }, (_, place) => {
        const one = left[place] ?? [];
        return [
          ...one,
          span(" ".repeat(Math.max(0, half - lineCells(one)))),
          ...(right[place] ?? []),
        ];
      })
    : [...left, ...right];
  return [...keys, ...markLines(page)];
}

function partLines({ tones }: Page, [title, entries]: (typeof LEFT)[number]): Line[] {
  return [
    [span(`  ${title}`, tones.dim)],
    ...entries.map(([keys, does]): Line => [span(`  ${padEnd(keys, 13)}`, tones.bold), span(does)]),
    [],
  ];
}

function markLines({ marks, tones, width }: Page): Line[] {
  const room = marks.todoCells + 1;
  const sign = (mark: string, tone?: string) => span(`  ${padEnd(mark, room)}`, tone);
  const all: readonly Line[] = [
    [sign(marks.verified, tones.verified), span("done and verified")],
    [sign(marks.todo.completed, tones.dim), span("done, only claimed")],
    [sign(marks.todo.blocked, tones.watch), span("blocked")],
    [sign(marks.todo.cancelled, tones.dim), span("dropped")],
    [sign(marks.todo.pending, tones.dim), span("pending")],
    [sign(marks.looping, tones.broken), span("looping")],
    [sign(marks.stalled, tones.watch), span("stalled")],
    [sign(marks.yours, tones.you), span("needs you")],
    [sign(marks.bar.verified, tones.verified), span("verified in a bar")],
    [sign(marks.bar.claimed, tones.dim), span("claimed")],
    [sign(marks.bar.now, tones.bold), span("now")],
    [sign(marks.bar.open, tones.edge), span("to come")],
  ];
  const heading: Line = [span("  MARKS", tones.dim)];
  if (width < 70) return [heading, ...all];
  const third = Math.floor(width / 3);
  const rows = Math.ceil(all.length / 3);
  return [
    heading,
    ...Array.from(
      { length: rows },
      (_, place): Line =>
        [0, 1, 2].flatMap((column) => {
          const line = all[place + column * rows] ?? [];
          return [...line, span(" ".repeat(Math.max(0, third - lineCells(line))))];
        }),
    ),
  ];
}
