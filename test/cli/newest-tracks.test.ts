import fc from "fast-check";
import { expect, test } from "vitest";
import { findDialect } from "../../src/agents/index.ts";
import type { Track } from "../../src/core/model.ts";
import { emptyLive } from "../../src/core/stream/fold.ts";
import { newestTracks, subagentsAmong } from "../../src/sessions/listing/newest.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { indexed, newFold } from "../../src/sessions/transcripts/fold.ts";
import { newRoster, type Roster } from "../../src/sessions/transcripts/roster.ts";
import { START } from "../../src/sessions/transcripts/scan/tail.ts";

const NOW = 1_800_000_000_000;

interface Part {
  readonly session: number;
  readonly agent: string;
  readonly parent?: string | undefined;
  readonly lastAt: number;
  readonly updatedAt: number;
  readonly mtime: number;
  readonly isDocument: boolean;
}

const time = fc.integer({ min: 0, max: 30 });
const partOf: fc.Arbitrary<Part> = fc.record({
  session: fc.integer({ min: 0, max: 12 }),
  agent: fc.constantFrom("main", "a", "b"),
  parent: fc.constantFrom(undefined, "main", "a", "nobody"),
  lastAt: time,
  updatedAt: time,
  mtime: time,
  isDocument: fc.boolean(),
});

const dialect = findDialect("claude-code");

function rosterOf(parts: readonly Part[]): Roster {
  const roster = newRoster();
  for (const [place, part] of parts.entries()) {
    const { session, agent, parent, lastAt, updatedAt, mtime, isDocument } = part;
    if (!dialect) throw new Error("no dialect");
    const source = {
      dialect: dialect.id,
      kind: isDocument ? ("document" as const) : ("file" as const),
      path: `/${place}`,
      size: 1,
      mtime,
      agent,
    };
    const live = emptyLive({
      type: "session.ended",
      eventId: `${place}`,
      agentId: agent,
      agentType: dialect.id,
      sessionId: `s${session}`,
      timestamp: 0,
    });
    live.activity.lastAt = lastAt;
    live.track = {
      ...live.track,
      version: updatedAt > 0 ? 1 : 0,
      updatedAt,
      ...(parent !== undefined && { parentAgent: parent }),
    };
    const fold = newFold(source, dialect, {});
    fold.lives[JSON.stringify([live.session, live.agent])] = live;
    roster.put([source], indexed(source, fold, START));
  }
  return roster;
}

function hostedOf(tracks: readonly Part[]): readonly Track[] {
  return tracks.map(({ session, agent, parent, updatedAt }) => ({
    ...emptyLive({
      type: "session.ended",
      eventId: "",
      agentId: agent,
      agentType: "host",
      sessionId: `s${session}`,
      timestamp: 0,
    }).track,
    version: 1,
    updatedAt,
    ...(parent !== undefined && { parentAgent: parent }),
  }));
}

test("the newest are those that are found among all", () => {
  fc.assert(
    fc.property(
      fc.array(partOf, { maxLength: 40 }),
      fc.array(partOf, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      (parts, ours, count) => {
        const roster = rosterOf(parts);
        const hosted = hostedOf(ours);
        const all = mergeTracks(hosted, roster.tracks(), NOW);
        const isSubagent = subagentsAmong(all);
        const main = all.filter((each) => !isSubagent(each)).slice(0, count + 1);
        const found = newestTracks(hosted, roster, NOW, count);
        const isSubHere = subagentsAmong(found);
        expect(found.filter((each) => !isSubHere(each)).slice(0, count + 1)).toEqual(main);
        const sessions = new Set(main.map(({ track }) => track.session));
        const ofThem = (tracks: typeof all) =>
          tracks.filter(({ track }) => sessions.has(track.session));
        expect(ofThem(found)).toEqual(ofThem(all));
      },
    ),
  );
});

test("of sessions that are older nothing but that is looked at", () => {
  const roster = rosterOf(
    Array.from({ length: 100 }, (_, session) => ({
      session,
      agent: "main",
      lastAt: 1 + session,
      updatedAt: 0,
      mtime: 1,
      isDocument: false,
    })),
  );
  const asked: number[] = [];
  const counted: Pick<Roster, "latest" | "tracks"> = {
    latest: roster.latest,
    tracks: (sessions) => {
      asked.push(sessions?.size ?? Number.POSITIVE_INFINITY);
      return roster.tracks(sessions);
    },
  };
  expect(newestTracks([], counted, NOW, 5).map(({ track }) => track.session)).toEqual(
    [99, 98, 97, 96, 95, 94].map((session) => `s${session}`),
  );
  expect(asked).toEqual([6]);
});
