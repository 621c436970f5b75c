import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadDriver } from "../../../src/engines/sqlite/driver.ts";
import type { TaskDraft, TaskOp } from "../../../src/tasks/model.ts";
import { sqliteTaskStore } from "../../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";

/** Generated tasks of a team, in every state. */

const MINUTE = 60_000;
/** A session of the team, as the owner of a task. */
const CLAUDE = "7f3a91c2-guest-refunds";

/** Drafts of one op refer to each other by their future ids. */
const named = (tasks: readonly TaskDraft[]): readonly TaskDraft[] =>
  tasks.map((task, place) => ({ ...task, name: `t${place + 1}` }));

async function apply(store: TaskStore, op: TaskOp): Promise<void> {
  const answer = await store.apply(op, { by: "user", via: "cli" });
  if (!answer.ok) throw new Error(answer.refused.message);
}

export async function createBacklog(home: string, now: number): Promise<void> {
  mkdirSync(home, { recursive: true });
  const file = join(home, "waymark.db");
  const store = await sqliteTaskStore(file, { createDirectory: true });
  const made = (subject: string, priority: TaskDraft["priority"], ago: number, more = {}) =>
    ({ subject, priority, createdAt: now - ago * MINUTE, ...more }) as TaskDraft;
  const done = (owner: string, ago: number, ...evidence: string[]) => ({
    status: "done",
    owner,
    evidence,
    finishedAt: now - ago * MINUTE,
  });
  await apply(store, {
    op: "add",
    tasks: named([
      made("Rewrite the quick start", 1, 300, done("claude-code", 12, "npm run docs:check")),
      made("Rename the payout metrics", 2, 280, done("qwen", 40)),
      made("Cache the exchange rates", 1, 400, done("opencode", 205, "npm test")),
      made("Import the ledger of 2019", 1, 260, { labels: ["db"], maxAttempts: 1 }),
      made("Upgrade staging to PostgreSQL 18", 0, 240, { labels: ["db"], blockedBy: ["t3"] }),
      made("Make refunds idempotent", 0, 230, {
        labels: ["api"],
        blockedBy: ["t3"],
        description:
          "A double click refunds twice. The key of the request decides.\n\n- Read the header\n- One row per key\n- Answer a repeat with the first result",
      }),
      made("Fix the flaky cart tests", 1, 100, { labels: ["web"] }),
      made("Drop the legacy balance column", 2, 90, { labels: ["db"] }),
      made("Backfill refund keys in production", 0, 200, {
        labels: ["db"],
        blockedBy: ["t5", "t6"],
      }),
      made("Add the key header to the client examples", 2, 121, {
        labels: ["docs"],
        blockedBy: ["t1"],
      }),
      made("Announce the header to clients", 2, 120, { labels: ["docs"], blockedBy: ["t10"] }),
      made("Delete the old refund endpoint", 3, 110, {
        labels: ["api"],
        blockedBy: ["t9", "t11"],
      }),
      made("Alert when a refund key repeats", 0, 12, { labels: ["ops"], blockedBy: ["t2"] }),
      made("Remove the flag refunds_v1", 1, 41, { labels: ["api"] }),
      made("Translate the error page", 3, 500, {
        status: "cancelled",
        finishedAt: now - 30 * MINUTE,
        reason: "nobody reads it",
      }),
    ]),
  });
  const claim = (id: string, owner: string) => apply(store, { op: "claim", id, owner });
  const held = (id: string, owner: string) => ({ owner, held: [{ id, epoch: 1 }] });
  await claim("t4", "codex");
  await apply(store, {
    op: "fail",
    ...held("t4", "codex"),
    reason: "the file has two header rows",
  });
  await claim("t5", "gemini");
  await claim("t6", CLAUDE);
  await claim("t7", "opencode");
  await claim("t8", "codex");
  await claim("t10", "qwen");
  await apply(store, { op: "fail", ...held("t10", "qwen"), reason: "tests timed out" });
  await store.close();
  // Lets four minutes pass for one owner without waiting.
  const db = (await loadDriver()).open(file);
  db.exec("UPDATE tasks SET lease_until = lease_until - 250000 WHERE num = 5");
  db.close();
}

/** Tasks with the given texts in every visible field. */
export async function createHostileTasks(home: string, texts: readonly string[]): Promise<void> {
  mkdirSync(home, { recursive: true });
  const store = await sqliteTaskStore(join(home, "waymark.db"), { createDirectory: true });
  await apply(store, {
    op: "add",
    tasks: named(
      texts.map((text, place) => ({
        subject: `subject ${text}`,
        description: `description ${text}\n\n- ${text}`,
        labels: [`label ${text}`],
        metadata: { [`key ${text}`]: `value ${text}` },
        ref: `ref ${text}`,
        author: `author ${text}`,
        ...(place > 0 && place % 3 === 0 && { blockedBy: [`t${place}`] }),
        ...(place % 3 === 1 && {
          status: "done" as const,
          owner: `owner ${text}`,
          evidence: [`proof ${text}`],
        }),
        ...(place % 3 === 2 && {
          status: "failed" as const,
          owner: `owner ${text}`,
          reason: `reason ${text}`,
        }),
      })),
    ),
  });
  await store.close();
}
