import { NO_COST } from "../../core/cost/cost.ts";
import { counted } from "../../core/text/count.ts";
import type { Report, ReportEntry } from "../../core/views/report/model.ts";
import { type Page, pageOf, type TextOptions } from "../text/draw/page.ts";
import type { Sgr } from "../text/draw/paint.ts";
import { cutLine, type Line, lineCells, print, span, trimLine } from "../text/draw/spans.ts";
import { padEnd, widest, wrap } from "../text/draw/width.ts";
import {
  agentCount,
  costNotes,
  costText,
  durationText,
  plansText,
  type ReportRow,
  type RowMark,
  sectionsOf,
  timeText,
  windowText,
} from "./sections.ts";

/** The share of the width that titles get. */
const TITLE_SHARE = 0.4;
const MARK_CELLS = 4;

/** A report for a terminal. The first line is the verdict. */
export function renderReportText(report: Report, options: TextOptions): string {
  return print(reportLines(report, options), options.color);
}

export function reportLines(report: Report, options: TextOptions): readonly Line[] {
  const page = pageOf(options);
  const { tones } = page;
  const sections = sectionsOf(report, options);
  const rows = sections.flatMap((section) => section.rows);
  const sizes = {
    title: Math.min(
      widest(rows.map(({ title }) => page.safe(title))),
      Math.floor(page.width * TITLE_SHARE),
    ),
    agent: widest(rows.map(({ agent }) => page.safe(agent))),
  };
  const separator = ` ${page.marks.separator} `;
  const cost = costText(report.cost, options.unicode);
  const facts = [
    windowText(report, options.timeZone),
    counted(report.sessions.length, "session"),
    counted(agentCount(report), "agent"),
    ...(cost === "" ? [] : [cost]),
  ];
  const lines: Line[] = [
    ...wrapped(
      page,
      page.whole(quotes(page, report.headline)),
      `1;${toneOf(page, report) ?? ""}`.replace(/;$/, ""),
    ),
    ...(report.summary === "" ? [] : wrapped(page, report.summary)),
    ...wrapped(page, facts.join(separator), tones.dim),
    ...sections.flatMap(({ title, note, rows: own }) => [
      [],
      [span(title.toUpperCase(), tones.bold), span(`  ${note}`, tones.dim)],
      ...own.flatMap((row) => rowLines(page, row, sizes)),
    ]),
    ...factLines(page, report, options),
  ];
  return lines.map((line) => trimLine(cutLine(line, page.width, page.marks.ellipsis)));
}

function toneOf({ tones }: Page, { verdict }: Report): Sgr | undefined {
  switch (verdict) {
    case "failed":
      return tones.broken;
    case "stuck":
    case "unproven":
      return tones.watch;
    case "waiting":
      return tones.you;
    default:
      return undefined;
  }
}

function markOf(
  { marks, tones }: Page,
  mark: RowMark,
): { readonly text: string; readonly sgr?: Sgr } {
  const all: Readonly<Record<RowMark, { readonly text: string; readonly sgr?: Sgr }>> = {
    failed: { text: marks.failed, sgr: tones.broken },
    looping: { text: marks.looping, sgr: tones.broken },
    stalled: { text: marks.stalled, sgr: tones.watch },
    you: { text: marks.needsYou, sgr: tones.you },
    reproduced: { text: marks.evidence.reproduced, sgr: tones.verified },
    verified: { text: marks.evidence.verified, sgr: tones.verified },
    unverified: { text: marks.todo.completed },
    open: { text: marks.todo.in_progress },
  };
  return all[mark];
}

