import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { follow, type TranscriptUpdate } from "../../src/sessions/transcripts/follow.ts";
import type { Index } from "../../src/sessions/transcripts/index-file.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { CLAUDE, newUserHome, type UserHome } from "./home.ts";

let home: UserHome;
beforeEach(() => {
  home = newUserHome();
});
afterEach(() => home.remove());

const FOLDER = `.claude/tasks/${CLAUDE}`;
const put = (id: number) =>
  home.write(
    `${FOLDER}/${id}.json`,
    JSON.stringify({
      id: `${id}`,
      subject: `T${id}`,
      description: "",
      status: "pending",
      blocks: [],
      blockedBy: [],
    }),
  );
const remove = (id: number) => rmSync(join(home.path, FOLDER, `${id}.json`));

/** The change, and the ids and texts of the list after it. */
const CASES = [
  ["the first is deleted", () => remove(2), ["2 T3", "3 T4"]],
  ["the last is deleted", () => remove(4), ["1 T2", "2 T3"]],
  ["another sorts first", () => put(1), ["4 T1", "1 T2", "2 T3", "3 T4"]],
] as const;

test.each(CASES)(
  "keeps the ids of a list of task files when %s between two runs",
  async (_, act, after) => {
    const index: Index = new Map();
    const read = async () => {
      const { roster } = await readSessions(DECODERS, discover(DECODERS, home.machine), index);
      return roster.tracks().map(({ live: { track } }) => ({
        version: track.version,
        todos: track.todos.map(({ id, text }) => `${id} ${text}`),
      }));
    };
    for (const id of [2, 3, 4]) put(id);
    expect(await read()).toEqual([{ version: 1, todos: ["1 T2", "2 T3", "3 T4"] }]);
    act();
    expect(await read()).toEqual([{ version: 2, todos: after }]);
  },
);

test.each(CASES)("reports one update of a list of task files when %s", async (_, act, after) => {
  for (const id of [2, 3, 4]) put(id);
  const updates: TranscriptUpdate[] = [];
  const follower = follow(DECODERS, home.machine, {
    index: new Map(),
    every: 100,
    onUpdates: (fresh) => updates.push(...fresh),
  });
  onTestFinished(() => follower.stop());
  await follower.ready;
  act();
  await expect.poll(() => updates).toHaveLength(1);
  const [update] = updates;
  expect([update?.before.version, update?.after.version]).toEqual([1, 2]);
  const shown = follower.tracks().map(({ live }) => live.track.todos);
  expect(shown).toEqual([update?.after.todos]);
  expect(update?.after.todos.map(({ id, text }) => `${id} ${text}`)).toEqual(after);
});

test("removes a list of task files with the last file", async () => {
  put(1);
  put(2);
  const index: Index = new Map();
  const follower = follow(DECODERS, home.machine, { index, every: 100 });
  onTestFinished(() => follower.stop());
  await follower.ready;
  expect(follower.tracks()).toHaveLength(1);
  remove(1);
  remove(2);
  await expect.poll(() => follower.tracks()).toEqual([]);
  expect(index.size).toBe(0);
});
