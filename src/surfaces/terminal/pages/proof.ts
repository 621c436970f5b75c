import { evidenceStateOf, proofResult, staleText } from "../../../core/checks/evidence-state.ts";
import type { Proof } from "../../../core/checks/proof.ts";
import { TAMPER_TEXTS } from "../../../core/checks/tamper/texts.ts";
import type { Todo } from "../../../core/model.ts";
import { withoutAnsi } from "../../../core/text/ansi.ts";
import { formatDuration, formatShortDuration } from "../../../core/text/duration.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, span, spread } from "../../text/draw/spans.ts";
import { placeOf } from "../../text/draw/warnings.ts";
import { treeLabel } from "../../text/meta.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardState } from "../state.ts";
import { type Hint, LAST_HINTS, type Pages, windowed } from "./pages.ts";

/** The last run of a check for a todo: its result, its warnings and the end of its output. */
export function proofParts(pages: Pages, todo: Todo, state: BoardState): ScreenParts {
  const { still: page } = pages;
  const { proof } = todo;
  if (!proof) return { top: [], body: () => [], bottom: bottomLines(pages, state, LAST_HINTS) };
  const { tones, marks, width } = page;
  const isSmall = width < 60;
  const title = [span(page.safe(proof.check), tones.bold), span(`  ${page.safe(proof.command)}`)];
  const exit = proof.exitCode === null ? proofResult(proof) : `exit ${proof.exitCode}`;
  const how = isSmall ? `${exit} ${formatShortDuration(proof.durationMs)}` : proofResult(proof);
  const result = span(
    `${proof.ok ? marks.todo.completed : marks.failed} ${how}`,
    proof.ok ? tones.verified : tones.broken,
  );
  const facts = factsOf(page, proof).join(` ${marks.separator} `);
  const rule: Line = [span(marks.box.across.repeat(width), tones.edge)];
  const about = `todo ${page.safe(todo.id)} ${page.safe(todo.text)}`;
  const where = `${treeLabel(page, proof)}  ${page.safe(proof.machine)}`;
  const lines = bodyLines(page, proof);
  const accept: readonly Hint[] =
    evidenceStateOf(todo) === "warned" ? [["y", "accept warnings"]] : [];
  return {
    top: [
      spread(
        title,
        isSmall ? [result] : [result, span(`  ${facts}`, tones.dim)],
        width,
        marks.ellipsis,
      ),
      ...(isSmall ? [] : [spread([span(about)], [span(where, tones.dim)], width, marks.ellipsis)]),
      rule,
    ],
    body: (available) => windowed(page, lines, available, state.scroll),
    bottom: bottomLines(pages, state, [
      ["esc", "back"],
      ["v", "run again"],
      ...accept,
      ["j k", "scroll"],
      ...LAST_HINTS,
    ]),
  };
}

function factsOf(page: Page, proof: Proof): readonly string[] {
  const { exitCode, durationMs, at } = proof;
  return [
    ...(exitCode === null ? [] : [`exit ${exitCode}`]),
    formatDuration(durationMs),
    page.time(at) ?? "",
    ...(proof.ok && proof.staleEdits !== undefined ? [staleText(proof)] : []),
  ].filter(Boolean);
}

function bodyLines(page: Page, proof: Proof): readonly Line[] {
  const { tones, marks, width } = page;
  const fitted = (line: Line) => cutLine(line, width, marks.ellipsis);
  const warnings = proof.warnings.flatMap((warning): Line[] => [
    [
      span(`${marks.todo.blocked} `, tones.watch),
      span(page.safe(placeOf(warning)), tones.watch),
      span(`  ${TAMPER_TEXTS[warning.kind]}`, tones.dim),
    ],
    [span(`    ${page.safe(warning.text)}`)],
  ]);
  const accepted: readonly Line[] =
    proof.warnings.length > 0 && proof.accepted
      ? [[span("  You accepted these warnings.", tones.dim)]]
      : [];
  const output: readonly Line[] =
    proof.output === ""
      ? [[span(`No output, or it stayed on ${page.safe(proof.machine)}.`, tones.dim)]]
      : proof.output.split("\n").map((line): Line => [span(outputLine(page, line))]);
  const gap: readonly Line[] = warnings.length > 0 ? [[]] : [];
  return [...warnings, ...accepted, ...gap, ...output].map(fitted);
}

/** Colors and cursor movements are dropped, indentation is kept. */
function outputLine(page: Page, line: string): string {
  const plain = withoutAnsi(line).replaceAll("\t", "  ");
  const indent = /^ */.exec(plain)?.[0].length ?? 0;
  return " ".repeat(Math.min(indent, page.width)) + page.safe(plain);
}

/** Two lines about the run of the selected todo. */
export function proofLines(
  page: Page,
  { proof, status }: Todo,
  available: number,
): readonly Line[] {
  if (!proof || status === "cancelled") return [];
  const { tones, marks } = page;
  const facts = [
    `${page.safe(proof.command)}: ${proofResult(proof)}`,
    ...factsOf(page, proof),
    treeLabel(page, proof),
  ].join(` ${marks.separator} `);
  return [
    spread(
      [span(facts, proof.ok ? tones.dim : tones.broken)],
      [span("o ", tones.bold), span("output", tones.dim)],
      available,
      marks.ellipsis,
    ),
  ];
}
