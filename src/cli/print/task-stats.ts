import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { oneLine } from "../../core/text/escape.ts";
import { withIsoTimes } from "../../core/views/json.ts";
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

/** A value of a label in the text format of Prometheus. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

/** The figures in the text format of Prometheus. All are gauges: old tasks can be deleted. */
export function statsPrometheus(stats: TaskStats): string {
  const { counts, queue, done, failed, oldest, waiting, running } = stats;
  const lines: string[] = [];
  const gauge = (name: string, help: string, values: readonly (readonly [string, number])[]) => {
    if (values.length === 0) return;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
    for (const [labels, value] of values)
      lines.push(`${name}${labels === "" ? "" : `{${labels}}`} ${value}`);
  };
  const states = Object.entries(counts).filter(([name]) => name !== "overdue");
  gauge(
    "waymark_tasks",
    "Unfinished tasks by state; failed are dead letters.",
    states.map(([state, count]) => [`state=${quoted(state)}`, count]),
  );
  gauge("waymark_tasks_overdue", "Unfinished tasks after their deadline.", [["", counts.overdue]]);
  gauge("waymark_queue_paused", "1 while the queue is paused.", [["", queue.paused ? 1 : 0]]);
  gauge("waymark_tasks_window_seconds", "Length of the window of the figures below.", [
    ["", (stats.at - stats.since) / 1_000],
  ]);
  gauge("waymark_tasks_done", "Tasks done in the window.", [["", done]]);
  gauge("waymark_task_attempts_failed", "Failed attempts in the window.", [["", failed]]);
  gauge(
    "waymark_tasks_oldest_ready_seconds",
    "Age of the oldest ready task.",
    oldest === undefined ? [] : [["", oldest / 1_000]],
  );
  for (const [name, help, value] of [
    ["waiting", "From creation to the claim that finished a task.", waiting],
    ["running", "From that claim to the end.", running],
  ] as const)
    gauge(
      `waymark_task_${name}_seconds`,
      help,
      value
        ? [
            ['quantile="0.5"', value.median / 1_000],
            ['quantile="0.95"', value.p95 / 1_000],
            ['quantile="1"', value.longest / 1_000],
          ]
        : [],
    );
  for (const [kind, groups] of [
    ["label", stats.labels],
    ["owner", stats.owners],
  ] as const)
    gauge(
      `waymark_tasks_by_${kind}`,
      `Tasks by ${kind} and state; done and failed attempts are of the window.`,
      groups.flatMap(({ name, ready, claimed, done: finished, failed: lost }) =>
        Object.entries({ ready, claimed, done: finished, failed: lost }).map(
          ([state, count]) => [`${kind}=${quoted(name)},state=${quoted(state)}`, count] as const,
        ),
      ),
    );
  return lines.join("\n");
}
