import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  filterByName,
  matchesName,
  type ResolvedTrack,
  resolveList,
  resolveTrack,
  type Unresolved,
  withCallerSession,
} from "../../src/sessions/resolve.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { CWD, HOUR, MINUTE, newContext, type TestContext } from "./context.ts";

const ONE = "aaaa1111-1111-4111-8111-111111111111";
const TWO = "aaaa2222-2222-4222-8222-222222222222";
const THREE = "bbbb3333-3333-4333-8333-333333333333";

const here = { directory: () => CWD };
const unused = {
  directory: (): string => {
    throw new Error("the directory is not needed");
  },
};

const textsOf = async (
  found: ResolvedTrack | Unresolved | { readonly list: { read(): unknown } },
) => {
  if ("problem" in found) return found;
  const track = (await found.list.read()) as { readonly todos: readonly { text: string }[] };
  return track.todos.map(({ text }) => text);
};

/** The result: how the track was found, its id and its todos. */
async function shown(found: Awaited<ReturnType<typeof resolveTrack | typeof resolveList>>) {
  if ("problem" in found) return found;
  const { session, agent } = found.list.id;
  const count = found.by === "directory" ? { count: found.count } : {};
  return { by: found.by, session, agent, todos: await textsOf(found), ...count };
}

const todo = (text: string) => ({ text });

describe("a name", () => {
  test.each([
    ["the whole name", "website", "website", true],
    ["the whole generated id", ONE, ONE, true],
    ["four characters of a generated id", ONE, "aaaa", true],
    ["three characters of a generated id", ONE, "aaa", false],
    ["the middle of a generated id", ONE, "1111", false],
    ["the beginning of a chosen name", "website", "webs", false],
  ])("%s", (_, session, given, matches) => {
    expect(matchesName(session, given)).toBe(matches);
  });
});

describe("the sessions that watch follows", () => {
  const seen = (given: string, ...sessions: readonly string[]) => {
    const filter = filterByName(given);
    return { has: sessions.map(filter.has), isKnown: filter.isKnown() };
  };

  test("are all of them without a name", () => {
    expect(seen("", ONE, "web")).toEqual({ has: [true, true], isKnown: true });
    expect(filterByName("").isKnown()).toBe(true);
  });

  test("are those that a prefix may mean", () => {
    expect(filterByName("aaaa").isKnown()).toBe(false);
    expect(seen("aaaa", THREE)).toEqual({ has: [false], isKnown: false });
    expect(seen("aaaa", ONE, TWO, THREE)).toEqual({ has: [true, true, false], isKnown: true });
  });

  test("is the one with exactly that name once it is known", () => {
    const name = "aaaa1111-1111";
    expect(seen(name, ONE, name, ONE)).toEqual({ has: [true, true, false], isKnown: true });
  });
});

