import type { GroupStats, Spread, TaskStats } from "../../tasks/model.ts";
import type { Family, Sample } from "./family.ts";

/** Figures about the task queue. */
export function taskFamilies(stats: TaskStats): readonly Family[] {
  const { counts, queue, done, failed, oldest, waiting, running } = stats;
  const states = Object.entries(counts).filter(([name]) => name !== "overdue");
  return [
    {
      name: "waymark_tasks",
      help: "Unfinished tasks by state; failed are dead letters.",
      samples: states.map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: "waymark_tasks_overdue",
      help: "Unfinished tasks after their deadline.",
      samples: one(counts.overdue),
    },
    {
      name: "waymark_queue_paused",
      help: "1 while the queue is paused.",
      samples: one(queue.paused ? 1 : 0),
    },
    {
      name: "waymark_tasks_window_seconds",
      help: "Length of the window of the figures below.",
      samples: one((stats.at - stats.since) / 1_000),
    },
    { name: "waymark_tasks_done", help: "Tasks done in the window.", samples: one(done) },
    {
      name: "waymark_task_attempts_failed",
      help: "Failed attempts in the window.",
      samples: one(failed),
    },
    {
      name: "waymark_tasks_oldest_ready_seconds",
      help: "Age of the oldest ready task.",
      samples: oldest === undefined ? [] : one(oldest / 1_000),
    },
    {
      name: "waymark_task_waiting_seconds",
      help: "From creation to the claim that finished a task.",
      samples: quantiles(waiting),
    },
    {
      name: "waymark_task_running_seconds",
      help: "From that claim to the end.",
      samples: quantiles(running),
    },
    groupFamily("label", stats.labels),
    groupFamily("owner", stats.owners),
  ];
}

/** A sample without labels. */
export function one(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

function quantiles(spread: Spread | undefined): readonly Sample[] {
  if (!spread) return [];
  const { median, p95, longest } = spread;
  const values = Object.entries({ "0.5": median, "0.95": p95, "1": longest });
  return values.map(([quantile, value]) => ({ labels: { quantile }, value: value / 1_000 }));
}

function groupFamily(kind: string, groups: readonly GroupStats[]): Family {
  return {
    name: `waymark_tasks_by_${kind}`,
    help: `Tasks by ${kind} and state; done and failed attempts are of the window.`,
    open: [kind],
    samples: groups.flatMap(({ name, ready, claimed, done, failed }) =>
      Object.entries({ ready, claimed, done, failed }).map(([state, value]) => ({
        labels: { [kind]: name, state },
        value,
      })),
    ),
  };
}
