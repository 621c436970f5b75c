import type { Todo } from "../model.ts";

/** The team task that a todo is linked to. */
export interface TaskLink {
  readonly task: string;
  /** The epoch of the claim behind the link. */
  readonly epoch?: number;
}

/** Parses the `task` field of a todo. */
export function taskLinkOf({ task: link }: Pick<Todo, "task">): TaskLink | undefined {
  const [, task, epoch] = /^(t\d+)(?:#(\d+))?$/.exec(link ?? "") ?? [];
  if (task === undefined) return undefined;
  return { task, ...(epoch !== undefined && { epoch: Number(epoch) }) };
}
