import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "./memory.ts";
import { type Fields, text } from "./values.ts";

const MAX_TEXT = 500;

/** Background jobs, as Claude Code and Qwen Code report them. */
export function startTask(
  given: Fields,
  kind: "agent" | "command" | undefined,
  emit: Emit,
  context: EventContext,
): void {
  const taskId = text(given.task_id);
  const title = shorten(text(given.description) ?? "", MAX_TEXT);
  if (taskId === undefined) return;
  emit({ type: "task.started", taskId, ...(title && { title }), ...(kind && { kind }) }, context);
}

export function endTask(given: Fields, emit: Emit, context: EventContext): void {
  const taskId = text(given.task_id);
  const summary = shorten(text(given.summary) ?? "", MAX_TEXT);
  if (taskId === undefined) return;
  const type = given.status === "completed" ? "task.completed" : "task.failed";
  emit({ type, taskId, ...(summary && { summary }) }, context);
}
