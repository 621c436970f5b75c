import { parseMarkdown } from "../../core/list/markdown.ts";
import type { Draft, Op } from "../../core/model.ts";
import { counted } from "../../core/text/count.ts";
import type { Problem } from "../options/list-change.ts";
import type { Terminal } from "./terminal.ts";

/** Bytes; more than the largest list needs. */
export const MAX_CHECKLIST = 4 * 1024 * 1024;

export interface Checklist {
  readonly drafts: readonly Draft[];
  /** The line of each draft. */
  readonly lines: readonly number[];
  /** Each message begins with the line number. */
  readonly problems: readonly Problem[];
}

/** Parses a checklist and prints how many lines were ignored. */
export function readChecklist(text: string, terminal: Terminal): Checklist {
  const { drafts, lines, problems, ignored } = parseMarkdown(text);
  reportIgnored(ignored, terminal);
  return {
    drafts,
    lines,
    problems: problems.map(({ line, message }) => ({
      code: "invalid_input",
      message: `Line ${line}: ${message}`,
    })),
  };
}

export function reportIgnored(lines: number, { printError }: Terminal): void {
  if (lines > 0)
    printError(
      `Ignored ${counted(lines, "line that is", "lines that are")} not part of a checklist.`,
    );
}

/** Clears every field that the checklist does not set. */
const NOTHING = {
  activeText: null,
  phase: null,
  notes: null,
  priority: null,
  parent: null,
  blockedBy: null,
  blocker: null,
  owner: null,
  evidence: null,
} as const;

/** An op that makes the list equal to the checklist; todos that are not in it are removed. */
export function replaceOp(drafts: readonly Draft[]): Op {
  return { op: "replace", todos: drafts.map((draft) => ({ ...NOTHING, ...draft })) };
}

const ENTRY = /^todos\[(\d+)\]\.?/;

/** Names refused entries by their line in the checklist instead of their index. */
export function withLineNumbers(
  rejected: readonly Problem[],
  lines: readonly number[],
): readonly Problem[] {
  return rejected.map((rejection) => {
    const [named = "", index] = ENTRY.exec(rejection.message) ?? [];
    const line = index === undefined ? undefined : lines[Number(index)];
    if (line === undefined) return rejection;
    return { ...rejection, message: `Line ${line}: ${rejection.message.slice(named.length)}` };
  });
}
