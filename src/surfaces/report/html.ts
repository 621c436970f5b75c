import type { CostSum } from "../../core/cost/cost.ts";
import { counted } from "../../core/text/count.ts";
import { cutGraphemes, oneLine } from "../../core/text/escape.ts";
import { costWeight } from "../../core/views/report/cost.ts";
import type { Report, ReportEntry } from "../../core/views/report/model.ts";
import { agentLook } from "../text/agents.ts";
import { type Bar, barChart, timeline } from "./charts.ts";
import { icon } from "./icons.ts";
import { type Markup, markup, NOTHING } from "./markup.ts";
import {
  costNotes,
  costText,
  dayText,
  durationText,
  type Piece,
  plansText,
  type ReportRow,
  type Section,
  sectionsOf,
  timeText,
  type WordingOptions,
} from "./sections.ts";
import { reportStyle } from "./style.ts";

const MAX_TEXT = 400;
const MOST_COMMITS = 12;

/** A report as one HTML document. Its styles and charts are inline; it has no scripts and loads nothing. */
export function renderReportHtml(report: Report, options: WordingOptions): string {
  const { headline, verdict, summary } = report;
  const { html } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${headline} &middot; Waymark</title>
<style>${{ html: reportStyle() }}</style>
</head>
<body>
<main>
<div class="mast">${icon("brand")}<b>Waymark</b><span>${nameOf(report)}</span><span class="r num">${dayText(report.since, options.timeZone)} &ndash; ${dayText(report.until, options.timeZone)}</span></div>
<header class="lead ${verdict}"><h1>${headline}</h1>${summary === "" ? NOTHING : markup`<p>${summary}</p>`}${numbers(report)}</header>
${sectionsOf(report, options).map(sectionMarkup)}
${plans(report, options)}${costs(report)}${times(report, options)}${commits(report, options)}
<p class="end">Made by Waymark on this machine at ${timeText(report.until, report, options)} from ${counted(report.sessions.length, "session")}. ${costNotes(report).join(" ")} Nothing in this page loads from the network.</p>
</main>
</body>
</html>`;
  return html;
}

function nameOf({ noun, sessions }: Report): string {
  const projects = [...new Set(sessions.map(({ project }) => project))].filter(
    (name) => name !== "",
  );
  const kind = { night: "Night report", day: "Report", session: "Session report", time: "Report" }[
    noun
  ];
  const [only] = projects;
  return only !== undefined && projects.length === 1 ? `${kind} for ${only}` : kind;
}

function numbers(report: Report): Markup {
  const count = (...outcomes: readonly string[]) =>
    report.sessions.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const stuck = count("failed", "stuck");
  const waiting = count("waiting");
  const cell = (name: string, value: string | number, hue = "") =>
    markup`<div><dt>${name}</dt><dd class="${hue}">${value}</dd></div>`;
  return markup`<dl class="nums num">${[
    cell("Proven", count("proven")),
    cell("Unproven", count("unproven")),
    cell("Failed or stuck", stuck, stuck > 0 ? "bad" : ""),
    cell("Waiting for you", waiting, waiting > 0 ? "blue" : ""),
    cell("Cost", costText(report.cost) || "unknown"),
  ]}</dl>`;
}

function block(title: string, note: string, content: Markup): Markup {
  return markup`<section class="blk"><h2>${title} <span>${note}</span></h2>${content}</section>
`;
}

function sectionMarkup({ title, note, rows }: Section): Markup {
  return block(title, note, markup`<ul>${rows.map(rowMarkup)}</ul>`);
}

function rowMarkup({ mark, title, agent, project, cost, detail, session }: ReportRow): Markup {
  const { hue } = agentLook(session.agentType);
  return markup`<li class="it">${icon(mark)}<div><b>${short(title)}</b> <span class="ag"><span class="agent hue-${hue}">${agent}</span> <span class="dim">${short(project)}</span></span></div><span class="n num">${cost}</span><div class="d">${detail.map(pieceMarkup)}</div></li>
`;
}

function pieceMarkup({ text, as }: Piece): Markup {
  if (as === "code") return markup`<code>${short(text)}</code>`;
  return as === "strong" ? markup`<b>${short(text)}</b>` : markup`${text.slice(0, MAX_TEXT)}`;
}

function short(text: string): string {
  return cutGraphemes(oneLine(text), MAX_TEXT);
}

function plans(report: Report, options: WordingOptions): Markup {
  const many = report.plans.length;
  if (many === 0) return NOTHING;
  return block(
    "Plans decided",
    counted(many, "plan"),
    markup`<p class="say">${plansText(report, options)}.</p>`,
  );
}

function costs(report: Report): Markup {
  const { cost, costByAgent, expensive, longest } = report;
  if (expensive.length === 0 && costByAgent.length === 0 && longest.length === 0) return NOTHING;
  const most = Math.max(
    0,
    ...costByAgent.map(({ usage }) => costWeight(usage)),
    ...expensive.map(({ usage }) => costWeight(usage)),
  );
  const usageBar = (
    label: string,
    usage: CostSum | undefined,
    agentType: string | undefined,
  ): Bar => ({
    label,
    value: usage ? costText(usage) : "",
    share: usage && most > 0 ? costWeight(usage) / most : 0,
    agentType,
  });
  const slowest = Math.max(1, ...longest.map(({ durationMs = 0 }) => durationMs));
  return block(
    "Cost and time",
    costText(cost) || "cost unknown",
    markup`<div class="two">${[
      ...(costByAgent.length > 0
        ? [
            barChart(
              "By agent",
              costByAgent.map(({ agentType, usage }) =>
                usageBar(agentLook(agentType).name, usage, agentType),
              ),
            ),
          ]
        : []),
      ...(expensive.length > 0
        ? [
            barChart(
              "Most expensive todos",
              expensive.map((entry) => usageBar(labelOf(entry), entry.usage, entry.agentType)),
            ),
          ]
        : []),
      ...(longest.length > 0
        ? [
            barChart(
              "Longest todos",
              longest.map((entry) => ({
                label: labelOf(entry),
                value: durationText(entry.durationMs),
                share: (entry.durationMs ?? 0) / slowest,
                agentType: entry.agentType,
              })),
            ),
          ]
        : []),
    ]}</div>`,
  );
}

function labelOf({ text, status }: ReportEntry): string {
  const state =
    status === "completed" || status === undefined ? "" : ` (${status.replace("_", " ")})`;
  return `${short(text)}${state}`;
}

function times(report: Report, options: WordingOptions): Markup {
  const chart = timeline(report, options);
  if (chart === NOTHING) return NOTHING;
  const clocks = `${timeText(report.since, report, options)} – ${timeText(report.until, report, options)}`;
  return block("Timeline", clocks, chart);
}

function commits(report: Report, options: WordingOptions): Markup {
  const { commits: all, unreadLogs } = report;
  if (all.length === 0 && unreadLogs.length === 0) return NOTHING;
  const shown = all.slice(-MOST_COMMITS);
  const rows = shown.map(
    ({ hash, subject, at, todo }) =>
      markup`<tr><td><code>${hash.slice(0, 7)}</code></td><td>${short(subject)}</td><td class="w dim">${todo ? short(todo.text) : ""}</td><td class="num">${timeText(at, report, options)}</td></tr>`,
  );
  const more = all.length - shown.length;
  const notes = [
    ...(more > 0 ? [`${more} earlier.`] : []),
    ...(all.some(({ todo }) => todo)
      ? ["Todos are matched by time and files, so they are inferred."]
      : []),
    ...unreadLogs.map((path) => `The git log of ${path} could not be read.`),
  ];
  return block(
    "Commits",
    counted(all.length, "commit"),
    markup`<table><caption class="sr">Commits, oldest first</caption><thead class="sr"><tr><th scope="col">Commit</th><th scope="col">Subject</th><th scope="col" class="w">Todo</th><th scope="col">Time</th></tr></thead><tbody>${rows}</tbody></table>${notes.length > 0 ? markup`<p class="note">${notes.join(" ")}</p>` : NOTHING}`,
  );
}
