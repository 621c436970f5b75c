import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import type { LiveTrack } from "../../src/core/stream/fold.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import {
  catalogKey,
  createCatalog,
  summed,
  type Unit,
} from "../../src/sessions/transcripts/catalog.ts";
import type { FoundSource } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed, Mention } from "../../src/sessions/transcripts/fold.ts";
import { todo } from "../core/track-of.ts";

interface Given extends Partial<Omit<LiveTrack, "track" | "activity">> {
  readonly track?: Partial<LiveTrack["track"]>;
  readonly lastAt?: number;
  readonly latest?: number;
}

function live({ track, lastAt = 0, latest: _, ...rest }: Given): LiveTrack {
  const { session = "s", agent = "main" } = rest;
  return {
    session,
    agent,
    agentType: "codex",
    track: { ...emptyTrack({ session, agent }), ...track },
    activity: { ...emptyActivity(), lastAt },
    ended: false,
    compactions: 0,
    skipped: {},
    ...rest,
  };
}

const source = (path: string, rest: Partial<FoundSource> = {}): FoundSource => ({
  dialect: "codex",
  kind: "file",
  path,
  size: 1,
  mtime: 70.4,
  ...rest,
});

/** A file, or a document, with agents in it. */
function file(given: readonly Given[], path: string, rest: Partial<FoundSource> = {}) {
  const unit: Unit = [source(path, rest)];
  const all = given.map((each) => ({ each, own: live(each) }));
  const mentions = all.map(
    ({ each, own: { session, agent, agentType, track } }): Mention => ({
      session,
      agent,
      agentType,
      latest: each.latest ?? each.lastAt ?? 0,
      ...(track.parentAgent !== undefined && { parentAgent: track.parentAgent }),
    }),
  );
  const lives = Object.fromEntries(all.map(({ own }) => [trackKey(own), own]));
  return { unit, entry: { key: path, mentions, lives } as unknown as Indexed };
}

const catalogOf = (...files: readonly ReturnType<typeof file>[]) => {
  const catalog = createCatalog();
  for (const { unit, entry } of files) catalog.put(unit, entry);
  return catalog;
};
const KEY = catalogKey("codex", "s", "main");
const document = { kind: "document" } as const;

describe("the files of one agent", () => {
  const order = (...files: readonly ReturnType<typeof file>[]) =>
    catalogOf(...files)
      .track(KEY)
      ?.units.map(([{ path }]) => path);
  const list = { version: 1 };

  test.each<[string, readonly [Given, Partial<FoundSource>?][]]>([
    ["transcripts before documents", [[{ lastAt: 1 }], [{ lastAt: 9, track: list }, document]]],
    [
      "its own file before others",
      [[{ lastAt: 1 }], [{ lastAt: 9, track: list }, { agent: "sub" }]],
    ],
    ["files with a list before others", [[{ lastAt: 1, track: list }], [{ lastAt: 9 }]]],
    ["the latest first", [[{ lastAt: 9 }], [{ lastAt: 1 }]]],
  ])("are ordered: %s", (_, [first, second]) => {
    if (!first || !second) throw new Error("two files are needed");
    const a = file([first[0]], "a", first[1]);
    const b = file([second[0]], "b", second[1]);
    expect(order(a, b)).toEqual(["a", "b"]);
    expect(order(b, a)).toEqual(["a", "b"]);
  });

  test("complete each other, the first one counts", () => {
    const plan = { text: "p" } as Plan;
    const others: Given = {
      lastAt: 1,
      track: {
        version: 1,
        cwd: "/b",
        title: "B",
        parentAgent: "p",
        openedAt: 5,
        todos: [todo("1")],
        mode: "plan" as never,
      },
      name: "bee",
      model: "m-b",
      version: "1",
      prompt: "Go",
      plan,
      skipped: { unknown_record: 2 },
    };
    const track = (first: Given) =>
      catalogOf(file([first], "a"), file([others], "b", { agent: "x" })).track(KEY)?.live;
    expect(
      track({ lastAt: 9, skipped: { unknown_record: 1, bad_json: 1 } as never }),
    ).toMatchObject({
      track: { cwd: "/b", title: "B", parentAgent: "p", openedAt: 5, todos: [todo("1")] },
      name: "bee",
      model: "m-b",
      version: "1",
      prompt: "Go",
      plan,
      skipped: { unknown_record: 3, bad_json: 1 },
    });
    const own = {
      track: { version: 2, cwd: "/a", title: "A", parentAgent: "q", openedAt: 3, todos: [] },
      name: "ant",
      model: "m-a",
      version: "2",
      prompt: "Do",
      plan: { text: "q" } as Plan,
    };
    expect(track({ ...own, lastAt: 9 })).toMatchObject(own);
    const bare = catalogOf(file([{ lastAt: 9 }], "a"), file([{ lastAt: 1 }], "b")).track(KEY)?.live;
    for (const name of ["name", "model", "version", "prompt", "plan", "usage"])
      expect(bare).not.toHaveProperty(name);
    for (const name of ["cwd", "title", "parentAgent"])
      expect(bare?.track).not.toHaveProperty(name);
  });

  test("have the directory of the file if no record names one", () => {
    const cwdOf = (given: Given) =>
      catalogOf(file([{ lastAt: 1, ...given }], "a", { cwd: "/found" })).track(KEY)?.live.track.cwd;
    expect([cwdOf({}), cwdOf({ track: { cwd: "/own" } })]).toEqual(["/found", "/own"]);
  });

  test("have the time of their activity, their list, or the file", () => {
    const at = (given: Given) => catalogOf(file([given], "a")).track(KEY)?.updatedAt;
    expect(at({ lastAt: 50, track: { version: 1, updatedAt: 40 } })).toBe(50);
    expect(at({ lastAt: 30, track: { version: 1, updatedAt: 40 } })).toBe(40);
    expect(at({ track: { version: 1 } })).toBe(70);
    expect(at({})).toBeUndefined();
  });

  test("add up what was skipped", () => {
    expect(summed({ unknown_record: 1 }, { unknown_record: 2, bad_json: 3 } as never)).toEqual({
      unknown_record: 3,
      bad_json: 3,
    });
  });
});

