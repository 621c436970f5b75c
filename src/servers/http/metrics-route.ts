import type { Prices } from "../../core/cost/price.ts";
import type { Feed } from "../../sessions/feed.ts";
import { sessionFamilies } from "../../surfaces/metrics/sessions.ts";
import { one, taskFamilies } from "../../surfaces/metrics/tasks.ts";
import { type Family, metricsText } from "../../surfaces/metrics/text-format.ts";
import type { TaskStats } from "../../tasks/model.ts";
import { type Route, sendText } from "./routes.ts";

export interface MetricsSource {
  readonly feed: Pick<Feed, "tracks" | "problem">;
  readonly prices: Prices;
  readonly version: string;
  /** Reads the figures of the task store; absent if another home directory is shown. */
  readonly taskStats?: () => Promise<TaskStats>;
}

/** Less than the 10 s after which Prometheus abandons a scrape by default. */
const TASKS_TIMEOUT = 3_000;

/** The metrics for Prometheus. A task store that cannot be read leaves the other figures readable. */
export function metricsRoute({ feed, prices, version, taskStats }: MetricsSource): Route {
  let reading: Promise<TaskStats | undefined> | undefined;
  /** Scrapes at the same time share one reading, also while a server does not answer. */
  const readTasks = (read: () => Promise<TaskStats>): Promise<TaskStats | undefined> => {
    // Reported as `waymark_task_store_up`; the terminal would repeat it with every scrape.
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return within(reading, TASKS_TIMEOUT);
  };
  return {
    method: "GET",
    path: "/metrics",
    async handle({ response }) {
      const stats = taskStats && (await readTasks(taskStats));
      const text = metricsText([
        ...sessionFamilies(feed.tracks(), prices),
        {
          name: "waymark_sessions_current",
          help: "0 while the sessions may be out of date, because a source cannot be read.",
          samples: one(feed.problem() === undefined ? 1 : 0),
        },
        {
          name: "waymark_task_store_up",
          help: "0 if the task store could not be read.",
          samples: taskStats ? one(stats ? 1 : 0) : [],
        },
        ...(stats ? taskFamilies(stats) : []),
        ...processFamilies(version),
      ]);
      sendText(response, 200, "text/plain; version=0.0.4", `${text}\n`);
    },
  };
}

/** Resolves to undefined after `timeout` milliseconds. */
async function within<T>(promise: Promise<T>, timeout: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeout);
  });
  return Promise.race([promise, expired]).finally(() => clearTimeout(timer));
}

function processFamilies(version: string): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const node = process.version;
  return [
    {
      name: "waymark_build_info",
      help: "Always 1; the labels have the versions.",
      samples: [{ labels: { version, node }, value: 1 }],
    },
    {
      name: "process_start_time_seconds",
      help: "Start of the server in seconds since 1970.",
      samples: one(Math.round(performance.timeOrigin) / 1_000),
    },
    {
      name: "process_resident_memory_bytes",
      help: "Memory of the server.",
      samples: one(process.memoryUsage.rss()),
    },
    {
      name: "process_cpu_seconds_total",
      help: "CPU time of the server.",
      type: "counter",
      samples: one((user + system) / 1_000_000),
    },
  ];
}
