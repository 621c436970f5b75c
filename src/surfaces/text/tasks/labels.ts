import { formatAgo, formatDuration } from "../../../core/text/duration.ts";
import type { QueuePause, TaskRow } from "../../../tasks/model.ts";
import type { Page } from "../draw/page.ts";
import type { Sgr } from "../draw/paint.ts";

/** The mark of a task's state. */
export function taskMark({ marks }: Page, task: TaskRow): string {
  switch (task.status) {
    case "open":
      return task.waitsFor.length > 0 ? marks.todo.blocked : marks.todo.pending;
    case "claimed":
      return marks.todo.in_progress;
    case "done":
      return marks.todo.completed;
    case "failed":
      return marks.failed;
    case "cancelled":
      return marks.todo.cancelled;
  }
}

export function taskTone({ tones }: Page, task: TaskRow): Sgr | undefined {
  switch (task.status) {
    case "open":
      return task.waitsFor.length > 0 ? tones.watch : undefined;
    case "claimed":
      return tones.bold;
    case "failed":
      return tones.broken;
    case "done":
    case "cancelled":
      return tones.dim;
  }
}

/** Cells below which a cut owner says nothing. */
const MIN_OWNER = 8;

/**
 * The state of a task: `ready`, `blocked by t3`, `OWNER, 4m 10s left`, `done 2h ago`. If the label of a claim is
 * wider than `width`, the owner is cut: it may be the id of a session.
 */
export function taskStateLabel(page: Page, task: TaskRow, width = Infinity): string {
  const { now } = page.options;
  switch (task.status) {
    case "open": {
      if (task.waitsFor.length > 0) return `blocked by ${task.waitsFor.join(", ")}`;
      const wait = (task.notBefore ?? 0) - now;
      if (wait > 0)
        return task.attempts > 0
          ? `attempt ${task.attempts + 1} of ${task.maxAttempts}, in ${formatDuration(wait)}`
          : `ready in ${formatDuration(wait)}`;
      return task.lapsed ? `ready, lease of ${page.safe(task.lapsed.owner)} expired` : "ready";
    }
    case "claimed": {
      const left = (task.leaseUntil ?? now) - now;
      const time = `, ${formatDuration(left)} left`;
      const owner = page.safe(task.owner ?? "");
      const room = width - time.length;
      return `${room < MIN_OWNER ? owner : page.cut(owner, room)}${time}`;
    }
    case "done":
    case "failed":
    case "cancelled":
      return `${task.status} ${formatAgo(task.finishedAt ?? task.updatedAt, now)}`;
  }
}

/** `Queue paused by ann 5m ago: database maintenance. Claimed tasks continue.` */
export function pauseText({ by, at, reason }: QueuePause, now: number): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `Queue paused by ${by} ${formatAgo(at, now)}${why}. Claimed tasks continue.`;
}