describe("the catalog", () => {
  const given = [
    file([{ lastAt: 10 }, { agent: "sub", lastAt: 30, track: { parentAgent: "main" } }], "a"),
    file([{ session: "t", lastAt: 20 }], "b"),
  ];
  const names = (tracks: ReturnType<ReturnType<typeof catalogOf>["tracks"]>) =>
    tracks.map(({ live: { session, agent } }) => `${session} ${agent}`);

  test("lists tracks, newest first, of all sessions or some", () => {
    const catalog = catalogOf(...given);
    expect(names(catalog.tracks())).toEqual(["s sub", "t main", "s main"]);
    expect(catalog.tracks()).toBe(catalog.tracks());
    expect(names(catalog.tracks(new Set(["s"])))).toEqual(["s sub", "s main"]);
    expect(names(catalog.tracks(new Set()))).toEqual([]);
  });

  test("replaces and removes a file", () => {
    const catalog = catalogOf(...given);
    expect(catalog.track(KEY)?.updatedAt).toBe(10);
    const later = file([{ lastAt: 40 }], "a");
    expect(catalog.put(later.unit, later.entry)).toEqual([KEY]);
    expect(names(catalog.tracks())).toEqual(["s main", "t main"]);
    expect(catalog.track(KEY)?.updatedAt).toBe(40);
    catalog.remove("b");
    catalog.remove("none");
    expect(names(catalog.tracks())).toEqual(["s main"]);
    catalog.remove("a");
    expect([catalog.track(KEY), catalog.tracks(), catalog.latest().size]).toEqual([
      undefined,
      [],
      0,
    ]);
  });

  test("keeps an agent while one of its files remains", () => {
    const catalog = catalogOf(file([{ lastAt: 10 }], "a"), file([{ lastAt: 20 }], "b"));
    catalog.remove("b");
    expect([catalog.track(KEY)?.updatedAt, catalog.track(KEY)?.units.length]).toEqual([10, 1]);
  });

  test("skips a mention without a track", () => {
    const { unit, entry } = file([{ lastAt: 10 }], "a");
    const catalog = createCatalog();
    catalog.put(unit, { ...entry, lives: {} });
    expect([catalog.track(KEY), catalog.tracks()]).toEqual([undefined, []]);
  });

  test("knows the latest activity of main agents, from mentions only", () => {
    const latest = (...files: readonly ReturnType<typeof file>[]) =>
      Object.fromEntries(catalogOf(...files).latest());
    expect(latest(...given)).toEqual({ s: 10, t: 20 });
    expect(latest(file([{ latest: 0 }], "a"))).toEqual({ s: 70 });
    expect(latest(file([{ latest: 5 }], "a"), file([{ latest: 9 }], "b"))).toEqual({ s: 9 });
    expect(latest(file([{ latest: 9 }], "a"), file([{ latest: 5 }], "b"))).toEqual({ s: 9 });
    // A subagent whose parent is not known is shown by itself.
    const sub = { agent: "sub", lastAt: 30, track: { parentAgent: "gone" } };
    expect(latest(file([sub], "a"))).toEqual({ s: 30 });
    expect(latest(file([sub], "a"), file([{ agent: "sub", lastAt: 40 }], "b"))).toEqual({ s: 40 });
  });
});
