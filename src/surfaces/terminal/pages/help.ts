import type { Page } from "../../text/draw/page.ts";
import { type Line, lineCells, span, spread } from "../../text/draw/spans.ts";
import { padEnd } from "../../text/draw/width.ts";
import type { ScreenParts } from "../screen-parts.ts";
import type { BoardState } from "../state.ts";
import { hintLine, LAST_HINTS, type Pages, windowed } from "./pages.ts";

export function helpParts(pages: Pages, state: BoardState): ScreenParts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  return {
    top: [
      spread(
        [span("Keys", tones.bold)],
        [span("? or esc to close", tones.dim)],
        width,
        marks.ellipsis,
      ),
      ...(width < 70 ? [] : [[]]),
    ],
    body: (available) => windowed(page, helpLines(page), available, state.scroll),
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
      ["< >", "first, last"],
      ["ctrl+t", "show or hide todos"],
    ],
  ],
  [
    "FIND",
    [
      ["/", "filter as you type"],
      ["@ # is:", "agent, project, state"],
      ["tab, ctrl+a", "keep as chip, add older"],
      ["f s", "chips, sort"],
      ["g", "go to the agent"],
      ["A", "archive, or show again"],
      ["t", "tasks"],
      ["R", "report of the last day"],
      ["h [ ]", "history, previous, next"],
    ],
  ],
  [
    "OTHER",
    [
      ["u", "undo, for 10 seconds"],
      ["click", "select; twice: open"],
      ["w", "open the web page"],
      ["q", "quit and print a summary"],
    ],
  ],
];

const RIGHT: readonly (readonly [string, readonly Entry[]])[] = [
  [
    "PLANS AND TODOS",
    [
      ["a r c", "approve, reject, comment"],
      ["p d", "plan, its changes"],
      ["e", "edit in $EDITOR"],
      ["space", "mark done or reopen"],
      ["n x", "add, cancel"],
      ["m T", "add note, promote to task"],
      ["v V", "verify, cancel the check"],
      ["o C", "output, list of checks"],
      ["alt+arrows", "reorder"],
    ],
  ],
  [
    "TASKS",
    [
      ["n e x", "add, rename, cancel"],
      ["space", "mark done or reopen"],
      ["o", "assign or release"],
      ["b l", "blockers, labels"],
      ["0 to 4", "set priority"],
      ["P y", "pause queue, retry"],
    ],
  ],
];

function helpLines(page: Page): readonly Line[] {
  const wide = page.width >= 70;
  const left = LEFT.flatMap((part) => partLines(page, part));
  const right = RIGHT.flatMap((part) => partLines(page, part));
  const half = Math.floor(page.width / 2);
  const keys: readonly Line[] = wide
    ? Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
        const one = left[index] ?? [];
        return [
          ...one,
          span(" ".repeat(Math.max(0, half - lineCells(one)))),
          ...(right[index] ?? []),
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
  const markWidth = marks.todoCells + 1;
  const entry = (mark: string, tone?: string) => span(`  ${padEnd(mark, markWidth)}`, tone);
  const all: readonly Line[] = [
    [entry(marks.evidence.reproduced, tones.verified), span("reproduced")],
    [entry(marks.evidence.verified, tones.verified), span("verified")],
    [entry(marks.evidence.unverified, tones.dim), span("reported, unverified")],
    [entry(marks.evidence.stale, tones.watch), span("files changed since")],
    [entry(marks.evidence.warned, tones.watch), span("the checks changed")],
    [entry(marks.evidence.failed, tones.broken), span("check failed")],
    [entry(marks.todo.blocked, tones.watch), span("blocked")],
    [entry(marks.todo.cancelled, tones.dim), span("cancelled")],
    [entry(marks.todo.pending, tones.dim), span("pending")],
    [entry(marks.looping, tones.broken), span("looping")],
    [entry(marks.stalled, tones.watch), span("stalled")],
    [entry(marks.needsYou, tones.you), span("needs you")],
    [entry(marks.bar.proven, tones.verified), span("bar: proven")],
    [entry(marks.bar.done, tones.dim), span("bar: not proven")],
    [entry(marks.bar.now, tones.bold), span("bar: in progress")],
    [entry(marks.bar.open, tones.edge), span("bar: open")],
  ];
  const heading: Line = [span("  MARKS", tones.dim)];
  if (width < 70) return [heading, ...all];
  const third = Math.floor(width / 3);
  const rows = Math.ceil(all.length / 3);
  return [
    heading,
    ...Array.from(
      { length: rows },
      (_, index): Line =>
        [0, 1, 2].flatMap((column) => {
          const line = all[index + column * rows] ?? [];
          return [...line, span(" ".repeat(Math.max(0, third - lineCells(line))))];
        }),
    ),
  ];
}
