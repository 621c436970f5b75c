import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DIALECTS } from "../../src/agents/index.ts";
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
  const news: TranscriptUpdate[] = [];
  let changes = 0;
  follower = follow(DIALECTS, home.machine, {
    index: new Map(),
    ...options,
    onUpdates: (fresh) => news.push(...fresh),
    onChange: () => changes++,
  });
  await follower.ready;
  return {
    news,
    changes: () => changes,
    lists: () => news.filter(({ event }) => event.type === "todo_list").length,
    todos: () => follower?.tracks().map(({ live }) => live.track.todos) ?? [],
  };
}

/** The lists as somebody reads them who comes later. */
async function anew() {
  const { roster } = await readSessions(DIALECTS, discover(DIALECTS, home.machine), new Map());
  return roster.tracks().map(({ live }) => live.track.todos);
}

/** Waits until what is followed is what is read. */
async function becomesAsRead(todos: () => unknown): Promise<void> {
  await until(
    async () => JSON.stringify(todos()) === JSON.stringify(await anew()),
    "the lists as they are read anew",
  );
}

const SLOW = { every: 60_000 };

test("what was there is no news; what is appended is, once, by a notice alone", async () => {
  const path = home.write(FILE, text(0, 6));
  const { news, lists, todos } = await start(SLOW);
  expect(news).toEqual([]);
  expect(todos()).toHaveLength(1);
  for (let line = 6; line < LINES.length; line++) appendFileSync(path, text(line, line + 1));
  await expect.poll(lists).toBe(1);
  await becomesAsRead(todos);
  const ids = news.map(({ event }) => event.eventId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("each piece of news has the list as it was before and after", async () => {
  const path = home.write(FILE, text(0, 1));
  const { news, lists } = await start(SLOW);
  appendFileSync(path, text(1));
  await expect.poll(lists).toBe(2);
  const moves = news
    .filter(({ event }) => event.type === "todo_list")
    .map(({ before, after }) => [before.revision, after.revision]);
  expect(moves).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

test("a new file, in a new folder, of an agent that was not there", async () => {
  const { news, todos } = await start({ every: 200 });
  expect(todos()).toEqual([]);
  home.write(FILE, text(0));
  home.copy(
    "codex/rollout/simple.jsonl",
    `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
  );
  await expect.poll(() => todos().length).toBe(2);
  await becomesAsRead(todos);
  expect(new Set(news.map(({ event }) => event.agentType))).toEqual(
    new Set(["claude-code", "codex"]),
  );
});

test("F4 a file that is replaced, cut or taken away", async () => {
  const path = home.write(FILE, text(0));
  const { news, todos, changes } = await start({ every: 200 });
  const other = join(dirname(path), "other.tmp");
  writeFileSync(other, fixture("claude-code/tasks/interactive.jsonl"));
  renameSync(other, path);
  await becomesAsRead(todos);
  expect(todos()[0]?.map(({ text: said }) => said)).toEqual(["Fourth"]);
  truncateSync(path, text(0, 2).length);
  writeFileSync(path, text(0, 2));
  await becomesAsRead(todos);
  const before = changes();
  rmSync(path);
  await expect.poll(() => todos().length).toBe(0);
  expect(changes()).toBeGreaterThan(before);
  // What stands in a file that was begun anew and is older than what was heard is no news.
  expect(news.every(({ event }) => event.timestamp > 0)).toBe(true);
});

test("a file that is written anew with one line more tells only of that line", async () => {
  const path = home.write(FILE, text(0, LINES.length - 3));
  const { news, todos } = await start({ every: 200 });
  rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `{"type":"other"}\n${text(0)}`);
  await becomesAsRead(todos);
  const last = Date.parse(
    (JSON.parse(LINES[LINES.length - 4] ?? "") as { timestamp: string }).timestamp,
  );
  const old = news.filter(({ event }) => event.type === "todo_list" && event.timestamp <= last);
  expect(old).toEqual([]);
});

test("a database that another program writes to", async () => {
  const path = await writeOpencode(home);
  const driver = await loadDriver();
  const writer = driver.open(path);
  writer.exec("PRAGMA journal_mode = WAL");
  const news: TranscriptUpdate[] = [];
  follower = follow(DIALECTS, home.machine, {
    index: new Map(),
    driver,
    every: 200,
    onUpdates: (fresh) => news.push(...fresh),
  });
  await follower.ready;
  writer.exec("UPDATE todo SET time_updated = 1795000008000");
  writer.exec("UPDATE todo SET status = 'completed' WHERE content = 'Write the migration'");
  await expect.poll(() => news.some(({ change }) => (change?.changes.length ?? 0) > 0)).toBe(true);
  const moved = news.flatMap(({ change }) => change?.changes ?? []);
  expect(moved).toEqual([{ type: "todo.moved", id: "2", from: "in_progress", to: "completed" }]);
  writer.close();
});

test("reads a database again once a lock on it is gone", async () => {
  const path = await writeOpencode(home);
  const driver = await loadDriver();
  const writer = driver.open(path);
  const news: TranscriptUpdate[] = [];
  const index: Index = new Map();
  follower = follow(DIALECTS, home.machine, {
    index,
    driver,
    ...SLOW,
    onUpdates: (fresh) => news.push(...fresh),
  });
  await follower.ready;
  writer.exec("UPDATE todo SET status = 'completed', time_updated = 1795000008000");
  // A journal and an exclusive lock; rolled back, neither leaves a trace in the file.
  writer.exec("BEGIN EXCLUSIVE; UPDATE todo SET status = 'pending'");
  await until(() => index.get(path)?.problem !== undefined, "the database to be locked");
  writer.exec("ROLLBACK");
  writer.close();
  await until(
    () => news.some(({ change }) => (change?.changes.length ?? 0) > 0),
    "the change to be reported",
  );
  expect(index.get(path)?.problem).toBeUndefined();
});

test("after the end nothing comes any more", async () => {
  const path = home.write(FILE, text(0, 6));
  const { news } = await start({ every: 50 });
  follower?.stop();
  appendFileSync(path, text(6));
  // Another one that begins here has read it, and then hears of what comes next.
  const later = follow(DIALECTS, home.machine, {
    index: new Map(),
    every: 50,
    onUpdates: (fresh) => heard.push(...fresh),
  });
  const heard: TranscriptUpdate[] = [];
  try {
    await later.ready;
    home.copy(
      "codex/rollout/simple.jsonl",
      `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
    );
    await until(() => heard.length > 0, "news for the other one");
  } finally {
    later.stop();
  }
  expect(news).toEqual([]);
});
