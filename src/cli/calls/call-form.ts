import { type CallDetail, NO_OUTPUT_TEXTS } from "../../core/activity/calls/call-detail.ts";
import { withoutAnsi } from "../../core/text/ansi.ts";
import { formatTime } from "../../core/text/clock.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { forTerminal, terminalLine } from "../../core/text/escape.ts";
import { isoTime } from "../../core/views/json.ts";
import type { Terminal } from "../io/terminal.ts";

/** JSON form of a call. The output has its colors; the rest is plain text. */
export function callForm({ startedAt, endedAt, ...rest }: CallDetail) {
  return {
    ...rest,
    startedAt: startedAt === undefined ? null : isoTime(startedAt),
    endedAt: endedAt === undefined ? null : isoTime(endedAt),
    durationMs:
      startedAt === undefined || endedAt === undefined ? null : Math.max(0, endedAt - startedAt),
  };
}

/** A call as text: the command, how it ended, and its output without colors. */
export function callText(
  detail: CallDetail,
  { unicode }: Pick<Terminal, "unicode">,
  now: number,
): string {
  const { name, input, output, noOutput, startedAt, endedAt, ok, exitCode } = detail;
  const took = startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : undefined;
  const result =
    endedAt === undefined ? "running" : ok === undefined ? "result unknown" : ok ? "ok" : "failed";
  const facts = [
    result,
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(took === undefined ? [] : [formatDuration(Math.max(0, took))]),
    ...(startedAt === undefined ? [] : [formatTime(startedAt, now) ?? ""]),
  ];
  const lines = (text: string) => withoutAnsi(text).split("\n").map(forTerminal);
  const gap = `(${output?.omitted ?? 0} characters not shown)`;
  return [
    `${terminalLine(name)}: ${facts.filter(Boolean).join(unicode ? " \u00b7 " : ", ")}`,
    ...input.split("\n").map((line) => `  ${forTerminal(line)}`),
    "",
    ...(output ? lines(output.head.replace(/\n$/, "")) : []),
    ...(output?.tail === undefined ? [] : [gap, ...lines(output.tail.replace(/\n$/, ""))]),
    ...(noOutput ? [NO_OUTPUT_TEXTS[noOutput]] : []),
  ].join("\n");
}
