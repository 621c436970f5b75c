import { expect, test } from "vitest";
import { type Activity, emptyActivity } from "../../src/core/activity/activity.ts";
import { STALL_POLICY } from "../../src/core/activity/stall.ts";
import { busyTracks } from "../../src/sessions/live.ts";
import type { ExternalTrack } from "../../src/sessions/transcripts/catalog.ts";

const NOON = 1_800_000_000_000;
const MINUTE = 60_000;

const trackOf = (session: string, agent: string, activity: Partial<Activity>) =>
  ({
    live: { session, agent, activity: { ...emptyActivity(), lastAt: NOON, ...activity } },
  }) as unknown as ExternalTrack;
const busy = (tracks: readonly ExternalTrack[], now: number, policy = STALL_POLICY) =>
  busyTracks(tracks, now, policy).map(({ live }) => `${live.session} ${live.agent}`);

test("busy are all agents of a session in which one works", () => {
  const tracks = [
    trackOf("one", "main", { turn: "completed" }),
    trackOf("two", "main", { turn: "completed" }),
    trackOf("one", "a", { turn: "running" }),
    trackOf("three", "main", {}),
  ];
  expect(busy(tracks, NOON)).toEqual(["one main", "one a"]);
  expect(busy([], NOON)).toEqual([]);
});

test("an agent is busy until it counts as inactive", () => {
  const running = [trackOf("s", "main", { turn: "running" })];
  expect(busy(running, NOON + 30 * MINUTE - 1)).toEqual(["s main"]);
  expect(busy(running, NOON + 30 * MINUTE)).toEqual([]);
  const patient = { ...STALL_POLICY, stallAfter: 2 * MINUTE };
  expect(busy(running, NOON + 31 * MINUTE - 1, patient)).toEqual(["s main"]);
  expect(busy(running, NOON + 31 * MINUTE, patient)).toEqual([]);
});
