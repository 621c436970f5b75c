import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import {
  type Follower,
  follow,
  type TranscriptUpdate,
} from "../../src/sessions/transcripts/follow.ts";
import type { Index } from "../../src/sessions/transcripts/index-file.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { until } from "../until.ts";
import { CLAUDE, CODEX, fixture, newUserHome, type UserHome, writeOpencode } from "./home.ts";

let home: UserHome;
let follower: Follower | undefined;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => {
  follower?.stop();
  follower = undefined;
  home.remove();
});

const FILE = `.claude/projects/-p/${CLAUDE}.jsonl`;
const LINES = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`)
  .trimEnd()
  .split("\n");
const text = (from: number, to = LINES.length) =>
  LINES.slice(from, to)
    .map((line) => `${line}\n`)
    .join("");

async function start(options: { readonly every?: number } = {}) {
  const updates: TranscriptUpdate[] = [];
  let changes = 0;
  follower = follow(DECODERS, home.machine, {
    index: new Map(),
    ...options,
    onUpdates: (fresh) => updates.push(...fresh),
    onChange: () => changes++,
  });
  await follower.ready;
  return {
    updates,
    changes: () => changes,
    lists: () => updates.filter(({ event }) => event.type === "todo_list").length,
    todos: () => follower?.tracks().map(({ live }) => live.track.todos) ?? [],
  };
}

/** The lists according to a new scan. */
async function rescan() {
  const { roster } = await readSessions(DECODERS, discover(DECODERS, home.machine), new Map());
  return roster.tracks().map(({ live }) => live.track.todos);
}

/** Waits until the follower has the same lists as a new scan. */
async function becomesAsScanned(todos: () => unknown): Promise<void> {
  await until(
    async () => JSON.stringify(todos()) === JSON.stringify(await rescan()),
    "the lists of a new scan",
  );
}

const SLOW = { every: 60_000 };

test("reports appended events once, by file events alone, and nothing that existed", async () => {
  const path = home.write(FILE, text(0, 6));
  const { updates, lists, todos } = await start(SLOW);
  expect(updates).toEqual([]);
  expect(todos()).toHaveLength(1);
  for (let line = 6; line < LINES.length; line++) appendFileSync(path, text(line, line + 1));
  await expect.poll(lists).toBe(1);
  await becomesAsScanned(todos);
  const ids = updates.map(({ event }) => event.eventId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("reports the list before and after each update", async () => {
  const path = home.write(FILE, text(0, 1));
  const { updates, lists } = await start(SLOW);
  appendFileSync(path, text(1));
  await expect.poll(lists).toBe(2);
  const moves = updates
    .filter(({ event }) => event.type === "todo_list")
    .map(({ before, after }) => [before.revision, after.revision]);
  expect(moves).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

test("finds a new file in a new folder of a new agent", async () => {
  const { updates, todos } = await start({ every: 200 });
  expect(todos()).toEqual([]);
  home.write(FILE, text(0));
  home.copy(
    "codex/rollout/simple.jsonl",
    `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
  );
  await expect.poll(() => todos().length).toBe(2);
  await becomesAsScanned(todos);
  expect(new Set(updates.map(({ event }) => event.agentType))).toEqual(
    new Set(["claude-code", "codex"]),
  );
});

test("follows a file that is replaced, truncated and removed", {
  tags: ["replaced-file"],
}, async () => {
  const path = home.write(FILE, text(0));
  const { updates, todos, changes } = await start({ every: 200 });
  const other = join(dirname(path), "other.tmp");
  writeFileSync(other, fixture("claude-code/tasks/interactive.jsonl"));
  renameSync(other, path);
  await becomesAsScanned(todos);
  expect(todos()[0]?.map(({ text: shown }) => shown)).toEqual(["Fourth"]);
  truncateSync(path, text(0, 2).length);
  writeFileSync(path, text(0, 2));
  await becomesAsScanned(todos);
  const before = changes();
  rmSync(path);
  await expect.poll(() => todos().length).toBe(0);
  expect(changes()).toBeGreaterThan(before);
  // Old events of a rewritten file are not reported again.
  expect(updates.every(({ event }) => event.timestamp > 0)).toBe(true);
});

