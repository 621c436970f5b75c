import { formatDuration } from "../../../core/text/duration.ts";
import type { Task } from "../../../tasks/model.ts";
import type { TaskCard, TaskColumn } from "../../../tasks/rules/board.ts";
import type { IconName } from "../ui/icons.tsx";
import type { OwnerLookup } from "./owners.ts";

export const COLUMNS: Readonly<Record<TaskColumn, { title: string; hint: string }>> = {
  ready: { title: "Ready", hint: "Most urgent first." },
  waiting: { title: "Blocked", hint: "Waiting for unfinished blockers." },
  claimed: { title: "Claimed", hint: "Leases renew while the owner is active." },
  done: { title: "Done", hint: "Today. Search to find older tasks." },
  failed: { title: "Failed", hint: "Out of attempts. Retry gives all of them again." },
};

/** The icon of a task and its label for screen readers. */
export function taskMark({ status }: Task, waits: boolean): { icon: IconName; label: string } {
  switch (status) {
    case "open":
      return waits ? { icon: "blocked", label: "blocked" } : { icon: "pending", label: "ready" };
    case "claimed":
      return { icon: "active", label: "claimed" };
    case "done":
      return { icon: "done", label: "done" };
    case "failed":
      return { icon: "failed", label: "failed" };
    case "cancelled":
      return { icon: "cancelled", label: "cancelled" };
  }
}

/** The state of a task, for the graph. */
export function stateLabel({ task, waitsFor, rank, lease }: TaskCard, owners: OwnerLookup): string {
  const owner = owners(task.owner)?.name ?? task.owner;
  switch (task.status) {
    case "open":
      return waitsFor.length > 0 ? `blocked by ${joinIds(waitsFor)}` : rankLabel(rank);
    case "claimed":
      return lease?.isLow
        ? `${owner ?? ""}, expires in ${formatDuration(lease.left)}`
        : (owner ?? "");
    case "cancelled":
      return "cancelled";
    case "done":
      return owner === undefined ? "done" : `done by ${owner}`;
    case "failed":
      return "failed";
  }
}

const RANKS = ["first", "second", "third"];

function rankLabel(rank: number | undefined): string {
  if (rank === undefined) return "ready";
  return `ready, ${RANKS[rank - 1] ?? `number ${rank}`}`;
}

const MAX_IDS = 4;

export function joinIds(ids: readonly string[]): string {
  const more = ids.length - MAX_IDS;
  return more > 0 ? `${ids.slice(0, MAX_IDS).join(", ")} and ${more} more` : ids.join(", ");
}
