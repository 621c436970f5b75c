import type { TaskWithEvents } from "../../../src/surfaces/terminal/state.ts";
import type { Task, TaskStatus } from "../../../src/tasks/model.ts";
import { type TaskBoard, taskBoard } from "../../../src/tasks/rules/board.ts";
import { NOW } from "./board-data.ts";

const MINUTE = 60_000;

export function taskOf(
  number: number,
  priority: Task["priority"],
  subject: string,
  status: TaskStatus,
  more: Partial<Task> = {},
): Task {
  return {
    id: `t${number}`,
    subject,
    status,
    priority,
    labels: [],
    blockedBy: [],
    epoch: status === "claimed" ? 1 : 0,
    attempts: status === "claimed" ? 1 : 0,
    maxAttempts: 3,
    evidence: [],
    metadata: {},
    createdAt: NOW - 41 * MINUTE,
    updatedAt: NOW - 41 * MINUTE,
    ...more,
  };
}

const held = (owner: string, left: number): Partial<Task> => ({
  owner,
  lease: 5 * MINUTE,
  leaseUntil: NOW + left,
  claimedAt: NOW - 9 * MINUTE,
});

/** The shared tasks of four agents. */
export function backlog(more: readonly Task[] = []): TaskBoard {
  return taskBoard(
    [
      taskOf(27, 1, "Import the 2019 ledger", "failed", {
        owner: "codex",
        attempts: 3,
        reason: "two header rows",
        finishedAt: NOW - 90 * MINUTE,
      }),
      taskOf(28, 1, "Rewrite the quick start", "done", {
        owner: "claude",
        evidence: ["npm run docs:check"],
        finishedAt: NOW - 12 * MINUTE,
      }),
      taskOf(31, 0, "Upgrade staging to PostgreSQL 18", "claimed", held("gemini", 50_000)),
      taskOf(32, 0, "Make refunds idempotent", "claimed", held("claude", 292_000)),
      taskOf(33, 0, "Backfill refund keys in production", "open", { blockedBy: ["t31", "t32"] }),
      taskOf(38, 0, "Alert when a refund key repeats", "open", {
        description: "Page the on-call engineer, at most once an hour.",
        labels: ["refunds", "alerts"],
      }),
      taskOf(40, 2, "Add the key header to the client examples for 日本語 readers", "open"),
      taskOf(45, 2, "Announce the header to clients", "open", { blockedBy: ["t40"] }),
      ...more,
    ],
    NOW,
  );
}

/** A large backlog. */
export function largeBacklog(count: number): TaskBoard {
  return backlog(
    Array.from({ length: count }, (_, place) => taskOf(100 + place, 3, `Part ${place}`, "open")),
  );
}

/** One task in full, with more than the board has of it. */
export function taskWithEvents(id: string): TaskWithEvents {
  const card = Object.values(backlog().columns)
    .flat()
    .find(({ task }) => task.id === id);
  if (!card) throw new Error(`no task ${id}`);
  const received = { task: id, via: "cli", set: {} };
  return {
    task: {
      ...card.task,
      waitsFor: card.waitsFor,
      description: `${card.task.description ?? ""}\n\nThe second page of it.`,
      metadata: { ticket: 7 },
    },
    blocks: [],
    children: [],
    events: [
      {
        ...received,
        seq: 1,
        at: NOW - 41 * MINUTE,
        type: "added",
        by: "user",
        set: { subject: card.task.subject },
      },
      {
        ...received,
        seq: 2,
        at: NOW - 20 * MINUTE,
        type: "claimed",
        by: "agent",
        actor: "claude",
        set: { owner: "claude", epoch: 1 },
      },
      {
        ...received,
        seq: 3,
        at: NOW - 9 * MINUTE,
        type: "released",
        by: "user",
        via: "board",
        set: { owner: null },
      },
    ],
  };
}
