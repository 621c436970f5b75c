import { type Plan, revisionOf } from "../../../core/plan/plan.ts";
import { stepsOf } from "../../../core/plan/steps.ts";
import { formatShortDuration } from "../../../core/text/duration.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { agentLook } from "../../text/agents.ts";
import type { Page } from "../../text/draw/page.ts";
import { cutLine, type Line, span, spread } from "../../text/draw/spans.ts";
import { wrap } from "../../text/draw/width.ts";
import {
  type ComparedPlan,
  diffSummary,
  planDiffLines,
  rejectionText,
} from "../../text/plans/plan-diff.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import { type BoardData, type BoardState, planComparison, revisionsOf } from "../state.ts";
import { agentBarOf, type Hint, LAST_HINTS, type Pages, toneOf, windowed } from "./pages.ts";

export function planParts(
  pages: Pages,
  row: BoardRow,
  state: BoardState,
  data: BoardData,
): ScreenParts {
  const { plan } = row;
  if (!plan) return { top: [], body: () => [], bottom: [] };
  const waits = plan.state === "proposed";
  const decide =
    waits && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
          ["c", "comment"],
        ] as const)
      : [];
  const compared = planComparison(row, state, data);
  const count = revisionsOf(row, data).length;
  const compare: readonly Hint[] = [
    ...(count > 1 ? ([["d", compared ? "diff off" : "diff"]] as const) : []),
    ...(count > 2 ? ([["[ ]", "revisions"]] as const) : []),
  ];
  return {
    top: [...planHeader(pages, row, plan, compared), []],
    body: (available) =>
      windowed(pages.still, planBody(pages, row, plan, compared), available, state.scroll),
    bottom: bottomLines(pages, state, [
      ...decide,
      ...compare,
      ["esc", waits ? "decide later" : "back"],
      ...LAST_HINTS,
    ]),
  };
}

/** A plan that waits for a decision, beside the overview. */
export function planPreview(
  pages: Pages,
  row: BoardRow,
  plan: Plan,
  available: number,
): readonly Line[] {
  const { still: page } = pages;
  const { tones } = page;
  const keys: Line = row.hosted
    ? [
        span("  a", tones.bold),
        span(" approve  ", tones.dim),
        span("r", tones.bold),
        span(" reject  ", tones.dim),
        span("enter", tones.bold),
        span(" open", tones.dim),
      ]
    : [];
  const header = planHeader(pages, row, plan);
  const space = available - header.length - 2 - (keys.length > 0 ? 2 : 0);
  const body = windowed(page, planBody(pages, row, plan), space, 0);
  return [...header, [], ...body, ...(keys.length > 0 ? [[], keys] : [])];
}

function planHeader(
  { still: page }: Pages,
  row: BoardRow,
  plan: Plan,
  compared?: ComparedPlan,
): readonly Line[] {
  const { tones, marks, width } = page;
  const name = page.safe(agentLook(row.track.agentType).name);
  const agentAndProject = [
    span(name, toneOf(page, row)),
    span(row.project ? ` ${page.safe(row.project)}` : "", tones.dim),
  ];
  const agentBar = [agentBarOf(page, row), span(" ")];
  const first = spread(
    [...agentBar, span(page.safe(row.title), tones.bold)],
    agentAndProject,
    width,
    marks.ellipsis,
  );
  const waits = plan.state === "proposed";
  const when = page.time(plan.decidedAt ?? plan.at) ?? "";
  const number = revisionOf(plan);
  const revision = number > 1 ? `revision ${number}, ` : "";
  const facts = compared
    ? width < 60
      ? `r${number} ${diffSummary(compared, true)}`
      : `${revision}${when} ${marks.separator} ${diffSummary(compared, width < 100)}`
    : waits
      ? row.hosted
        ? `${revision}since ${when}. ${name || "The agent"} waits for your decision.`
        : `${revision}since ${when}. Decide in the ${name || "agent's"} terminal.`
      : `${revision}${when}${plan.comment === undefined ? "" : `: “${page.safe(plan.comment)}”`}`;
  const state = waits
    ? span(` ${marks.needsYou} plan `, tones.pill)
    : span(`plan ${plan.state}`, plan.state === "rejected" ? tones.watch : tones.bold);
  const time = waits
    ? [span(formatShortDuration(Math.max(0, page.options.now - plan.at)), tones.dim)]
    : [];
  const rejection = compared && width >= 60 ? rejectionText(page, compared) : undefined;
  return [
    first,
    spread([...agentBar, state, span(`  ${facts}`, tones.dim)], time, width, marks.ellipsis),
    ...(rejection === undefined
      ? []
      : [cutLine([...agentBar, span(rejection, tones.dim)], width, marks.ellipsis)]),
  ];
}

/** The plan, wrapped and never cut. */
function planBody(
  { still: page }: Pages,
  row: BoardRow,
  plan: Plan,
  compared?: ComparedPlan,
): readonly Line[] {
  const { tones, marks, width } = page;
  const steps = stepsOf(plan.text);
  const comments = (plan.comments ?? []).flatMap((comment) => [
    ...wrapped(
      page,
      `${comment.step === undefined ? "" : `Step ${comment.step}: `}${comment.text}`,
      `  ${marks.noteEdge} `,
    ),
  ]);
  const end =
    plan.state === "proposed" && row.hosted && steps.length > 0
      ? [
          [],
          cutLine(
            [
              span("  On approval ", tones.bold),
              span(
                steps.length === 1
                  ? " the step becomes a todo"
                  : ` the ${steps.length} steps become its todos`,
                tones.dim,
              ),
            ],
            width,
            marks.ellipsis,
          ),
        ]
      : [];
  if (compared) return [...planDiffLines(page, compared), ...end];
  return [
    ...paragraphs(plan.text).flatMap((line) => markdownLines(page, line)),
    ...(comments.length > 0 ? [[], [span("  Comments", tones.bold)], ...comments] : []),
    ...end,
  ];
}

/** Joins lines of a paragraph so that prose can be rewrapped; fenced code keeps its lines. */
function paragraphs(markdown: string): readonly string[] {
  const lines: string[] = [];
  let fenced = false;
  for (const line of markdown.split("\n")) {
    const before = lines.at(-1);
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (!fenced && before !== undefined && PROSE.test(before) && PROSE.test(line)) {
      lines[lines.length - 1] = `${before} ${line.trim()}`;
      continue;
    }
    lines.push(line);
  }
  return lines;
}

const PROSE = /^\s{0,3}(?!\d{1,3}[.)]\s)[\p{L}\p{N}("\u201c']/u;
const HEADING = /^#{1,6}\s+(.*)$/s;
const STEP = /^(\s*)(?:(\d{1,3})[.)]|[-*+](?:\s+\[.\])?)\s+(.*)$/s;

function markdownLines(page: Page, line: string): readonly Line[] {
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return wrapped(page, heading, "  ", page.tones.bold);
  const step = STEP.exec(line);
  if (!step) return line.trim() === "" ? [[]] : wrapped(page, line, "  ");
  const [, indent = "", number, text = ""] = step;
  const mark = number === undefined ? page.marks.separator : number;
  return wrapped(page, text, `  ${" ".repeat(Math.min(8, indent.length))}${mark}  `);
}

function wrapped(page: Page, text: string, lead: string, tone?: string): readonly Line[] {
  const lines = wrap(page.whole(text), Math.max(8, page.width - lead.length - 1));
  return lines.map((line, index) => [
    span(index === 0 ? lead : " ".repeat(lead.length), page.tones.dim),
    span(line, tone),
  ]);
}
