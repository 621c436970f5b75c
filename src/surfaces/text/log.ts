import type { Status } from "../../core/model.ts";
import { type Page, pageOf, type TextOptions } from "./draw/page.ts";
import { GAP, type Line, lineCells, print, span, spread } from "./draw/spans.ts";
import { cells, padEnd } from "./draw/width.ts";

/** One thing that happened, as a line of a log. */
export interface LogEntry {
  readonly at: number;
  /** The sign in front: that of a todo's status or of a proof, a warning, or none. */
  readonly mark: Status | "verified" | "watch" | "none";
  readonly text: string;
  /** Whose it is, in front of the sign, where a log tells of several. */
  readonly who?: string;
  /** What is said of it beside: who, how long, how proved. */
  readonly meta?: readonly string[];
  readonly agentType?: string;
}

export interface LogOptions extends TextOptions {
  /** Puts the meta words at the right edge. A log that is kept has no right edge. */
  readonly edge: boolean;
}

/** Nothing of the text is cut: a log is read later, where there is room. */
export function renderLogEntry(entry: LogEntry, options: LogOptions): string {
  const page = pageOf(options);
  const { tones, marks, width } = page;
  const clock = clockOf(entry.at, options.timeZone);
  const who = entry.who === undefined ? [] : [span(page.safe(entry.who)), span("  ")];
  const left: Line = [span(clock, tones.dim), span("  "), ...who, ...markSpans(page, entry)];
  const text: Line = [...left, span(page.safe(entry.text))];
  const words = (entry.meta ?? []).map(page.safe).filter(Boolean).join(", ");
  if (!words) return print([text], options.color);
  const meta = [span(words, tones.dim)];
  const fits = options.edge && lineCells(text) + GAP + cells(words) <= width;
  const line = fits ? spread(text, meta, width, marks.ellipsis) : [...text, span("  "), ...meta];
  return print([line], options.color);
}

function markSpans({ marks, tones }: Page, { mark, agentType }: LogEntry): Line {
  if (mark === "none") return [];
  const room = marks.todoCells + 1;
  if (mark === "verified") return [span(padEnd(marks.verified, room), tones.verified)];
  const sign = padEnd(marks.todo[mark === "watch" ? "blocked" : mark], room);
  if (mark === "in_progress") return [span(sign, tones.agent(agentType))];
  return [span(sign, mark === "watch" || mark === "blocked" ? tones.watch : tones.dim)];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `14:12:07`; dashes for a time that no calendar has. */
function clockOf(at: number, timeZone: string | undefined): string {
  const key = timeZone ?? "";
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      ...(timeZone !== undefined && { timeZone }),
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
    formats.set(key, format);
  }
  return Math.abs(at) <= 8.64e15 ? format.format(at) : "--:--:--";
}
