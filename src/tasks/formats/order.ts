import type { TaskDraft } from "../model.ts";
import type { Imported, Skipped } from "./format.ts";

/**
 * Sorts drafts so that each follows the drafts it refers to and can be added in batches. References
 * to missing tasks, references that would close a cycle, and drafts with a duplicate ref are
 * skipped and reported.
 */
export function inOrder(
  given: readonly TaskDraft[],
  names: Imported["names"] = new Map(),
): {
  readonly drafts: readonly TaskDraft[];
  readonly skipped: readonly Skipped[];
} {
  const byRef = new Map<string, TaskDraft>();
  const called = (ref: string) => names.get(ref) ?? ref;
  const ordered: TaskDraft[] = [];
  const skipped: Skipped[] = [];
  const state = new Map<TaskDraft, "open" | "placed">();
  const own = given.filter((draft) => {
    const { ref } = draft;
    if (ref === undefined) return true;
    const other = byRef.get(ref);
    if (!other) byRef.set(ref, draft);
    else skipped.push({ where: called(ref), why: "is there twice; the first one counts" });
    return !other;
  });
  for (const start of own) {
    // Iterative: a chain of blockers can be deeper than the stack.
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
      const where = names.get(top.draft.ref ?? "") ?? top.draft.subject;
      if (!other) {
        top.bad.add(tie);
        skipped.push({ where, why: `names ${called(tie)}, which is not there` });
      } else if (state.get(other) === "open") {
        top.bad.add(tie);
        skipped.push({ where, why: `and ${called(tie)} would wait for each other` });
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