test("reports only the new line of a file that is rewritten with one line more", async () => {
  const path = home.write(FILE, text(0, LINES.length - 3));
  const { updates, todos } = await start({ every: 200 });
  rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `{"type":"other"}\n${text(0)}`);
  await becomesAsScanned(todos);
  const last = Date.parse(
    (JSON.parse(LINES[LINES.length - 4] ?? "") as { timestamp: string }).timestamp,
  );
  const old = updates.filter(({ event }) => event.type === "todo_list" && event.timestamp <= last);
  expect(old).toEqual([]);
});

test("follows a database that another program writes to", async () => {
  const path = await writeOpencode(home);
  const driver = await loadDriver();
  const writer = driver.open(path);
  writer.exec("PRAGMA journal_mode = WAL");
  const updates: TranscriptUpdate[] = [];
  follower = follow(DECODERS, home.machine, {
    index: new Map(),
    driver,
    every: 200,
    onUpdates: (fresh) => updates.push(...fresh),
  });
  await follower.ready;
  writer.exec("UPDATE todo SET time_updated = 1795000008000");
  writer.exec("UPDATE todo SET status = 'completed' WHERE content = 'Write the migration'");
  await expect
    .poll(() => updates.some(({ change }) => (change?.changes.length ?? 0) > 0))
    .toBe(true);
  const moved = updates.flatMap(({ change }) => change?.changes ?? []);
  expect(moved).toEqual([{ type: "todo.moved", id: "2", from: "in_progress", to: "completed" }]);
  writer.close();
});

test("reads a database again after a lock on it ends", async () => {
  const path = await writeOpencode(home);
  const driver = await loadDriver();
  const writer = driver.open(path);
  const updates: TranscriptUpdate[] = [];
  const index: Index = new Map();
  follower = follow(DECODERS, home.machine, {
    index,
    driver,
    ...SLOW,
    onUpdates: (fresh) => updates.push(...fresh),
  });
  await follower.ready;
  writer.exec("UPDATE todo SET status = 'completed', time_updated = 1795000008000");
  // A journal and an exclusive lock; the rollback leaves no trace of either.
  writer.exec("BEGIN EXCLUSIVE; UPDATE todo SET status = 'pending'");
  await until(() => index.get(path)?.problem !== undefined, "the database to be locked");
  writer.exec("ROLLBACK");
  writer.close();
  await until(
    () => updates.some(({ change }) => (change?.changes.length ?? 0) > 0),
    "the change to be reported",
  );
  expect(index.get(path)?.problem).toBeUndefined();
});

test("reports nothing after it was stopped", async () => {
  const path = home.write(FILE, text(0, 6));
  const { updates } = await start({ every: 50 });
  follower?.stop();
  appendFileSync(path, text(6));
  // A second follower has read it and then receives the next update.
  const later = follow(DECODERS, home.machine, {
    index: new Map(),
    every: 50,
    onUpdates: (fresh) => received.push(...fresh),
  });
  const received: TranscriptUpdate[] = [];
  try {
    await later.ready;
    home.copy(
      "codex/rollout/simple.jsonl",
      `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
    );
    await until(() => received.length > 0, "an update for the second follower");
  } finally {
    later.stop();
  }
  expect(updates).toEqual([]);
});

test("rereads a file whose first line is rewritten in place, and reports no list twice", async () => {
  const slot = (title: string) =>
    `${JSON.stringify({ type: "title", v: 1, title, pad: " ".repeat(99 - title.length) })}\n`;
  const [header = "", ...entries] = fixture("oh-my-pi/18/session.jsonl").trimEnd().split("\n");
  const body = (from: number, to?: number) =>
    entries
      .slice(from, to)
      .map((line) => `${line}\n`)
      .join("");
  const untitled = header.replace(',"title":"Add the export"', "");
  const path = home.write(
    ".omp/agent/sessions/--home-ann-shop--/2026-11-18T11-06-40-000Z_0195c0de.jsonl",
    `${slot("")}${untitled}\n${body(0, 6)}`,
  );
  const { updates, todos } = await start({ every: 50 });
  const titles = () => follower?.tracks().map(({ live }) => live.track.title);
  expect(titles()).toEqual([undefined]);
  const handle = openSync(path, "r+");
  writeSync(handle, slot("Export the orders"), 0);
  closeSync(handle);
  await expect.poll(titles).toEqual(["Export the orders"]);
  appendFileSync(path, body(6));
  await becomesAsScanned(todos);
  expect(titles()).toEqual(["Export the orders"]);
  const lists = updates.filter(({ event }) => event.type === "todo_list");
  expect(lists.map(({ event }) => event.eventId.split(":").at(-1))).toEqual(["t3", "a1b2000f"]);
});
