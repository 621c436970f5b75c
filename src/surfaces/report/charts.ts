import { localTime } from "../../core/text/clock.ts";
import { DAY, HOUR } from "../../core/text/duration.ts";
import { cutGraphemes, oneLine } from "../../core/text/escape.ts";
import type { Report, ReportSession } from "../../core/views/report/model.ts";
import { agentLook } from "../text/agents.ts";
import { type Markup, markup, NOTHING } from "./markup.ts";
import type { WordingOptions } from "./sections.ts";

/** A bar with its label and value as text, which stays readable where SVG is not shown. */
export interface Bar {
  readonly label: string;
  readonly value: string;
  /** Share of the longest bar, from 0 to 1. */
  readonly share: number;
  readonly agentType?: string | undefined;
}

export function barChart(title: string, bars: readonly Bar[]): Markup {
  return markup`<figure><h3>${title}</h3><ul>${bars.map(
    ({ label, value, share, agentType }) =>
      markup`<li class="bar hue-${agentLook(agentType).hue}"><span><em>${oneLine(label)}</em> <b class="num">${value}</b></span><svg viewBox="0 0 100 7" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="7" rx="1" fill="var(--line)"/><rect width="${round(share * 100)}" height="7" rx="1" fill="var(--a)"/></svg></li>`,
  )}</ul></figure>`;
}

const LEFT = 150;
const RIGHT = 704;
const WIDTH = 720;
const ROW = 30;
const TOP = 34;
const MAX_LABEL = 22;
const MAX_ROWS = 20;

/** When each session worked, and how it ended. */
export function timeline(report: Report, options: WordingOptions): Markup {
  const { since, until } = report;
  const rows = report.sessions
    .filter(({ outcome, to, from }) => outcome !== "no list" && to >= from)
    .toSorted((a, b) => a.from - b.from)
    .slice(0, MAX_ROWS);
  if (rows.length === 0 || until <= since) return NOTHING;
  const bottom = TOP + rows.length * ROW - ROW / 2;
  const x = (at: number) =>
    round(
      LEFT + ((RIGHT - LEFT) * (Math.min(until, Math.max(since, at)) - since)) / (until - since),
    );
  const clock = (at: number) => localTime(at, options.timeZone)?.clock ?? "";
  const label = rows
    .map((row) => `${oneLine(row.title)}, ${clock(row.from)} to ${clock(row.to)}: ${row.outcome}`)
    .join(". ");
  return markup`<figure><div class="tl" tabindex="0" role="group" aria-label="Timeline, scrolls sideways"><svg viewBox="0 0 ${WIDTH} ${bottom + 10}" role="img" aria-label="${label}">${ticks(
    report,
    options,
  ).map(
    (at) =>
      markup`<line x1="${x(at)}" x2="${x(at)}" y1="16" y2="${bottom}" stroke="var(--line)" stroke-dasharray="2 3"/><text class="s" x="${x(at)}" y="10" text-anchor="middle">${clock(at)}</text>`,
  )}${rows.map((row, index) => rowMarkup(row, TOP + index * ROW, x))}</svg></div><figcaption>Bars: first to last activity. Solid tick: finished and proven. Hollow tick: finished, unproven. Cross: failed. Ring: stuck. Diamond: waiting for you.</figcaption></figure>`;
}

function rowMarkup(row: ReportSession, y: number, x: (at: number) => number): Markup {
  const [start, end] = [x(row.from), x(row.to)];
  const { hue } = agentLook(row.agentType);
  return markup`<g class="hue-${hue}"><text x="0" y="${y + 4}">${cutGraphemes(oneLine(row.title), MAX_LABEL)}</text><line x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}" stroke="var(--line)"/><rect x="${start}" y="${y - 5}" width="${Math.max(2, round(end - start))}" height="10" rx="2" fill="var(--a)"/>${endMark(row, end, y)}</g>`;
}

function endMark({ outcome }: ReportSession, x: number, y: number): Markup {
  switch (outcome) {
    case "failed":
      return markup`<circle cx="${x}" cy="${y}" r="7" fill="var(--bg)"/><path d="m${x - 4} ${y - 4} 8 8m0-8-8 8" stroke="var(--broken)" stroke-width="2" stroke-linecap="round"/>`;
    case "stuck":
      return markup`<circle cx="${x}" cy="${y}" r="5.5" fill="var(--bg)" stroke="var(--broken)" stroke-width="2"/>`;
    case "waiting":
      return markup`<path d="M${x} ${y - 7}l7 7-7 7-7-7Z" fill="var(--you)" stroke="var(--bg)" stroke-width="2"/>`;
    case "proven":
      return markup`<circle cx="${x}" cy="${y}" r="6.5" fill="var(--verified)" stroke="var(--bg)" stroke-width="2"/><path d="m${x - 2.8} ${y + 0.2} 2 2 3.6-4" fill="none" stroke="var(--bg)" stroke-width="1.6"/>`;
    case "unproven":
      return markup`<circle cx="${x}" cy="${y}" r="5.5" fill="var(--bg)" stroke="var(--ink-3)" stroke-width="1.5"/><path d="m${x - 2.4} ${y + 0.2} 1.7 1.7 3.2-3.5" fill="none" stroke="var(--ink-3)" stroke-width="1.4"/>`;
    default:
      return NOTHING;
  }
}

const STEPS = [HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY];
const MAX_TICKS = 9;

/** Full hours of the window, in local time. */
function ticks({ since, until }: Report, { timeZone }: WordingOptions): readonly number[] {
  const step = STEPS.find((each) => (until - since) / each <= MAX_TICKS) ?? until - since;
  const minute = Number(localTime(since, timeZone)?.clock.slice(3) ?? 0);
  const hour = Math.floor(since / 60_000) * 60_000 - minute * 60_000;
  const found: number[] = [];
  for (let at = hour; at <= until && found.length <= MAX_TICKS + 1; at += step)
    if (at >= since) found.push(at);
  return found;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
