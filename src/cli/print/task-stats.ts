import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { oneLine } from "../../core/text/escape.ts";
import { withIsoTimes } from "../../core/views/json.ts";
import { taskFamilies } from "../../surfaces/metrics/tasks.ts";
import { metricsText } from "../../surfaces/metrics/text-format.ts";
import type { GroupStats, Spread, TaskStats } from "../../tasks/model.ts";
import { queueForm, queueText } from "./queue-form.ts";

/** Rows of each table; JSON has all. */
const ROWS = 15;

/** The JSON form of the figures. Durations are milliseconds. */
export function statsForm({ at, since, queue, ...stats }: TaskStats) {
  const { at: time } = withIsoTimes({ at });
  const { at: begin } = withIsoTimes({ at: since });
  return { at: time, since: begin, queue: queueForm(queue), ...stats };
}

const spread = ({ median, p95, longest }: Spread) =>
  `median ${formatDuration(median)}, 95% within ${formatDuration(p95)}, longest ${formatDuration(longest)}`;

export function statsText(stats: TaskStats): string {
  const { counts, queue, done, failed, perHour, oldest, waiting, running } = stats;
  const window = formatDuration(stats.at - stats.since);
  const facts: readonly (readonly [string, string])[] = [
    [
      "Queue",
      [
        `${counts.ready} ready`,
        `${counts.delayed} delayed`,
        `${counts.blocked} blocked`,
        `${counts.claimed} claimed`,
        `${counts.failed} dead`,
        ...(counts.overdue > 0 ? [`${counts.overdue} overdue`] : []),
      ].join(", "),
    ],
    ...(oldest === undefined ? [] : [["Oldest", `ready since ${formatDuration(oldest)}`] as const]),
    [
      "Done",
      `${done} in ${window} (${perHour.toFixed(1)} per hour), ${counted(failed, "failed attempt")}`,
    ],
    ...(waiting ? [["Waiting", spread(waiting)] as const] : []),
    ...(running ? [["Running", spread(running)] as const] : []),
  ];
  return [
    ...(queue.paused || queue.aging !== undefined ? [queueText(queue, stats.at)] : []),
    ...facts.map(([name, value]) => `${name.padEnd(8)} ${value}`),
    ...table("LABEL", stats.labels),
    ...table("OWNER", stats.owners),
  ].join("\n");
}

function table(name: string, groups: readonly GroupStats[]): readonly string[] {
  if (groups.length === 0) return [];
  const rows = groups.slice(0, ROWS).map((group) => ({ ...group, name: oneLine(group.name) }));
  const width = Math.min(30, Math.max(name.length, ...rows.map((row) => [...row.name].length)));
  const cells = (values: readonly string[]) => values.map((value) => value.padStart(8)).join("");
  return [
    "",
    `${name.padEnd(width)}${cells(["ready", "claimed", "done", "failed", "oldest"])}`,
    ...rows.map(({ name: own, ready, claimed, done, failed, oldest }) => {
      const age = oldest === undefined ? "-" : formatDuration(oldest);
      const shown = [...own].slice(0, width).join("").padEnd(width);
      return `${shown}${cells([ready, claimed, done, failed].map(String))}${age.padStart(8)}`;
    }),
    ...(groups.length > ROWS ? [`${groups.length - ROWS} more; --json lists them`] : []),
  ];
}

/** The figures in the text format of Prometheus. */
export function statsPrometheus(stats: TaskStats): string {
  return metricsText(taskFamilies(stats));
}
