import { type CallDetail, NO_OUTPUT_TEXTS } from "../../../core/activity/calls/call-detail.ts";
import { failureLines } from "../../../core/activity/calls/failures.ts";
import { type AnsiSpan, ansiLines } from "../../../core/text/ansi.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, span } from "../../text/draw/spans.ts";

/** A call of the agent with its output, in lines. */
export interface ShownCall {
  /** The session of the call. */
  readonly key: string;
  readonly detail: CallDetail;
  readonly lines: readonly (readonly AnsiSpan[])[];
  /** Indexes of the lines that report a failure. */
  readonly failures: readonly number[];
}

/** Lines that are kept of each end of an output. */
const MAX_LINES = 20_000;

export function shownCall(key: string, detail: CallDetail): ShownCall {
  const { output } = detail;
  const { head = "", tail, omitted = 0 } = output ?? {};
  const first = output ? ansiLines(head.replace(/\n$/, "")) : [];
  const last = tail === undefined ? [] : ansiLines(tail.replace(/\n$/, ""));
  const hidden = Math.max(0, first.length - MAX_LINES) + Math.max(0, last.length - MAX_LINES);
  const gap =
    tail !== undefined || hidden > 0
      ? [
          [
            {
              text: `(${omitted > 0 ? `${omitted} characters` : "lines"} not shown)`,
              dim: true as const,
            },
          ],
        ]
      : [];
  const lines = [...first.slice(0, MAX_LINES), ...gap, ...last.slice(-MAX_LINES)];
  const failures =
    detail.ok === false
      ? failureLines(lines.map((spans) => spans.map(({ text }) => text).join("")))
      : [];
  return { key, detail, lines, failures };
}

/** The text in place of an output; undefined if there is one. */
export function noOutputText({ noOutput }: CallDetail): string | undefined {
  return noOutput && NO_OUTPUT_TEXTS[noOutput];
}

/** A line of output in the colors of the board; other styles are dropped. */
export function outputLine(page: Page, spans: readonly AnsiSpan[]): Line {
  return spans.map((part) => span(safe(page, part.text), toneOf(page, part)));
}

/** Escaped, with its spaces. */
function safe(page: Page, text: string): string {
  const plain = text.replaceAll("\t", "  ");
  const start = /^ */.exec(plain)?.[0].length ?? 0;
  const end = start === plain.length ? 0 : (/(?<! ) +$/.exec(plain)?.[0].length ?? 0);
  const most = page.width;
  return `${" ".repeat(Math.min(start, most))}${page.safe(plain)}${" ".repeat(Math.min(end, most))}`;
}

function toneOf({ tones }: Page, { color, bold, dim }: AnsiSpan): string | undefined {
  const colors: Readonly<Record<string, string>> = {
    red: tones.broken,
    green: tones.green,
    yellow: tones.watch,
    blue: tones.you,
    cyan: tones.you,
    magenta: tones.you,
  };
  const tone = [color && colors[color], dim && !color && tones.dim, bold && tones.bold]
    .filter(Boolean)
    .join(";");
  return tone === "" ? undefined : tone;
}
