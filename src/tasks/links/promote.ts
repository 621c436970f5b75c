import { findTargets } from "../../core/list/target.ts";
import { taskLinkOf } from "../../core/list/task-link.ts";
import type { Rejection, Todo, Track, TrackId } from "../../core/model.ts";
import { oneLine } from "../../core/text/escape.ts";
import { isOpen } from "../../core/views/view.ts";
import { ownerOf } from "../../sessions/caller/session.ts";
import type { List } from "../../tracker.ts";
import type { Priority, TaskDraft, TaskRefusal } from "../model.ts";
import type { TaskStore } from "../store.ts";
import { refOfTodo } from "./links.ts";

/** A todo and the id of its task. */
export interface Promoted {
  readonly todo: Todo;
  readonly task: string;
  /** It was linked before. */
  readonly isKnown?: boolean;
  /** Ids of open todos that block it and are no tasks, so they do not block its task. */
  readonly leftOut?: readonly string[];
}

export type Promotion =
  | { readonly ok: true; readonly promoted: readonly Promoted[] }
  | { readonly ok: false; readonly rejected: readonly Rejection[]; readonly after: Track }
  | { readonly ok: false; readonly refused: TaskRefusal };

export interface PromoteOptions {
  /** The surface through which the user asked. */
  readonly via: string;
  readonly priority?: Priority;
  readonly labels?: readonly string[];
}

/**
 * Creates tasks from todos. The todos stay in the list, linked to their tasks. A todo in progress
 * is claimed for the agent of the list; a todo that is already linked keeps its task.
 */
export async function promoteTodos(
  list: List,
  store: TaskStore,
  names: readonly string[],
  { via, ...look }: PromoteOptions,
): Promise<Promotion> {
  const track = await list.read();
  const todos: Todo[] = [];
  for (const any of names) {
    const found = findTargets(track.todos, { any }, {});
    if (!found.ok) return { ok: false, rejected: [found.rejection], after: track };
    todos.push(...found.todos);
  }
  const sender = { by: "user", via } as const;
  const fresh = todos.filter((todo) => !taskLinkOf(todo));
  const promoted: Promoted[] = todos.flatMap((todo) => {
    const link = taskLinkOf(todo);
    return link ? [{ todo, task: link.task, isKnown: true }] : [];
  });
  if (fresh.length > 0) {
    const drafts = fresh.map((todo) => draftOf(todo, list.id, track.todos, fresh, look));
    const added = await store.apply({ op: "add", tasks: drafts }, sender);
    if (!added.ok) return { ok: false, refused: added.refused };
    const isTask = (todo: Todo) => fresh.includes(todo) || taskLinkOf(todo) !== undefined;
    const made = fresh.map((todo, place) => {
      const blockers = track.todos.filter(({ id }) => todo.blockedBy?.includes(id));
      const leftOut = blockers.filter((each) => isOpen(each) && !isTask(each)).map(({ id }) => id);
      return { todo, task: added.tasks[place]?.id ?? "", ...(leftOut.length > 0 && { leftOut }) };
    });
    const linked = await list.submit(
      made.map(({ todo, task }) => ({ op: "edit", target: { any: todo.id }, set: { task } })),
      { by: "system", via: "tasks" },
    );
    if (!linked.ok) return { ok: false, rejected: linked.rejected, after: linked.after };
    promoted.push(...made);
  }
  const owner = ownerOf(list.id);
  for (const { todo, task } of promoted)
    if (todo.status === "in_progress" && (await store.get(task))?.status === "open")
      await store.apply({ op: "claim", id: task, owner }, { ...sender, actor: owner });
  return { ok: true, promoted };
}

export function promotedText({ todo, task, isKnown = false, leftOut = [] }: Promoted): string {
  const state = isOpen(todo) ? "" : ` (${todo.status === "completed" ? "done" : "cancelled"})`;
  const free =
    leftOut.length === 0
      ? ""
      : `. It is not blocked by ${leftOut.map((id) => `todo ${id}`).join(", ")}: only tasks block a task, so promote ${leftOut.length === 1 ? "it" : "them"} too`;
  return `todo ${todo.id} is ${isKnown ? "already " : ""}task ${task}${state}: ${oneLine(todo.text)}${free}`;
}

function draftOf(
  todo: Todo,
  id: TrackId,
  all: readonly Todo[],
  promoted: readonly Todo[],
  look: Pick<PromoteOptions, "priority" | "labels">,
): TaskDraft {
  // Only tasks can block a task.
  const blockedBy = (todo.blockedBy ?? []).flatMap((other) => {
    const blocker = all.find((each) => each.id === other);
    if (blocker && promoted.includes(blocker)) return [refOfTodo(id, blocker.id)];
    const link = blocker && taskLinkOf(blocker);
    return link ? [link.task] : [];
  });
  return {
    subject: todo.text,
    ...(todo.notes && { description: todo.notes.join("\n\n") }),
    ...(todo.activeText !== undefined && { activeText: todo.activeText }),
    ...look,
    ...(blockedBy.length > 0 && { blockedBy }),
    ref: refOfTodo(id, todo.id),
    ...(isOpen(todo) ? {} : { status: todo.status === "completed" ? "done" : "cancelled" }),
    ...(todo.evidence && { evidence: todo.evidence }),
  };
}
