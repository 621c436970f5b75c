import type { StreamItem } from "../../core/stream/events.ts";
import { parseStatus } from "../../core/text/status.ts";
import type { Emit, EventContext } from "../agent.ts";
import { type Memory, recall, remember } from "../common/memory.ts";
import { type Fields, fields, list, text } from "../common/values.ts";

/** A task of the team as far as the records show it. */
export interface Task {
  readonly title?: string;
  readonly status: string;
  /** When it got the status. The messages of several agents are not read in the order of their times. */
  readonly at: number;
  readonly blockedBy?: readonly string[];
  /** Empty if it is the lead's own. */
  readonly owner?: string;
  readonly blocker?: string;
}

/** A task as events and the answer to `list` have it. */
export function taskOf(given: Fields, at: number, lead: string | undefined): Task {
  const status = text(given.status) ?? "pending";
  const title = text(given.title);
  const owner = text(given.assignee);
  const blocker = status === "blocked" ? text(given.summary) : undefined;
  const blockedBy = list(given.dependsOn)?.flatMap((id) => text(id) ?? []) ?? [];
  return {
    status,
    at,
    ...(title !== undefined && { title }),
    ...(blockedBy.length > 0 && { blockedBy }),
    ...(owner !== undefined && { owner: owner === lead ? "" : owner }),
    ...(blocker !== undefined && { blocker }),
  };
}

/** An accepted call. Only the input of the call that creates a task has its title, only the answer has its id. */
export interface TaskCall {
  readonly input: Fields;
  readonly answer: Fields;
}

/** Returns whether the call was about tasks that are known now. */
export function applyCall(
  tasks: Memory<Task>,
  { input, answer }: TaskCall,
  at: number,
  agent: { readonly lead: string; readonly name: string | undefined },
): boolean {
  if (answer.action === "list") {
    for (const each of list(answer.tasks) ?? []) {
      const given = fields(each) ?? {};
      put(tasks, text(given.id), taskOf(given, at, agent.lead));
    }
    return true;
  }
  const { title, dependsOn, assignee, reason } = input;
  const owner = assignee ?? (answer.action === "claim" ? (agent.name ?? agent.lead) : undefined);
  const created = answer.action === "create" && { title, dependsOn };
  const task = { ...created, assignee: owner, summary: reason, status: answer.status };
  return put(tasks, text(answer.taskId), taskOf(task, at, agent.lead));
}

export function put(tasks: Memory<Task>, id: string | undefined, task: Task): boolean {
  if (id === undefined) return false;
  const known = recall(tasks, id);
  const [older, newer] = known && known.at > task.at ? [task, known] : [known, task];
  const { blocker: _, ...kept } = older ?? {};
  remember(tasks, id, { ...kept, ...newer });
  return true;
}

/**
 * Emits the list. It is unknown if a task was created in messages that a compaction removed. `isWhole` is false for the
 * messages of an agent that does not create the tasks.
 */
export function emitTasks(
  tasks: Memory<Task>,
  todoId: string,
  isWhole: boolean,
  context: EventContext,
  emit: Emit,
): void {
  const sorted = tasks.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const found = sorted.flatMap(([id, task]) => itemOf(id, task) ?? []);
  if (found.length < sorted.length) {
    if (!isWhole) return;
    const message = "the list was written, but the records do not have all of its tasks";
    emit({ type: "warning", code: "list_unknown", message }, context);
  } else emit({ type: "todo_list", todoId, items: found, stepwise: true }, context);
}

function itemOf(id: string, task: Task): StreamItem | undefined {
  const { title, blockedBy, owner, blocker } = task;
  if (title === undefined) return undefined;
  const { status, rawStatus } = parseStatus(task.status);
  return {
    text: title,
    status,
    id,
    ...(rawStatus !== undefined && { raw: rawStatus }),
    ...(blockedBy && { blockedBy }),
    ...(owner && { owner }),
    ...(blocker !== undefined && { blocker }),
  };
}
