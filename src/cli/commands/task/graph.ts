import { UsageError } from "../../../core/error.ts";
import { terminalLine } from "../../../core/text/escape.ts";
import { taskRows } from "../../../tasks/links/detail.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { TASK_STORE } from "../../options/task-change.ts";

export const graph = defineCommand({
  arguments: [],
  options: {
    all: { type: "boolean", summary: "Closed ones as well" },
    dot: { type: "boolean", summary: "Print the graph for Graphviz" },
    json: { type: "boolean", summary: "Print JSON: tasks and edges" },
    ...TASK_STORE,
  },
  notes: ["Below each task stand those that wait for it."],
  examples: [
    { command: "waymark task graph", says: "What waits for what" },
    { command: "waymark task graph --all --dot > tasks.dot", says: "For dot -Tsvg" },
  ],
  async run({ values, terminal, home }) {
    if (values.dot && values.json) throw new UsageError("Give --dot or --json, not both.");
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
      return EXIT.fine;
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
      return EXIT.fine;
    }
    const { renderTaskGraph } = await import("../../../surfaces/text/tasks/index.ts");
    const known = new Map(every.map((task) => [task.id, task]));
    const rows = await taskRows({ ...store, get: (id) => known.get(id) }, tasks);
    terminal.print(renderTaskGraph(rows, textOptions(terminal, await store.now())));
    if (tasks.length === 0)
      terminal.say(
        every.length === 0
          ? "Add the first one: waymark task add SUBJECT"
          : "All are closed; --all shows them.",
      );
    return EXIT.fine;
  },
});

function quoted(text: string): string {
  return `"${terminalLine(text).replace(/[\\"]/g, "\\$&")}"`;
}
