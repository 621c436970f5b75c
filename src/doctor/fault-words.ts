import type { WarningCode } from "../core/stream/events.ts";
import { counted } from "../core/text/count.ts";
import { terminalLine } from "../core/text/escape.ts";
import type { Fault } from "../sessions/transcripts/full-read.ts";

const WORDS: Readonly<Record<WarningCode, readonly [one: string, many: string]>> = {
  list_rejected: ["refused write", "refused writes"],
  list_unknown: ["write of unknown content", "writes of unknown content"],
  bad_item: ["bad entry of a list", "bad entries of lists"],
  bad_line: ["bad line", "bad lines"],
  too_large: ["record too large to be read", "records too large to be read"],
  unknown_record: ["unknown record", "unknown records"],
  unreadable: ["unreadable record", "unreadable records"],
};

export type Counts = Readonly<Partial<Record<WarningCode, number>>>;

/** What the agent's own tool refused is nothing that Waymark did not understand. */
function isUnderstood(code: WarningCode): boolean {
  return code === "list_rejected";
}

/** Everything that was not understood, with how much of it there is. */
export function faultWords(counts: Counts): readonly string[] {
  return (Object.entries(counts) as [WarningCode, number][])
    .filter(([code]) => !isUnderstood(code))
    .map(([code, count]) => `${count} ${WORDS[code][count === 1 ? 0 : 1]}`);
}

/** Nothing where nothing was. */
export function refusedWords({ list_rejected: count = 0 }: Counts): string | undefined {
  return count === 0 ? undefined : `${counted(count, "write")} of its list`;
}

/** A fault as programs are given it. */
export interface FaultForm extends Pick<Fault, "path" | "code" | "message"> {
  readonly line: number | null;
}

export function faultForm({ path, line, code, message }: Fault): FaultForm {
  return { path, line: line ?? null, code, message };
}

/** The first places with what is wrong there, and how many more there are of what was counted. */
export function faultLines(
  counts: Counts,
  faults: readonly FaultForm[],
  most: number,
  shortened: (path: string) => string = (path) => path,
): readonly string[] {
  const shown = faults.filter(({ code }) => !isUnderstood(code)).slice(0, most);
  const all = Object.entries(counts)
    .filter(([code]) => !isUnderstood(code as WarningCode))
    .reduce((sum, [, count]) => sum + count, 0);
  const more = all - shown.length;
  const lines = shown.map(({ path, line, message }) => {
    const place = line === null ? shortened(path) : `${shortened(path)}:${line}`;
    return `${terminalLine(place)}  ${terminalLine(message)}`;
  });
  return more > 0 && shown.length > 0 ? [...lines, `and ${more} more`] : lines;
}
