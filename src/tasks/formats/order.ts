import type { TaskDraft } from "../model.ts";
import type { Skipped } from "./format.ts";

/**
 * Drafts so that each comes behind those that it names, and can be added in portions. A tie to what
 * is not there, or one that would close a cycle, is left out and told.
 */
export function inOrder(given: readonly TaskDraft[]): {
  readonly drafts: readonly TaskDraft[];
  readonly skipped: readonly Skipped[];
} {
  const byRef = new Map(given.map((draft) => [draft.ref ?? "", draft]));
  const ordered: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  const state = new Map<TaskDraft, "open" | "placed">();
  for (const start of given) {
    // Not by recursion: a chain of blockers can be longer than the stack is deep.
    const stack: {
      readonly draft: TaskDraft;
      readonly ties: string[];
      place: number;
      bad: Set<string>;
    }[] = [];
    const enter = (draft: TaskDraft) => {
      state.set(draft, "open");
      const ties = [
        ...(draft.blockedBy ?? []),
        ...(draft.parent === undefined ? [] : [draft.parent]),
      ];
      stack.push({ draft, ties, place: 0, bad: new Set() });
    };
    if (!state.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const tie = top.ties[top.place++];
      if (tie === undefined) {
        stack.pop();
        state.set(top.draft, "placed");
        ordered.push(withoutTies(top.draft, top.bad));
        continue;
      }
      const other = byRef.get(tie);
      const where = top.draft.ref ?? top.draft.subject;
      if (!other) {
        top.bad.add(tie);
        skipped.push({ where, why: `names ${tie}, which is not there` });
      } else if (state.get(other) === "open") {
        top.bad.add(tie);
        skipped.push({ where, why: `and ${tie} would wait for each other` });
      } else if (!state.has(other)) enter(other);
    }
  }
  return { drafts: ordered, skipped };
}

function withoutTies(draft: TaskDraft, bad: ReadonlySet<string>): TaskDraft {
  if (bad.size === 0) return draft;
  const { blockedBy, parent, ...rest } = draft;
  return {
    ...rest,
    ...(blockedBy && { blockedBy: blockedBy.filter((each) => !bad.has(each)) }),
    ...(parent !== undefined && !bad.has(parent) && { parent }),
  };
}
