import { evidenceStates } from "../../../core/checks/evidence-state.ts";
import { counted } from "../../../core/text/count.ts";
import type { BoardGroup, BoardRow } from "../../../core/views/board.ts";
import { isUnproven } from "../../../core/views/find/filters.ts";
import { progressOf } from "../../../core/views/view.ts";
import { agentLook } from "../../text/agents.ts";
import { GAP, type Line, lineCells, type Span, span, spread } from "../../text/draw/spans.ts";
import { cells } from "../../text/draw/width.ts";
import type { Section, Shown } from "../find/shown.ts";
import { type Pages, toneOf } from "../pages/pages.ts";
import { costLabel } from "./columns.ts";
import { idleLabels } from "./compact-row.ts";

export const HEADINGS: Readonly<Record<BoardGroup, string>> = {
  "needs you": "NEEDS YOU",
  working: "WORKING",
  idle: "IDLE",
  finished: "FINISHED",
};

/** More sessions never fit on the line. */
const MAX_NAMES = 12;

/** A section on one line: the names of idle sessions, the evidence of finished ones. */
export function foldedLine(pages: Pages, { group = "finished", rows }: Section): Line {
  const { tones, marks, width } = pages.still;
  const isFinished = group === "finished";
  const left = [
    span(`  ${HEADINGS[group]}  `, tones.dim),
    ...(isFinished ? evidenceSpans(pages, rows) : idleSpans(pages, rows)),
  ];
  const show: Line = [span("ctrl+t ", tones.bold), span("show", tones.dim)];
  const right = isFinished ? show : [span(`${rows.length}`, tones.dim)];
  return spread(left, right, width, marks.ellipsis);
}

/** `gm Check the German glossary 2 open 11m · cx Sort the import warnings` */
function idleSpans({ still: page }: Pages, rows: readonly BoardRow[]): readonly Span[] {
  const { tones, marks } = page;
  return rows.slice(0, MAX_NAMES).flatMap((row, index): Span[] => {
    const [, label] = idleLabels(page, row);
    const { code } = agentLook(row.track.agentType);
    return [
      span(index === 0 ? "" : ` ${marks.separator} `, tones.dim),
      span(code ? `${page.safe(code)} ` : "", toneOf(page, row)),
      span(`${page.safe(row.title)} `),
      ...label,
    ];
  });
}

/** `3 sessions  ✓✓✓ 1  ✓✓ 1  ✓ 1 unproven` */
function evidenceSpans({ still: page }: Pages, rows: readonly BoardRow[]): readonly Span[] {
  const { tones, marks } = page;
  const unproven = rows.filter(isUnproven).length;
  const reproduced = rows.filter((row) => !isUnproven(row) && isReproduced(row)).length;
  const verified = rows.length - unproven - reproduced;
  const count = (mark: string, tone: string, amount: number, label = ""): readonly Span[] =>
    amount === 0 ? [] : [span("  "), span(mark, tone), span(` ${amount}${label}`, tones.dim)];
  return [
    span(counted(rows.length, "session"), tones.dim),
    ...count(marks.evidence.reproduced, tones.verified, reproduced),
    ...count(marks.evidence.verified, tones.verified, verified),
    ...count(marks.evidence.unverified, tones.watch, unproven, " unproven"),
  ];
}

function isReproduced({ track }: BoardRow): boolean {
  const { completed } = progressOf(track.todos);
  return evidenceStates(track.todos).reproduced === completed;
}

/** The evidence of finished sessions beside their heading. */
export function headingNote({ group, rows }: Section): string {
  if (group !== "finished") return "";
  const all = rows.map(({ track }) => progressOf(track.todos));
  const done = all.reduce((sum, { completed }) => sum + completed, 0);
  const proven = all.reduce((sum, { verified }) => sum + verified, 0);
  return `  ${proven} of ${counted(done, "todo")} proven`;
}

/** Small screens: what the rows do not say, above the key hints. Never scrolls away. */
export function smallFooter(
  { still: page }: Pages,
  { counts, unproven, cost, rows }: Shown,
): readonly Line[] {
  const { tones, width, marks } = page;
  const subagents = rows.reduce((sum, { children }) => sum + children.length, 0);
  const { idle, finished } = counts;
  const facts = [
    ...(unproven > 0 ? [span(`${unproven} unproven`, tones.watch)] : []),
    ...(idle > 0 ? [span(`${idle} idle`, tones.dim)] : []),
    ...(finished > 0 ? [span(`${finished} finished`, tones.dim)] : []),
    ...(subagents > 0 ? [span(`+${counted(subagents, "subagent")}`, tones.dim)] : []),
  ];
  const spent = costLabel(page, cost);
  if (facts.length === 0 && spent === "") return [];
  const available = width - (spent === "" ? 0 : cells(spent) + GAP);
  const joined = (parts: readonly Span[]): Line =>
    parts.flatMap((part, index) => [span(index === 0 ? "   " : ", ", tones.dim), part]);
  const fitting = facts
    .map((_, dropped) => joined(facts.slice(0, facts.length - dropped)))
    .find((line) => lineCells(line) <= available);
  const right = spent === "" ? [] : [span(spent)];
  return [spread(fitting ?? joined(facts.slice(0, 1)), right, width, marks.ellipsis)];
}