/** The session on one line, and what there is to say about it below. */
function rowLines(
  page: Page,
  { mark, title, agent, cost, detail, session }: ReportRow,
  sizes: { readonly title: number; readonly agent: number },
): readonly Line[] {
  const { tones } = page;
  const { text, sgr } = markOf(page, mark);
  const facts = [
    ...(session.total > 0 ? [`${session.completed} of ${session.total}`] : []),
    durationText(session.to - session.from),
    ...(cost === "" ? [] : [cost]),
    ...(session.commits > 0 ? [`${counted(session.commits, "commit")}*`] : []),
  ];
  const name = padEnd(page.cut(page.safe(title), sizes.title), sizes.title);
  const said = detail.map((piece) => spaced(page, piece.text)).join("");
  return [
    [
      span("  "),
      span(padEnd(text, MARK_CELLS), sgr),
      span(name),
      span("  "),
      span(padEnd(page.safe(agent), sizes.agent), tones.agent(session.agentType)),
      span(`  ${facts.join("  ")}`),
    ],
    ...wrapped(page, said, tones.dim, 2 + MARK_CELLS),
  ];
}

/** Escaped for the terminal; the spaces around it are part of the sentence. */
function spaced(page: Page, text: string): string {
  const inner = page.whole(text);
  if (inner === "") return text === "" ? "" : " ";
  return `${/^\s/.test(text) ? " " : ""}${inner}${/\s$/.test(text) ? " " : ""}`;
}

/** Breaks a text into lines of the page's width, with an indentation. */
function wrapped(page: Page, text: string, sgr?: Sgr, indent = 0): readonly Line[] {
  if (text === "") return [];
  return wrap(text, Math.max(10, page.width - indent)).map((part) => [
    span(" ".repeat(indent)),
    span(part, sgr),
  ]);
}

/** Straight quotation marks where only ASCII can be shown. */
function quotes({ options }: Page, text: string): string {
  return options.unicode ? text : text.replace(/[\u201c\u201d]/g, '"');
}

const MOST_COMMITS = 5;
const INFERRED = "* Commits are matched to todos by time and files, so they are inferred.";

function factLines(page: Page, report: Report, options: TextOptions): readonly Line[] {
  const { tones } = page;
  const facts: [name: string, lines: readonly string[]][] = [
    ["DECIDED", report.plans.length > 0 ? [plansText(report, options)] : []],
    ["EXPENSIVE", report.expensive.map((entry) => expensiveText(page, report, entry))],
    [
      "LONGEST",
      report.longest.map(
        ({ text, title, durationMs }) => `${durationText(durationMs)}  ${text} (${title})`,
      ),
    ],
    ["COMMITS", commitTexts(report, options)],
    ["NOTES", notesOf(report)],
  ];
  const shown = facts.filter(([, lines]) => lines.length > 0);
  if (shown.length === 0) return [];
  const size = widest(shown.map(([name]) => name)) + 2;
  return [
    [],
    ...shown.flatMap(([name, lines]) =>
      lines.map(
        (text, index): Line => [
          span(padEnd(index === 0 ? name : "", size), tones.bold),
          span(page.safe(quotes(page, text))),
        ],
      ),
    ),
    ...(report.commits.some(({ todo }) => todo) ? [[], ...wrapped(page, INFERRED, tones.dim)] : []),
  ].filter((line) => line.length === 0 || lineCells(line) > 0);
}

function expensiveText(
  page: Page,
  { cost }: Report,
  { text, title, usage = NO_COST }: ReportEntry,
): string {
  const share = usage.nanos > 0 ? `  ${Math.round((usage.nanos / cost.nanos) * 100)}%` : "";
  return `${costText(usage, page.options.unicode)}${share}  ${text} (${title})`;
}

function commitTexts(report: Report, options: TextOptions): readonly string[] {
  const { commits } = report;
  const shown = commits.slice(-MOST_COMMITS).map(({ hash, subject, at, todo }) => {
    const of = todo ? `  (${todo.text})*` : "";
    return `${hash.slice(0, 7)}  ${timeText(at, report, options)}  ${subject}${of}`;
  });
  const more = commits.length - shown.length;
  return more > 0 ? [`${more} earlier`, ...shown] : shown;
}

function notesOf(report: Report): readonly string[] {
  return [
    ...costNotes(report),
    ...report.unreadLogs.map((path) => `The git log of ${path} could not be read.`),
  ];
}
