import type { Todo } from "../model.ts";

/** The team's task that a todo stands for. */
export interface TaskLink {
  readonly task: string;
  /** Of the claim that made the todo, or took it up. */
  readonly epoch?: number;
}

export function taskLinkOf({ task: link }: Pick<Todo, "task">): TaskLink | undefined {
  const [, task, epoch] = /^(t\d+)(?:#(\d+))?$/.exec(link ?? "") ?? [];
  if (task === undefined) return undefined;
  return { task, ...(epoch !== undefined && { epoch: Number(epoch) }) };
}
