import type { Task } from "../../../tasks/model.ts";
import type { TaskCard, TaskColumn } from "../../../tasks/rules/board.ts";
import type { IconName } from "../ui/icons.tsx";
import { duration } from "../ui/words.ts";
import type { Holders } from "./holders.ts";

export const COLUMNS: Readonly<Record<TaskColumn, { title: string; hint: string }>> = {
  ready: { title: "Ready", hint: "The next claim takes the first." },
  waiting: { title: "Waiting", hint: "Open, but a blocker is not done." },
  claimed: { title: "Claimed", hint: "Renewed while the holder works." },
  done: { title: "Done", hint: "Today. Older ones are in search." },
  failed: { title: "Failed", hint: "Out of tries. Someone must look." },
};

/** The sign of a task, and what a reader of the screen hears. */
export function taskMark({ status }: Task, waits: boolean): { icon: IconName; says: string } {
  switch (status) {
    case "open":
      return waits
        ? { icon: "blocked", says: "waiting for others" }
        : { icon: "pending", says: "ready" };
    case "claimed":
      return { icon: "active", says: "claimed" };
    case "done":
      return { icon: "claimed", says: "done" };
    case "failed":
      return { icon: "failed", says: "failed" };
    case "cancelled":
      return { icon: "cancelled", says: "dropped" };
  }
}

/** `4:52`, as it is read from a clock that runs down. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds >= 3_600) return duration(ms);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** How it stands, in a few words, as the graph and the ties say it. */
export function standWords({ task, waitsFor, rank, lease }: TaskCard, holders: Holders): string {
  const owner = holders(task.owner)?.name ?? task.owner;
  switch (task.status) {
    case "open":
      return waitsFor.length > 0 ? `waits for ${listed(waitsFor)}` : rankWords(rank);
    case "claimed":
      return lease?.isLow ? `${owner ?? ""}, free in ${duration(lease.left)}` : (owner ?? "");
    case "cancelled":
      return "dropped";
    case "done":
      return owner === undefined ? "done" : `done by ${owner}`;
    case "failed":
      return "failed";
  }
}

const PLACES = ["first", "second", "third"];

function rankWords(rank: number | undefined): string {
  if (rank === undefined) return "ready";
  return `ready, ${PLACES[rank - 1] ?? `number ${rank}`}`;
}

const MANY = 4;

export function listed(ids: readonly string[]): string {
  const more = ids.length - MANY;
  return more > 0 ? `${ids.slice(0, MANY).join(", ")} and ${more} more` : ids.join(", ");
}
