import { proofResult } from "../../../core/checks/evidence-state.ts";
import type { CheckForm, ChecksResponse } from "../../../core/checks/wire.ts";
import { formatDuration, formatShortDuration } from "../../../core/text/duration.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, span, spread } from "../../text/draw/spans.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardState } from "../state.ts";
import { highlighted, LAST_HINTS, type Pages, startFor, windowed } from "./pages.ts";

const TRUST = {
  yours: "approved by you",
  trusted: "trusted",
  changed: "changed since you trusted it",
  untrusted: "not trusted",
} as const satisfies Record<CheckForm["trust"], string>;

/** The checks of a session's repository, with what they run. */
export function checksParts(
  pages: Pages,
  { root, checks, problems, suggestion }: ChecksResponse,
  state: BoardState,
): ScreenParts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const selected = Math.min(state.hitIndex, Math.max(0, checks.length - 1));
  const command = `waymark check add ${JSON.stringify(suggestion ?? "COMMAND")} --name test`;
  const none: readonly Line[] =
    checks.length > 0
      ? []
      : [
          [span("  No check is defined. Add one in this directory:", tones.dim)],
          [span(`  ${page.safe(command)}`, tones.bold)],
        ];
  const lines = [
    ...checks.flatMap((check, index) => checkLines(page, check, index === selected)),
    ...none,
    ...problems.map((problem): Line => [span(`  ${page.safe(problem)}`, tones.watch)]),
  ].map((line) => cutLine(line, width, marks.ellipsis));
  const chosen = checks[selected];
  const trust = chosen && !mayRun(chosen) ? ([["y", "trust"]] as const) : [];
  return {
    top: [
      spread(
        [span("Checks", tones.bold)],
        [span(page.safe(root), tones.dim)],
        width,
        marks.ellipsis,
      ),
      [],
    ],
    body: (available) =>
      windowed(page, lines, available, startFor([selected * 2, selected * 2 + 1], available)),
    bottom: bottomLines(pages, state, [["esc", "back"], ...trust, ["j k", "move"], ...LAST_HINTS]),
  };
}

export function mayRun({ trust }: Pick<CheckForm, "trust">): boolean {
  return trust === "yours" || trust === "trusted";
}

function checkLines(page: Page, check: CheckForm, isSelected: boolean): readonly Line[] {
  const { tones, marks, width } = page;
  const { name, command, directory, timeoutMs, file, lastRun } = check;
  const run = lastRun
    ? `${proofResult(lastRun)} ${page.time(lastRun.at) ?? ""}, ${formatDuration(lastRun.durationMs)}`
    : "not run";
  const pointer = span(isSelected ? `${marks.pointer} ` : "  ", tones.you);
  const trust = span(TRUST[check.trust], mayRun(check) ? tones.dim : tones.watch);
  const details = [
    ...(directory === "" ? [] : [`in ${page.safe(directory)}`]),
    `at most ${formatShortDuration(timeoutMs)}`,
    ...(file === undefined ? [] : [`from ${page.safe(file)}`]),
    run,
  ].join(", ");
  const first = spread(
    [pointer, span(page.safe(name), tones.bold), span(`  ${page.safe(command)}`)],
    [trust],
    width,
    marks.ellipsis,
  );
  const both: readonly Line[] = [first, [span(`    ${details}`, tones.dim)]];
  return isSelected ? both.map((line) => highlighted(page, line, width)) : both;
}
