import { duration } from "../../../core/text/duration.ts";
import type { TaskRow } from "../../../tasks/model.ts";
import { roughly } from "../draw/duration.ts";
import type { Page } from "../draw/page.ts";
import type { Sgr } from "../draw/paint.ts";

/** How a task stands, in one word. */
export function markOf({ marks }: Page, task: TaskRow): string {
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

export function markTone({ tones }: Page, task: TaskRow): Sgr | undefined {
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

/** What a person wants to know of it at a glance. */
export function stateOf(page: Page, task: TaskRow): string {
  const { now } = page.options;
  switch (task.status) {
    case "open": {
      if (task.waitsFor.length > 0) return `waits for ${task.waitsFor.join(", ")}`;
      return task.lapsed ? `ready, ${page.safe(task.lapsed.owner)} fell silent` : "ready";
    }
    case "claimed": {
      const left = (task.leaseUntil ?? now) - now;
      return `${page.safe(task.owner ?? "")}, ${duration(left)} left`;
    }
    case "done":
    case "failed":
    case "cancelled": {
      const ago = now - (task.finishedAt ?? task.updatedAt);
      return `${task.status} ${roughly(Math.max(0, ago))} ago`;
    }
  }
}
