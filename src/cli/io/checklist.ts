import { parseMarkdown } from "../../core/list/markdown.ts";
import type { Draft, Op } from "../../core/model.ts";
import type { Problem } from "../options/change.ts";
import type { Terminal } from "./terminal.ts";

/** More bytes than any list has. */
export const MAX_CHECKLIST = 4 * 1024 * 1024;

export interface Checklist {
  readonly drafts: readonly Draft[];
  /** The line of each draft. */
  readonly lines: readonly number[];
  /** Each with the line that it is on. */
  readonly problems: readonly Problem[];
}

/** Reads a checklist; how many lines were left out is said. */
export function readChecklist(text: string, { say }: Terminal): Checklist {
  const { drafts, lines, problems, ignored } = parseMarkdown(text);
  if (ignored > 0)
    say(`${ignored} ${ignored === 1 ? "line is" : "lines are"} no part of a list and left out.`);
  return {
    drafts,
    lines,
    problems: problems.map(({ line, message }) => ({
      code: "invalid_input",
      message: `Line ${line}: ${message}`,
    })),
  };
}

/** What a todo without more than its text has. */
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

/** One step that makes the list what the checklist says: what is not in it is taken away. */
export function replaceBy(drafts: readonly Draft[]): Op {
  return { op: "replace", todos: drafts.map((draft) => ({ ...NOTHING, ...draft })) };
}

const ENTRY = /^todos\[(\d+)\]\.?/;

/** Whoever wrote a checklist finds an entry by its line. */
export function onLines(
  rejected: readonly Problem[],
  lines: readonly number[],
): readonly Problem[] {
  return rejected.map((rejection) => {
    const [named = "", place] = ENTRY.exec(rejection.message) ?? [];
    const line = place === undefined ? undefined : lines[Number(place)];
    if (line === undefined) return rejection;
    return { ...rejection, message: `Line ${line}: ${rejection.message.slice(named.length)}` };
  });
}
