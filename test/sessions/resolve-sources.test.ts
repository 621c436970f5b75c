import { describe, expect, test } from "vitest";
import type { Track } from "../../src/core/model.ts";
import { changeArchive } from "../../src/sessions/archive.ts";
import {
  externalHere,
  externalNamed,
  hostedHere,
  resolveTrack,
  sessionNamed,
} from "../../src/sessions/resolve.ts";
import type { Sources } from "../../src/sessions/sources.ts";
import { CWD, HOUR, MINUTE, newContext } from "./context.ts";

const ONE = "aaaa1111-1111-4111-8111-111111111111";
const TWO = "aaaa2222-2222-4222-8222-222222222222";
const here = { directory: () => CWD };

describe("without a name, archived sessions of the directory", () => {
  const setUp = async () => {
    const context = newContext();
    const { host, transcript, call } = context;
    transcript(ONE, (file, at) => file.todos([["Theirs", "pending"]], at), { age: MINUTE });
    transcript(TWO, (file, at) => file.todos([["Older", "pending"]], at), { age: HOUR });
    await host({ session: "ours" }, [{ text: "Ours" }], { cwd: "/elsewhere" });
    const archive = (session: string) =>
      changeArchive(
        call.home.path,
        [{ session, archived: true, seen: Date.now() + HOUR }],
        Date.now(),
      );
    return { call, archive };
  };

  test("are skipped, and not counted", async () => {
    const { call, archive } = await setUp();
    expect(await resolveTrack(call, {}, here)).toMatchObject({
      by: "directory",
      count: 2,
      list: { id: { session: ONE } },
    });
    await archive(ONE);
    expect(await resolveTrack(call, {}, here)).toMatchObject({
      by: "directory",
      count: 1,
      list: { id: { session: TWO } },
    });
    expect(await resolveTrack(call, { session: ONE }, here)).toMatchObject({ by: "name" });
  });

  test("are mentioned if all are archived", async () => {
    const { call, archive } = await setUp();
    await archive(ONE);
    await archive(TWO);
    expect(await resolveTrack(call, {}, here)).toEqual({ problem: "none_here", archived: 2 });
    expect(await resolveTrack(call, {}, { directory: () => "/nowhere" })).toEqual({
      problem: "none_here",
    });
  });
});

describe("a source that lists", () => {
  const external = (session: string, agent: string, more: Partial<Track> = {}) =>
    ({
      live: { session, agent, track: { session, agent, cwd: CWD, ...more } },
      updatedAt: 1,
    }) as never;
  const sources = (theirs: readonly never[], ours: readonly object[] = []) =>
    ({
      transcripts: { list: async () => theirs },
      hosted: {
        list: async ({ cwd }: { readonly cwd?: string } = {}) =>
          ours.filter((each) => cwd === undefined || (each as Track).cwd === cwd),
      },
    }) as unknown as Sources;
  const names = (tracks: readonly { readonly live: { readonly agent: string } }[]) =>
    tracks.map(({ live }) => live.agent);

  test("agents of a directory gives those, without subagents unless one is named", async () => {
    const given = sources([
      external("a", "main"),
      external("a", "sub", { parentAgent: "main" }),
      external("b", "main", { cwd: "/elsewhere" }),
      external("c", "other"),
    ]);
    expect(names(await externalHere(given, CWD, undefined))).toEqual(["main", "other"]);
    expect(names(await externalHere(given, CWD, "sub"))).toEqual(["sub"]);
    expect(names(await externalHere(given, CWD, "main"))).toEqual(["main"]);
    expect(names(await externalHere(given, "/nowhere", undefined))).toEqual([]);
  });

  test("lists of a directory gives those, of one agent if it is named", async () => {
    const ours = [
      { session: "a", agent: "main", cwd: CWD },
      { session: "a", agent: "sub", cwd: CWD },
      { session: "b", agent: "main", cwd: "/elsewhere" },
    ];
    const given = sources([], ours);
    expect(await hostedHere(given, CWD, undefined)).toEqual(ours.slice(0, 2));
    expect(await hostedHere(given, CWD, "sub")).toEqual(ours.slice(1, 2));
    expect(await hostedHere({ hosted: undefined }, CWD, undefined)).toEqual([]);
  });

  test("agents of a session gives the named one, or the main one, or the first", async () => {
    const given = sources([
      external("b", "main"),
      external("a", "sub"),
      external("a", "main"),
      external("c", "x"),
      external("c", "y"),
    ]);
    const found = async (session: string, agent?: string) =>
      (await externalNamed(given, session, agent))?.live.agent;
    expect([await found("a"), await found("a", "sub"), await found("a", "y")]).toEqual([
      "main",
      "sub",
      undefined,
    ]);
    expect([await found("c"), await found("c", "y"), await found("d")]).toEqual([
      "x",
      "y",
      undefined,
    ]);
  });

  test("sessions gives the one with the name, or the only one that a prefix means", async () => {
    const ours = [{ session: TWO }, { session: "web" }, { session: "website" }];
    const named = (given: string) =>
      sessionNamed(sources([external(ONE, "main"), external(ONE, "sub")], ours), given);
    expect(await named(ONE)).toEqual({ session: ONE });
    expect(await named("aaaa1")).toEqual({ session: ONE });
    expect(await named("aaaa2")).toEqual({ session: TWO });
    expect(await named("aaaa")).toEqual({
      problem: "ambiguous",
      given: "aaaa",
      sessions: [ONE, TWO],
    });
    expect(await named("web")).toEqual({ session: "web" });
    expect(await named("webs")).toEqual({ session: "webs" });
    expect(await named("aaa")).toEqual({ session: "aaa" });
    expect(
      await sessionNamed({ ...sources([external(ONE, "main")]), hosted: undefined }, "aaaa"),
    ).toEqual({ session: ONE });
  });
});