describe("resolves a list by name", () => {
  test("from our store, without reading transcripts", async () => {
    const { call, host, transcript, readsOfTranscripts } = newContext();
    await host({ session: "groceries" }, [todo("Milk")]);
    transcript(ONE, (file, at) => file.prompt("Go", at));
    expect(await shown(await resolveList(call, { session: "groceries" }, unused))).toEqual({
      by: "name",
      session: "groceries",
      agent: "main",
      todos: ["Milk"],
    });
    expect(readsOfTranscripts()).toBe(0);
  });

  test("of a named agent", async () => {
    const { call, host } = newContext();
    await host({ session: "shop" }, [todo("Main's")]);
    await host({ session: "shop", agent: "tester" }, [todo("Tester's")]);
    const of = async (agent?: string) =>
      textsOf((await resolveList(call, { session: "shop", agent }, unused)) as ResolvedTrack);
    expect([await of(), await of("tester")]).toEqual([["Main's"], ["Tester's"]]);
  });

  test("with the title that the transcript adds", async () => {
    const { call, host, transcript } = newContext();
    await host({ session: ONE }, [todo("Ours")]);
    transcript(ONE, (file, at) => file.prompt("Repair the export", at));
    const found = await resolveList(call, { session: ONE }, unused);
    expect(await shown(found)).toMatchObject({ by: "name", session: ONE, todos: ["Ours"] });
    if ("problem" in found) throw new Error("not found");
    expect((await found.list.read()).title).toBe("Repair the export");
  });

  test("from a transcript, by the beginning of its id", async () => {
    const { call, transcript } = newContext();
    transcript(THREE, (file, at) => file.todos([["Theirs", "pending"]], at));
    const expected = { session: THREE, agent: "main", todos: ["Theirs"] };
    expect(await shown(await resolveList(call, { session: "bbbb" }, unused))).toEqual({
      by: "prefix",
      ...expected,
    });
    expect(await shown(await resolveList(call, { session: THREE }, unused))).toEqual({
      by: "name",
      ...expected,
    });
  });

  test("unless several begin like that", async () => {
    const { call, host, transcript } = newContext();
    transcript(TWO, (file, at) => file.prompt("Go", at));
    await host({ session: ONE }, [todo("Ours")]);
    expect(await resolveTrack(call, { session: "aaaa" }, unused)).toEqual({
      problem: "ambiguous",
      given: "aaaa",
      sessions: [ONE, TWO],
    });
    expect(await shown(await resolveTrack(call, { session: "aaaa1" }, unused))).toEqual({
      by: "prefix",
      session: ONE,
      agent: "main",
      todos: ["Ours"],
    });
  });

  test("as an empty list of ours where nothing has the name", async () => {
    const { call, user } = newContext();
    const found = await resolveTrack(call, { session: "nobody" }, unused);
    expect(found).toMatchObject({ by: "name", found: undefined, children: [] });
    expect(await textsOf(found)).toEqual([]);
    // Another user's home has no lists of ours that could be meant.
    expect(
      await resolveTrack(call, { session: "nobody" }, { ...unused, userHome: user.path }),
    ).toEqual({
      problem: "unknown",
      id: { session: "nobody", agent: "main" },
    });
  });

  test("of another machine only with a shared server", async () => {
    const { call } = newContext();
    expect(await resolveList(call, { session: "shop@attic" }, unused)).toEqual({
      problem: "no_server",
      given: "shop@attic",
    });
  });

  test("in the home directory of another user", async () => {
    const { call, user, host, transcript } = newContext();
    await host({ session: THREE }, [todo("Ours")]);
    transcript(THREE, (file, at) => file.todos([["Theirs", "pending"]], at));
    const options = { ...unused, userHome: user.path };
    expect(await shown(await resolveList(call, { session: THREE }, options))).toMatchObject({
      todos: ["Theirs"],
    });
  });

  test("whose main agent left no trace: the agent that worked last", async () => {
    const { call, subagent } = newContext();
    subagent(THREE, "a1", (file, at) => file.todos([["First", "pending"]], at), { age: HOUR });
    subagent(THREE, "a2", (file, at) => file.todos([["Second", "pending"]], at));
    expect(await shown(await resolveTrack(call, { session: THREE }, unused))).toMatchObject({
      agent: "a2",
      todos: ["Second"],
    });
    expect(
      await shown(await resolveTrack(call, { session: THREE, agent: "a1" }, unused)),
    ).toMatchObject({
      agent: "a1",
      todos: ["First"],
    });
  });
});

test("resolves a session with its subagents in the order they appeared", async () => {
  const { call, host } = newContext();
  const origin = { cwd: CWD, parentAgent: "main" };
  await host({ session: "shop" }, [todo("Build")]);
  await host({ session: "shop", agent: "late" }, [todo("x")], origin);
  await host({ session: "shop", agent: "inner" }, [todo("y")], { cwd: CWD, parentAgent: "late" });
  await host({ session: "shop", agent: "early" }, [todo("z")], origin);
  await host({ session: "other", agent: "stranger" }, [todo("z")], origin);
  const found = await resolveTrack(call, { session: "shop" }, unused);
  if ("problem" in found) throw new Error("not found");
  expect(found.found?.track.agent).toBe("main");
  expect(found.children.map(({ track }) => track.agent)).toEqual(["late", "early"]);
});

