import type { WarningCode } from "../core/stream/events.ts";
import { counted } from "../core/text/count.ts";
import { terminalLine } from "../core/text/escape.ts";
import type { TranscriptFault } from "../sessions/transcripts/full-read.ts";

const LABELS: Readonly<Record<WarningCode, readonly [one: string, many: string]>> = {
  list_rejected: ["refused write", "refused writes"],
  list_unknown: ["list write with unknown content", "list writes with unknown content"],
  bad_item: ["invalid list entry", "invalid list entries"],
  bad_line: ["invalid line", "invalid lines"],
  too_large: ["oversized record", "oversized records"],
  unknown_record: ["unknown record", "unknown records"],
  unreadable: ["unreadable record", "unreadable records"],
};

export type Counts = Readonly<Partial<Record<WarningCode, number>>>;

/** Writes that the agent's own tool refused were read correctly. */
function isUnderstood(code: WarningCode): boolean {
  return code === "list_rejected";
}

/** The skipped records with their counts: `4 invalid lines`. */
export function faultTexts(counts: Counts): readonly string[] {
  return (Object.entries(counts) as [WarningCode, number][])
    .filter(([code]) => !isUnderstood(code))
    .map(([code, count]) => `${count} ${LABELS[code][count === 1 ? 0 : 1]}`);
}

/** The list writes that the agent refused; undefined if there were none. */
export function refusedText({ list_rejected: count = 0 }: Counts): string | undefined {
  return count === 0 ? undefined : counted(count, "list write");
}

/** A skipped record in JSON output. */
export interface FaultForm extends Pick<TranscriptFault, "path" | "code" | "message"> {
  readonly line: number | null;
}

export function faultForm({ path, line, code, message }: TranscriptFault): FaultForm {
  return { path, line: line ?? null, code, message };
}

/** The first skipped records with file and line, and the number of the others. */
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
    const location = line === null ? shortened(path) : `${shortened(path)}:${line}`;
    return `${terminalLine(location)}  ${terminalLine(message)}`;
  });
  return more > 0 && shown.length > 0 ? [...lines, `and ${more} more`] : lines;
}
