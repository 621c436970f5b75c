import { UsageError } from "../../../core/error.ts";
import { parseChoice } from "../../args/arguments.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { parseTime } from "../../args/time.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";
import { statsForm, statsPrometheus, statsText } from "../../print/task-stats.ts";

const FORMATS = ["text", "json", "prometheus"] as const;

export const stats = defineCommand({
  description: "Show throughput, waiting times and the age of the queue, by label and owner.",
  arguments: [],
  options: {
    since: {
      type: "string",
      value: "TIME",
      summary: "Begin of the window: ISO 8601, HH:MM or a duration",
      default: "24h",
    },
    format: {
      type: "string",
      value: "FORMAT",
      summary: `Output format: ${FORMATS.join(", ")}`,
      default: "text",
      completions: FORMATS,
    },
    json: JSON_OPTION,
    ...TASK_STORE_OPTION,
  },
  notes: [
    "Waiting is the time from the creation of a task to the claim that finished it, running the time from that claim to the end. The figures are taken from the newest 5,000 outcomes and the 5,000 most urgent ready tasks.",
  ],
  examples: [
    { command: "waymark task stats", comment: "Figures of the last 24 hours" },
    {
      command: "waymark task stats --since 1h --json",
      comment: "Figures of the last hour as JSON",
    },
    { command: "waymark task stats --format prometheus", comment: "Metrics for Prometheus" },
  ],
  seeAlso: ["task list", "task queue", "task prune"],
  async run({ values, terminal, home }) {
    const format =
      values.format === undefined ? undefined : parseChoice("--format", values.format, FORMATS);
    if (values.json && format !== undefined && format !== "json")
      throw new UsageError(`--json and --format ${format} cannot be combined.`);
    const store = await home.tasks("reading", values.store);
    const now = await store.now();
    const found = await store.stats(
      values.since === undefined ? {} : { since: parseTime(values.since, now) },
    );
    if (values.json || format === "json") terminal.printJson(statsForm(found));
    else terminal.printText(format === "prometheus" ? statsPrometheus(found) : statsText(found));
    return EXIT.success;
  },
});
