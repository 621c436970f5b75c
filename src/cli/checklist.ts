import { parseMarkdown } from "../core/markdown.ts";
import type { Draft, Op, Rejection } from "../core/model.ts";
import type { Terminal } from "./terminal.ts";

export interface Checklist {
  readonly drafts: readonly Draft[];
  /** Each with the line that it is on. */
  readonly problems: readonly Rejection[];
}

/** Reads a checklist; how many lines were left out is said. */
export function readChecklist(text: string, { say }: Terminal): Checklist {
  const { drafts, problems, ignored } = parseMarkdown(text);
  if (ignored > 0)
    say(`${ignored} ${ignored === 1 ? "line is" : "lines are"} no part of a list and left out.`);
  return {
    drafts,
    problems: problems.map(({ line, message }) => ({
      code: "invalid_input",
      message: `Line ${line}: ${message}`,
    })),
  };
}

/** One step that makes the list what the checklist says: what is not in it is taken away. */
export function replaceBy(drafts: readonly Draft[]): Op {
  const todos = drafts.map((draft) => ({ phase: null, notes: null, ...draft }));
  return { op: "replace", todos };
}
