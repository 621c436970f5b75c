import { counted } from "../../core/text/count.ts";
import { forTerminal, oneLine } from "../../core/text/escape.ts";
import type { Report } from "../../core/views/report/model.ts";
import {
  agentCount,
  costNotes,
  costText,
  durationText,
  type Piece,
  plansText,
  type RowMark,
  sectionsOf,
  timeText,
  type WordingOptions,
  windowText,
} from "./sections.ts";

const MARKS: Readonly<Record<RowMark, string>> = {
  failed: "✗",
  looping: "↻",
  stalled: "◌",
  you: "◆",
  reproduced: "✓✓✓",
  verified: "✓✓",
  unverified: "✓",
  open: "▸",
};

/** A report as Markdown, for pull requests and chats. The first line is the verdict. */
export function renderReportMarkdown(report: Report, options: WordingOptions): string {
  const cost = costText(report.cost);
  const facts = [
    windowText(report, options.timeZone),
    counted(report.sessions.length, "session"),
    counted(agentCount(report), "agent"),
    ...(cost === "" ? [] : [cost]),
  ];
  const sections = sectionsOf(report, options).map(({ title, note, rows }) =>
    [
      `## ${title}`,
      `${note}.`,
      rows
        .map((row) => {
          const head = `- ${MARKS[row.mark]} **${escapeMarkdown(row.title)}** (${escapeMarkdown(
            [row.agent, row.project, row.cost].filter((part) => part !== "").join(", "),
          )})`;
          return `${head}\n  ${row.detail.map(pieceText).join("")}`;
        })
        .join("\n"),
    ].join("\n\n"),
  );
  return [
    `# ${escapeMarkdown(report.headline)}`,
    ...(report.summary === "" ? [] : [report.summary]),
    facts.join(" · "),
    ...sections,
    ...lists(report, options),
  ].join("\n\n");
}

function lists(report: Report, options: WordingOptions): readonly string[] {
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? [`## ${title}\n\n${lines.map((line) => `- ${line}`).join("\n")}`] : [];
  return [
    ...section(
      "Plans decided",
      report.plans.length > 0 ? [escapeMarkdown(plansText(report, options))] : [],
    ),
    ...section(
      "Most expensive todos",
      report.expensive.map(
        ({ text, title, usage }) =>
          `${escapeMarkdown(text)} (${escapeMarkdown(title)}): ${escapeMarkdown(usage ? costText(usage) : "")}`,
      ),
    ),
    ...section(
      "Longest todos",
      report.longest.map(
        ({ text, title, durationMs }) =>
          `${escapeMarkdown(text)} (${escapeMarkdown(title)}): ${durationText(durationMs)}`,
      ),
    ),
    ...section(
      "Commits",
      report.commits.map(({ hash, at, subject, todo }) => {
        const of = todo ? ` (${escapeMarkdown(todo.text)}, inferred)` : "";
        return `${codeText(hash.slice(0, 7))} ${timeText(at, report, options)} ${escapeMarkdown(subject)}${of}`;
      }),
    ),
    ...section("Notes", [
      ...costNotes(report).map(escapeMarkdown),
      ...report.unreadLogs.map((path) => `The git log of ${codeText(path)} could not be read.`),
    ]),
  ];
}

function pieceText({ text, as }: Piece): string {
  if (as === "code") return codeText(text);
  const escaped = escapeMarkdown(text);
  if (as === "strong") return `**${escaped}**`;
  return `${/^\s/.test(text) ? " " : ""}${escaped}${/\s$/.test(text) && escaped !== "" ? " " : ""}`;
}

/** Inline code. Its fence is longer than any run of backticks inside. */
function codeText(text: string): string {
  const inner = clean(text);
  const longest = Math.max(0, ...(inner.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^`|`$/.test(inner) || inner === "" ? " " : "";
  return `${fence}${pad}${inner}${pad}${fence}`;
}

const MAX_TEXT = 1_000;

function clean(text: string): string {
  const line = oneLine(text.slice(0, MAX_TEXT)).replace(/ {2,}/g, " ");
  return forTerminal(text.length > MAX_TEXT ? `${line}…` : line);
}

/** Text on one line, escaped for Markdown and HTML. */
function escapeMarkdown(text: string): string {
  return clean(text)
    .replace(/[\\`*_{}[\]#+!|~$@]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/^(\d+)([.)])/, "$1\\$2")
    .replace(/^-/, "\\-")
    .replace(/:\/\//g, ":\\/\\/");
}
