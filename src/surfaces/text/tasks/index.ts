import type { TaskDetail, TaskRow } from "../../../tasks/model.ts";
/** Tasks as text: every function here is pure, its output is one string without a last newline. */

import type { ToldEvent } from "../../../tasks/rules/parked.ts";
import { pageOf, type TextOptions } from "../draw/page.ts";
import { print } from "../draw/spans.ts";
import { cardLines } from "./card.ts";
import { graphLines } from "./graph.ts";
import { taskHistory } from "./history.ts";
import { taskLines } from "./list.ts";

export function renderTasks(rows: readonly TaskRow[], options: TextOptions): string {
  if (rows.length === 0) return "No tasks.";
  return print(taskLines(pageOf(options), rows), options.color);
}

export function renderTask(detail: TaskDetail, options: TextOptions): string {
  return print(cardLines(pageOf(options), detail), options.color);
}

export function renderTaskGraph(rows: readonly TaskRow[], options: TextOptions): string {
  if (rows.length === 0) return "No tasks.";
  return print(graphLines(pageOf(options), rows), options.color);
}

export function renderTaskHistory(events: readonly ToldEvent[], options: TextOptions): string {
  if (events.length === 0) return "No history yet.";
  return taskHistoryInParts(options)(events);
}

/** The same for a history that comes in parts; task ids have at least the width of `widestId`. */
export function taskHistoryInParts(
  options: TextOptions,
  widestId?: string,
): (events: readonly ToldEvent[]) => string {
  const lines = taskHistory(pageOf(options), widestId);
  return (events) => print(lines(events), options.color);
}
