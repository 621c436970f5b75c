import type { Change, Draft, Todo, Track } from "./model.ts";
import { same } from "./same.ts";
import { isFinished } from "./view.ts";

const FIELDS = ["text", "activeText", "phase", "notes", "priority", "owner"] as const;
/** What changes with the status, or is written in another way than it is kept. */
const ABSENT = ["rawStatus", "blocker", "parent", "blockedBy"] as const;

/**
 * What an agent changes by writing its list again with nothing but other statuses, which most
 * writes are. The same as `decide` finds, which has to look for everything else as well; nothing
 * where that is needed.
 */
export function restated(track: Track, drafts: readonly Draft[]): readonly Change[] | undefined {
  const { todos, unseen, unseenOrder } = track;
  if (todos.length === 0 || drafts.length !== todos.length) return undefined;
  if (unseen.length > 0 || unseenOrder || isFinished(todos)) return undefined;
  const changes: Change[] = [];
  for (const [place, todo] of todos.entries()) {
    const draft = drafts[place];
    if (!draft?.status || !isRestated(todo, draft)) return undefined;
    if (draft.status !== todo.status)
      changes.push({ type: "todo.moved", id: todo.id, from: todo.status, to: draft.status });
  }
  return changes;
}

function isRestated(todo: Todo, draft: Draft): boolean {
  if (draft.ref !== todo.ref) return false;
  if (draft.evidence !== undefined || draft.planStep !== undefined) return false;
  if (draft.task !== undefined) return false;
  for (const field of ABSENT) if ((todo[field] ?? draft[field] ?? null) !== null) return false;
  for (const field of FIELDS) if (!same(todo[field] ?? null, draft[field] ?? null)) return false;
  return true;
}
