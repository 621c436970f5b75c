import { UsageError } from "../../../core/error.ts";
import { terminalLine } from "../../../core/text/escape.ts";
import { taskRows } from "../../../tasks/links/detail.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";

export const graph = defineCommand({
  arguments: [],
  options: {
    all: { type: "boolean", summary: "Include closed tasks" },
    dot: { type: "boolean", summary: "Print the graph in DOT format for Graphviz" },
    json: { type: "boolean", summary: "Print tasks and edges as JSON", perCall: true },
    ...TASK_STORE_OPTION,
  },
  notes: ["Tasks are printed below the task that blocks them."],
  examples: [
    { command: "waymark task graph", comment: "Print the tasks as a tree" },
    {
      command: "waymark task graph --all --dot > tasks.dot",
      comment: "Write a graph for dot -Tsvg",
    },
  ],
  seeAlso: ["task dep", "task list"],
  async run({ values, terminal, home }) {
    if (values.dot && values.json) throw new UsageError("--dot and --json cannot be combined.");
    const store = await home.tasks("reading", values.store);
    const every = await store.list();
    const open = every.filter(({ status }) => status === "open" || status === "claimed");
    const tasks = values.all ? every : open;
    const shown = new Set(tasks.map(({ id }) => id));
    const edges = tasks.flatMap(({ id, blockedBy }) =>
      blockedBy.filter((each) => shown.has(each)).map((from) => ({ from, to: id })),
    );
    if (values.json) {
      const nodes = tasks.map(({ id, subject, status, owner }) => ({
        id,
        subject,
        status,
        ...(owner !== undefined && { owner }),
      }));
      terminal.printJson({ tasks: nodes, edges });
      return EXIT.success;
    }
    if (values.dot) {
      terminal.print(
        [
          "digraph tasks {",
          "  rankdir=LR;",
          "  node [shape=box];",
          ...tasks.map(
            ({ id, subject, status }) =>
              `  ${id} [label=${quoted(`${id} ${subject}`)}, class=${quoted(status)}${status === "done" ? ", style=dashed" : status === "claimed" ? ", style=bold" : ""}];`,
          ),
          ...edges.map(({ from, to }) => `  ${from} -> ${to};`),
          "}",
        ].join("\n"),
      );
      return EXIT.success;
    }
    const { renderTaskGraph } = await import("../../../surfaces/text/tasks/index.ts");
    const known = new Map(every.map((task) => [task.id, task]));
    const rows = await taskRows({ ...store, get: (id) => known.get(id) }, tasks);
    terminal.print(renderTaskGraph(rows, textOptions(terminal, await store.now())));
    if (tasks.length === 0)
      terminal.printError(
        every.length === 0
          ? "Add one with `waymark task add SUBJECT`."
          : "All tasks are closed. Use --all to include them.",
      );
    return EXIT.success;
  },
});

function quoted(text: string): string {
  return `"${terminalLine(text).replace(/[\\"]/g, "\\$&")}"`;
}
