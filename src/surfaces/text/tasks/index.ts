/** Renders tasks as text. Pure; the results have no trailing newline. */

import type { TaskDetail, TaskRow } from "../../../tasks/model.ts";
import type { ShownEvent } from "../../../tasks/rules/expired.ts";
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

export function renderTaskHistory(events: readonly ShownEvent[], options: TextOptions): string {
  if (events.length === 0) return "No history yet.";
  return taskHistoryPager(options)(events);
}

/** Like `renderTaskHistory`, for events that arrive in pages. Task ids are padded to `widestId`. */
export function taskHistoryPager(
  options: TextOptions,
  widestId?: string,
): (events: readonly ShownEvent[]) => string {
  const lines = taskHistory(pageOf(options), widestId);
  return (events) => print(lines(events), options.color);
}
