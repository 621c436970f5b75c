import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { follow, type TranscriptUpdate } from "../../src/sessions/transcripts/follow.ts";
import { READ_LIMIT } from "../../src/sessions/transcripts/read-units.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { CLAUDE, newUserHome, type UserHome } from "./home.ts";

let home: UserHome;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => home.remove());

const NOW = 1_800_000_000_000;
/** A session with these lists, one after the other. */
const sessionOf = (lists: readonly string[]): string =>
  lists
    .reduce(
      (session, text, index) => session.todos([[text, "pending"]], NOW + index * 1_000),
      claudeSession(CLAUDE, "/p").prompt("go", NOW - 1_000),
    )
    .text();
/** The lines that `sessionOf` appends for the last list. */
const lastOf = (lists: readonly string[]): string =>
  sessionOf(lists).slice(sessionOf(lists.slice(0, -1)).length);

const FILE = `.claude/projects/-p/${CLAUDE}.jsonl`;

async function followed() {
  const updates: TranscriptUpdate[] = [];
  const follower = follow(DECODERS, home.machine, {
    index: new Map(),
    every: 100,
    onUpdates: (fresh) => updates.push(...fresh),
  });
  onTestFinished(() => follower.stop());
  await follower.ready;
  return {
    lists: () =>
      updates
        .filter(({ event }) => event.type === "todo_list")
        .map(({ after }) => after.todos.map(({ text }) => text).join()),
    files: () => follower.tracks().map(({ units: [[{ path }]] }) => path),
  };
}

function move(path: string): string {
  const other = join(home.path, ".claude/projects/-moved", `${CLAUDE}.jsonl`);
  mkdirSync(dirname(other));
  renameSync(path, other);
  return other;
}

test("reports only new events of a session file that was moved", async () => {
  const path = home.write(FILE, sessionOf(["one", "two"]));
  const { lists, files } = await followed();
  const other = move(path);
  await expect.poll(() => files()).toEqual([other]);
  appendFileSync(other, lastOf(["one", "two", "three"]));
  await expect.poll(() => lists()).toContain("three");
  expect(lists()).toEqual(["three"]);
});

test("reports only new events of a moved file that is read in several steps", async () => {
  const filler = `${JSON.stringify({ type: "other", text: "x".repeat(64 * 1024) })}\n`;
  const path = home.write(FILE, sessionOf(["one"]));
  appendFileSync(path, filler.repeat(Math.ceil(READ_LIMIT / filler.length) + 1));
  appendFileSync(path, lastOf(["one", "two"]));
  appendFileSync(path, filler);
  const { lists, files } = await followed();
  const other = move(path);
  await expect.poll(() => files()).toEqual([other]);
  appendFileSync(other, lastOf(["one", "two", "three"]));
  await expect.poll(() => lists()).toContain("three");
  expect(lists()).toEqual(["three"]);
});

test("reports only new events of a file that is truncated and rewritten", async () => {
  const path = home.write(FILE, sessionOf(["one", "two"]));
  const { lists, files } = await followed();
  writeFileSync(path, "");
  await expect.poll(() => files()).toEqual([]);
  writeFileSync(path, sessionOf(["one", "two", "three"]));
  await expect.poll(() => lists()).toContain("three");
  expect(lists()).toEqual(["three"]);
});
