import fc from "fast-check";
import { expect, test } from "vitest";
import { findDecoder } from "../../src/agents/index.ts";
import type { Track } from "../../src/core/model.ts";
import { emptyLiveTrack } from "../../src/core/stream/fold.ts";
import { newestTracks, subagentsAmong } from "../../src/sessions/listing/newest.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { type Catalog, createCatalog } from "../../src/sessions/transcripts/catalog.ts";
import { indexed, newFold } from "../../src/sessions/transcripts/fold.ts";
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

const dialect = findDecoder("claude-code");

function catalogOf(parts: readonly Part[]): Catalog {
  const catalog = createCatalog();
  for (const [index, part] of parts.entries()) {
    const { session, agent, parent, lastAt, updatedAt, mtime, isDocument } = part;
    if (!dialect) throw new Error("no dialect");
    const source = {
      dialect: dialect.id,
      kind: isDocument ? ("document" as const) : ("file" as const),
      path: `/${index}`,
      size: 1,
      mtime,
      agent,
    };
    const live = emptyLiveTrack({
      type: "session.ended",
      eventId: `${index}`,
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
    catalog.put([source], indexed(source, fold, START));
  }
  return catalog;
}

function hostedOf(tracks: readonly Part[]): readonly Track[] {
  return tracks.map(({ session, agent, parent, updatedAt }) => ({
    ...emptyLiveTrack({
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

test("finds the same newest tracks as merging all sessions", () => {
  fc.assert(
    fc.property(
      fc.array(partOf, { maxLength: 40 }),
      fc.array(partOf, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      (parts, ours, count) => {
        const catalog = catalogOf(parts);
        const hosted = hostedOf(ours);
        const all = mergeTracks(hosted, catalog.tracks(), NOW);
        const isSubagent = subagentsAmong(all);
        const main = all.filter((each) => !isSubagent(each)).slice(0, count + 1);
        const found = newestTracks(hosted, catalog, NOW, count);
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

test("reads no track of older sessions", () => {
  const catalog = catalogOf(
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
  const counted: Pick<Catalog, "latest" | "tracks"> = {
    latest: catalog.latest,
    tracks: (sessions) => {
      asked.push(sessions?.size ?? Number.POSITIVE_INFINITY);
      return catalog.tracks(sessions);
    },
  };
  expect(newestTracks([], counted, NOW, 5).map(({ track }) => track.session)).toEqual(
    [99, 98, 97, 96, 95, 94].map((session) => `s${session}`),
  );
  expect(asked).toEqual([6]);
});