describe("resolves the newest list of the directory", () => {
  const newest = async ({ again }: TestContext, agent?: string) =>
    shown(await resolveTrack(again(), { agent }, here));

  test("nothing where no session worked there", async () => {
    const context = newContext();
    await context.host({ session: "elsewhere" }, [todo("x")], { cwd: "/srv/other" });
    context.transcript(ONE, (file, at) => file.todos([["y", "pending"]], at), {
      cwd: "/srv/other",
    });
    expect(await newest(context)).toEqual({ problem: "none_here" });
  });

  test("ours or a transcript's, whichever changed last; with the number of sessions with a list", async () => {
    const context = newContext();
    context.transcript(ONE, (file, at) => file.todos([["Theirs", "pending"]], at), { age: HOUR });
    context.transcript(THREE, (file, at) => file.prompt("No list yet", at), { age: MINUTE });
    expect(await newest(context)).toMatchObject({ by: "directory", session: ONE, count: 1 });
    await context.host({ session: "groceries" }, [todo("Milk")]);
    expect(await newest(context)).toMatchObject({ session: "groceries", count: 2 });
    context.transcript(TWO, (file) => file.todos([["Newer", "pending"]], Date.now() + HOUR));
    expect(await newest(context)).toMatchObject({ session: TWO, todos: ["Newer"], count: 3 });
  });

  test("a session without a list only if no other is there", async () => {
    const context = newContext();
    context.transcript(THREE, (file, at) => file.prompt("No list yet", at).end(at));
    expect(await newest(context)).toMatchObject({ session: THREE, todos: [], count: 0 });
    await context.host({ session: "groceries" }, [todo("Milk")]);
    context.transcript(ONE, (file) =>
      file.prompt("Later", Date.now() + HOUR).end(Date.now() + HOUR),
    );
    expect(await newest(context)).toMatchObject({ session: "groceries", count: 1 });
  });

  test("of a subagent only if it is named", async () => {
    const context = newContext();
    context.transcript(ONE, (file, at) => file.todos([["Main's", "pending"]], at), { age: HOUR });
    context.subagent(ONE, "a1", (file, at) => file.todos([["Sub's", "pending"]], at));
    expect(await newest(context)).toMatchObject({ agent: "main", todos: ["Main's"] });
    expect(await newest(context, "a1")).toMatchObject({ agent: "a1", todos: ["Sub's"] });
    await context.host({ session: "groceries" }, [todo("Milk")]);
    expect(await newest(context, "a1")).toMatchObject({ session: ONE, agent: "a1" });
  });
});

test("takes the session of the agent that runs the command, unless one is named", async () => {
  const { call } = newContext({ CLAUDE_CODE_SESSION_ID: ONE });
  expect(withCallerSession(call, { agent: "main" })).toEqual({ session: ONE, agent: "main" });
  expect(withCallerSession(call, { session: "groceries" })).toEqual({ session: "groceries" });
  const nobody = newContext();
  expect(withCallerSession(nobody.call, { agent: "a" })).toEqual({ agent: "a" });
});

describe("a session file of more than 64 MB", () => {
  /** A list at the beginning, another at the end, and much that does not matter in between. */
  function writeLong({ user }: TestContext): void {
    const now = Date.now();
    const path = user.write(
      `.claude/projects/-srv-shop/${ONE}.jsonl`,
      claudeSession(ONE, CWD)
        .todos([["Early", "completed"]], now - HOUR)
        .text(),
    );
    const filler = `${JSON.stringify({ type: "progress", text: "y".repeat(4_000) })}\n`;
    const block = filler.repeat(1_000);
    for (let size = 0; size < 64 * 1024 * 1024; size += block.length) appendFileSync(path, block);
    appendFileSync(
      path,
      claudeSession(ONE, CWD)
        .todos([["Late", "pending"]], now)
        .text(),
    );
  }
  const options = { ...unused, onlyNow: true };

  test("has its present list found from its end", async () => {
    const context = newContext();
    writeLong(context);
    const { call, readsOfTranscripts } = context;
    expect(await shown(await resolveList(call, { session: ONE }, options))).toEqual({
      by: "name",
      session: ONE,
      agent: "main",
      todos: ["Late"],
    });
    expect(readsOfTranscripts()).toBe(0);
    // A subagent, a prefix and the history need more than the end.
    expect(await shown(await resolveList(call, { session: "aaaa" }, options))).toMatchObject({
      by: "prefix",
      todos: ["Late"],
    });
    expect(readsOfTranscripts()).toBe(1);
  }, 60_000);

  test("is read where its history is asked for", async () => {
    const context = newContext();
    writeLong(context);
    const found = await resolveList(context.call, { session: ONE }, unused);
    expect(await shown(found)).toMatchObject({ todos: ["Late"] });
    expect(context.readsOfTranscripts()).toBe(1);
    // From then on the index knows it, and the end is as near as ever.
    const again = context.again();
    expect(await shown(await resolveList(again, { session: ONE }, options))).toMatchObject({
      todos: ["Late"],
    });
    expect(context.readsOfTranscripts()).toBe(2);
  }, 60_000);
});
