import { expect, test } from "vitest";
import {
  type Archive,
  type ArchiveEntry,
  archiveAfter,
  withArchive,
} from "../../src/core/archive.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { DAY, HOUR } from "../../src/core/text/duration.ts";
import { boardOf } from "../../src/core/views/board.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { newNotifications } from "../../src/core/views/notification.ts";

const NOW = 1_800_000_000_000;

function merged(
  session: string,
  updatedAt: number,
  more: Partial<MergedTrack> & { readonly agent?: string } = {},
): MergedTrack {
  const { agent = "main", ...rest } = more;
  const track = { ...emptyTrack({ session, agent }), version: 1, openedAt: updatedAt, updatedAt };
  return { track, hosted: true, state: "idle", findings: [], updatedAt, ...rest };
}

function archiveOf(entries: Readonly<Record<string, ArchiveEntry>>): Archive {
  return new Map(Object.entries(entries));
}

const hidden = (tracks: readonly MergedTrack[]) =>
  tracks.filter(({ archived }) => archived).map(({ track }) => `${track.session}/${track.agent}`);

test("archives all agents of a session until one of them changes", () => {
  const archive = archiveOf({ a: { at: NOW - 5, seen: NOW - HOUR } });
  const before = [merged("a", NOW - HOUR), merged("a", NOW - 2 * HOUR, { agent: "sub" })];
  expect(hidden(withArchive([...before, merged("b", NOW)], archive, { now: NOW }))).toEqual([
    "a/main",
    "a/sub",
  ]);
  const after = [merged("a", NOW - HOUR), merged("a", NOW - HOUR + 1, { agent: "sub" })];
  expect(hidden(withArchive(after, archive, { now: NOW }))).toEqual([]);
});

test("archives automatically only after the setting, and never a session that waits for the user", () => {
  const tracks = [
    merged("old", NOW - 8 * DAY),
    merged("asks", NOW - 8 * DAY, { state: "needs_you" }),
    merged("new", NOW - 6 * DAY),
  ];
  expect(hidden(withArchive(tracks, new Map(), { now: NOW }))).toEqual([]);
  expect(hidden(withArchive(tracks, new Map(), { now: NOW, after: 7 * DAY }))).toEqual([
    "old/main",
  ]);
  const kept = archiveOf({ old: { at: NOW, seen: NOW - 8 * DAY, kept: true } });
  expect(hidden(withArchive(tracks, kept, { now: NOW, after: 7 * DAY }))).toEqual([]);
});

test("reads the setting, and refuses what is not a duration", () => {
  expect(archiveAfter({})).toBeUndefined();
  expect(archiveAfter({ WAYMARK_ARCHIVE_AFTER: "off" })).toBeUndefined();
  expect(archiveAfter({ WAYMARK_ARCHIVE_AFTER: "7d" })).toBe(7 * DAY);
  expect(() => archiveAfter({ WAYMARK_ARCHIVE_AFTER: "soon" })).toThrow(
    'Invalid WAYMARK_ARCHIVE_AFTER "soon"',
  );
});

test("leaves archived sessions out of the board, or shows only them whatever their age", () => {
  const tracks = [
    merged("shown", NOW),
    merged("hidden", NOW, { archived: { at: NOW }, state: "finished" }),
    merged("ancient", NOW - 90 * DAY, { archived: {} }),
  ];
  const board = boardOf(tracks, { now: NOW });
  expect(board.counts).toEqual({ "needs you": 0, working: 0, idle: 1, finished: 0 });
  expect(board.archived).toBe(2);
  const only = boardOf(tracks, { now: NOW, archived: "only" });
  expect(only.groups.flatMap(({ rows }) => rows.map(({ track }) => track.session))).toEqual([
    "ancient",
    "hidden",
  ]);
});

test("notifies of nothing in an archived session, and of no old occurrence when it comes back", () => {
  const notifications = newNotifications(() => NOW - HOUR);
  const waiting = { kind: "question", text: "Which one?", since: NOW - 10 } as const;
  const asks = merged("a", NOW, { state: "needs_you", waiting });
  expect(notifications([{ ...asks, archived: { at: NOW } }])).toEqual([]);
  expect(notifications([asks])).toEqual([]);
  const again = { ...asks, waiting: { ...waiting, since: NOW + 10 } };
  expect(notifications([again]).map(({ kind }) => kind)).toEqual(["needs you"]);
});
