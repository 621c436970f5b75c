import type { Status } from "../../core/model.ts";
import { formatClockSeconds } from "../../core/text/clock.ts";
import { type Page, pageOf, type TextOptions } from "./draw/page.ts";
import { GAP, type Line, lineCells, print, span, spread } from "./draw/spans.ts";
import { cells, padEnd } from "./draw/width.ts";

/** One event of a session, as a log line. */
export interface LogEntry {
  readonly at: number;
  /** A todo's status, a verification, a warning, or none. */
  readonly mark: Status | "verified" | "watch" | "none";
  readonly text: string;
  /** The agent, if the log covers several. */
  readonly who?: string;
  /** Details: author, duration, evidence. */
  readonly meta?: readonly string[];
  readonly agentType?: string;
}

export interface LogOptions extends TextOptions {
  /** Align details to the right edge; false for logs that are stored. */
  readonly edge: boolean;
}

/** Renders one log line. The text is never cut. */
export function renderLogEntry(entry: LogEntry, options: LogOptions): string {
  const page = pageOf(options);
  const { tones, marks, width } = page;
  const clock = formatClockSeconds(entry.at, options.timeZone) ?? "--:--:--";
  const who = entry.who === undefined ? [] : [span(page.safe(entry.who)), span("  ")];
  const left: Line = [span(clock, tones.dim), span("  "), ...who, ...markSpans(page, entry)];
  const text: Line = [...left, span(page.safe(entry.text))];
  const details = (entry.meta ?? []).map(page.safe).filter(Boolean).join(", ");
  if (!details) return print([text], options.color);
  const meta = [span(details, tones.dim)];
  const fits = options.edge && lineCells(text) + GAP + cells(details) <= width;
  const line = fits ? spread(text, meta, width, marks.ellipsis) : [...text, span("  "), ...meta];
  return print([line], options.color);
}

function markSpans({ marks, tones }: Page, { mark, agentType }: LogEntry): Line {
  if (mark === "none") return [];
  const available = marks.statusCells + 1;
  if (mark === "verified")
    return [span(padEnd(marks.evidence.verified, available), tones.verified)];
  const symbol = padEnd(marks.todo[mark === "watch" ? "blocked" : mark], available);
  if (mark === "in_progress") return [span(symbol, tones.agent(agentType))];
  return [span(symbol, mark === "watch" || mark === "blocked" ? tones.watch : tones.dim)];
}
