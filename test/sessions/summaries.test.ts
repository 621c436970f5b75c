import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSummaries } from "../../src/sessions/listing/summaries.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

/** A home with these tracks, decisions about the archive and names in the spool, with their times. */
function homeOf(
  tracks: readonly (readonly [
    session: string,
    agent: string,
    updatedAt: number,
    heardAt: number,
  ])[],
  archived: object = {},
  spooled: Readonly<Record<string, number>> = {},
): string {
  const home = temporaryDirectory();
  const entries = tracks.map(([session, agent, updatedAt, heardAt]) => ({
    session,
    agent,
    todos: "1/2",
    updatedAt,
    heardAt,
    due: {},
  }));
  writeFileSync(join(home, "status.json"), JSON.stringify(entries));
  writeFileSync(join(home, "archive.json"), JSON.stringify({ sessions: archived }));
  mkdirSync(join(home, "spool"));
  for (const [name, at] of Object.entries(spooled)) {
    const file = join(home, "spool", name);
    writeFileSync(file, "{}");
    utimesSync(file, at / 1_000, at / 1_000);
  }
  return home;
}
const visible = (home: string, env: NodeJS.ProcessEnv = {}) =>
  readSummaries(home, NOW, env).visible.map(({ session, agent }) => `${session} ${agent}`);

test("leaves out archived sessions until one of their agents changes", () => {
  const tracks = [
    ["a", "main", 5, 6],
    ["b", "main", 5, 6],
    ["b", "sub", 9, 1],
    ["c", "main", 5, 9],
  ] as const;
  expect(visible(homeOf(tracks))).toEqual(["a main", "b main", "b sub", "c main"]);
  const seen = (at: number) => ({ at: 7, seen: at });
  expect(visible(homeOf(tracks, { a: seen(6), b: seen(8), c: seen(8) }))).toEqual([
    "b main",
    "b sub",
    "c main",
  ]);
  expect(visible(homeOf(tracks, { b: seen(9), c: { ...seen(9), kept: true } }))).toEqual([
    "a main",
    "c main",
  ]);
});

test("leaves out sessions that have not changed for long, if the user wants that", () => {
  const home = homeOf([
    ["old", "main", NOW - 2 * HOUR, NOW - 2 * HOUR],
    ["new", "main", NOW - 2 * HOUR, NOW - 1],
  ]);
  expect(visible(home)).toEqual(["old main", "new main"]);
  expect(visible(home, { WAYMARK_ARCHIVE_AFTER: "1h" })).toEqual(["new main"]);
  expect(readSummaries(home, NOW, { WAYMARK_ARCHIVE_AFTER: "1h" }).summaries).toHaveLength(2);
});

test("shows everything if the files of the user cannot be read", () => {
  const home = homeOf([["a", "main", 5, 5]]);
  writeFileSync(join(home, "archive.json"), "{");
  writeFileSync(join(home, "mutes.json"), "{");
  expect(visible(home)).toEqual(["a main"]);
});

test("counts spooled events as activity of their session", () => {
  const home = homeOf(
    [
      ["a", "main", 5, NOW - 9_000],
      ["b.c", "main", 5, NOW],
      ["d", "main", 5, 5],
    ],
    {},
    {
      "a.Stop.x.1-1": NOW - 5_000,
      "a.PreToolUse.x.1-2": NOW - 3_000,
      "b.c.Stop.x.1-1": NOW - 4_000,
    },
  );
  const { summaries } = readSummaries(home, NOW);
  expect(summaries.map(({ heardAt }) => heardAt)).toEqual([NOW - 3_000, NOW, 5]);
});

test("is behind if spooled events have waited for more than two seconds", () => {
  const behind = (spooled: Readonly<Record<string, number>>) =>
    readSummaries(homeOf([], {}, spooled), NOW).isBehind;
  expect(behind({})).toBe(false);
  expect(behind({ "a.Stop.x.1-1": NOW - 2_000 })).toBe(false);
  expect(behind({ "a.Stop.x.1-1": NOW, "a.Stop.x.1-2": NOW - 2_001 })).toBe(true);
});
