import { taskRows } from "../../tasks/links/detail.ts";
import type { Task } from "../../tasks/model.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { Terminal } from "../io/terminal.ts";
import { textOptions } from "../io/text-options.ts";

const ROWS = 50;

/** Prints a table of tasks, and how many rows were left out. */
export async function printTasks({
  terminal,
  store,
  tasks,
  whole,
}: {
  readonly terminal: Terminal;
  readonly store: TaskStore;
  readonly tasks: readonly Task[];
  readonly whole: boolean;
}): Promise<void> {
  const shown = whole ? tasks : tasks.slice(0, ROWS);
  const { renderTasks } = await import("../../surfaces/text/tasks/index.ts");
  const rows = await taskRows(store, shown);
  terminal.print(renderTasks(rows, textOptions(terminal, await store.now())));
  const hidden = tasks.length - shown.length;
  if (hidden > 0) terminal.printError(`${hidden} more. Use --all or --limit N to list them.`);
}
