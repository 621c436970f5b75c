import type { Prices } from "../core/cost/price.ts";
import type { Feed } from "../sessions/feed.ts";
import type { Family } from "../surfaces/metrics/family.ts";
import { sessionFamilies } from "../surfaces/metrics/sessions.ts";
import { one, taskFamilies } from "../surfaces/metrics/tasks.ts";
import type { TaskStats } from "../tasks/model.ts";

export interface MetricsSource {
  readonly feed: Pick<Feed, "tracks" | "problem">;
  readonly prices: Prices;
  /** Reads the figures of the task store; absent if another home directory is shown. */
  readonly taskStats?: () => Promise<TaskStats>;
}

/** Reads the figures about sessions and tasks. */
export type ReadMetrics = () => Promise<readonly Family[]>;

/** Less than the 10 s after which Prometheus abandons a scrape by default. */
const TASKS_TIMEOUT = 3_000;

/** A task store that cannot be read leaves the other figures readable. */
export function metricsReader({ feed, prices, taskStats }: MetricsSource): ReadMetrics {
  let reading: Promise<TaskStats | undefined> | undefined;
  /** Readers at the same time share one reading, also while a server does not answer. */
  const readTasks = (read: () => Promise<TaskStats>): Promise<TaskStats | undefined> => {
    // Reported as `waymark_task_store_up`; the terminal would repeat it with every scrape.
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return within(reading, TASKS_TIMEOUT);
  };
  return async () => {
    const stats = taskStats && (await readTasks(taskStats));
    return [
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
    ];
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
