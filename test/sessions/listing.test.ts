import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { knownSessions } from "../../src/sessions/listing/known.ts";
import { listSessions } from "../../src/sessions/listing/list.ts";
import { shortIds } from "../../src/sessions/listing/short-ids.ts";
import { readSummaries } from "../../src/sessions/listing/summaries.ts";
import { CWD, HOUR, MINUTE, newContext } from "./context.ts";

const id = (n: number) => `aaaa${String(n).padStart(4, "0")}-1111-4111-8111-111111111111`;

describe("lists sessions", () => {
  const rows = ({ tracks, subagents, more }: Awaited<ReturnType<typeof listSessions>>) => ({
    tracks: tracks.map(({ track }) => `${track.session.slice(0, 8)} ${track.agent}`),
    subagents: [...subagents],
    more,
  });

  test("newest first, ours and those of transcripts, with their subagents", async () => {
    const { call, host, transcript, subagent } = newContext();
    await host({ session: "groceries" }, [{ text: "Milk" }]);
    transcript(id(1), (file, at) => file.prompt("Go", at).end(at), { age: 2 * HOUR });
    subagent(id(1), "a1", (file, at) => file.todos([["x", "pending"]], at), { age: HOUR });
    transcript(id(2), (file, at) => file.prompt("Go", at).end(at), { age: MINUTE });
    expect(rows(await listSessions(call, {}, Date.now()))).toEqual({
      tracks: ["grocerie main", "aaaa0002 main", "aaaa0001 a1", "aaaa0001 main"],
      subagents: [JSON.stringify([id(1), "a1"])],
      more: false,
    });
  });

  test("the newest 20 of them, and says that there are more", async () => {
    const { call, again, transcript, subagent } = newContext();
    for (let n = 1; n <= 20; n++)
      transcript(id(n), (file, at) => file.prompt("Go", at).end(at), { age: n * MINUTE });
    subagent(id(20), "a1", (file, at) => file.todos([["x", "pending"]], at), { age: 5 * HOUR });
    const twenty = rows(await listSessions(call, {}, Date.now()));
    expect([twenty.tracks.length, twenty.more]).toEqual([21, false]);
    transcript(id(21), (file, at) => file.prompt("Go", at).end(at), { age: HOUR });
    const newest = rows(await listSessions(again(), {}, Date.now()));
    expect([newest.tracks.length, newest.more]).toEqual([21, true]);
    expect(newest.tracks).not.toContain("aaaa0021 main");
    const all = rows(await listSessions(again(), { all: true }, Date.now()));
    expect([all.tracks.length, all.more]).toEqual([22, false]);
    expect(all.tracks.slice(-2)).toEqual(["aaaa0021 main", "aaaa0020 a1"]);
  });

  test("of one directory", async () => {
    const { call, again, host, transcript } = newContext();
    await host({ session: "groceries" }, [{ text: "Milk" }], { cwd: "/srv/other" });
    transcript(id(1), (file, at) => file.prompt("Go", at).end(at), { cwd: CWD });
    expect(rows(await listSessions(call, { cwd: CWD }, Date.now())).tracks).toEqual([
      "aaaa0001 main",
    ]);
    expect(rows(await listSessions(again(), { cwd: "/srv/other" }, Date.now())).tracks).toEqual([
      "grocerie main",
    ]);
  });

  test("of another user without our lists", async () => {
    const { call, user, host, transcript } = newContext();
    await host({ session: "groceries" }, [{ text: "Milk" }]);
    transcript(id(1), (file, at) => file.prompt("Go", at).end(at));
    expect(rows(await listSessions(call, { home: user.path }, Date.now())).tracks).toEqual([
      "aaaa0001 main",
    ]);
  });
});

test("completes the sessions of the last reading, newest first", async () => {
  const { call, host, transcript } = newContext();
  transcript(id(1), (file, at) => file.prompt("Go", at), { age: HOUR });
  transcript(id(2), (file, at) => file.prompt("Go", at), { age: MINUTE });
  await host({ session: "groceries" }, [{ text: "Milk" }]);
  // Nothing was read yet.
  expect(await knownSessions(call.home, 5)).toEqual(["groceries"]);
  await listSessions(call, {}, Date.now());
  expect(await knownSessions(call.home, 5)).toEqual(["groceries", id(2), id(1)]);
  expect(await knownSessions(call.home, 1)).toEqual(["groceries", id(2)]);
});

describe("short ids", () => {
  test.each([
    [
      "eight characters where that is enough",
      [id(1), `bbbb${id(2).slice(4)}`],
      ["aaaa0001", "bbbb0002"],
    ],
    [
      "one more than what two have in common",
      ["aaaa1111-1111-4111-8111-111111111111", "aaaa1111-1112-4111-8111-111111111111"],
      ["aaaa1111-1111", "aaaa1111-1112"],
    ],
    ["chosen names as they are", ["groceries", "groceries-for-the-weekend"], undefined],
    [
      "the machine of a relayed session",
      ["aaaa1111-1111-4111-8111-111111111111@attic"],
      ["aaaa1111@attic"],
    ],
  ])("%s", (_, sessions, short) => {
    const found = shortIds(sessions);
    expect(sessions.map((session) => found.get(session))).toEqual(short ?? sessions);
  });

  test("do not grow because a session is named twice", () => {
    expect([...shortIds([id(1), id(1)]).values()]).toEqual(["aaaa0001"]);
  });
});

describe("summaries for status lines", () => {
  async function withList() {
    const context = newContext();
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    return { ...context, home: context.call.home.path };
  }
  /** An event that a hook left for the next process; `age` in milliseconds. */
  function spooled(home: string, session: string, age: number): void {
    const path = join(home, "spool", `${session}.PreToolUse.claude.1-abc-def`);
    mkdirSync(join(home, "spool"), { recursive: true });
    writeFileSync(path, "{}");
    const seconds = (Date.now() - age) / 1_000;
    utimesSync(path, seconds, seconds);
  }

  test("are those of the status file while no event waits", async () => {
    const { home } = await withList();
    const { summaries, isBehind } = readSummaries(home, Date.now());
    expect(summaries.map(({ session }) => session)).toEqual(["groceries"]);
    expect(isBehind).toBe(false);
  });

  test("count an agent as active whose event waits", async () => {
    const { home } = await withList();
    const later = Date.now() + HOUR;
    const received = () => readSummaries(home, later).summaries.map(({ heardAt }) => heardAt);
    const [before = 0] = received();
    spooled(home, "another", -HOUR);
    expect(received()).toEqual([before]);
    spooled(home, "groceries", -HOUR);
    expect(received()[0]).toBeGreaterThan(before + HOUR - 10 * MINUTE);
  });

  test("ask for the ingestion of events that wait for more than two seconds, not again and again", async () => {
    const { home } = await withList();
    spooled(home, "groceries", 1_000);
    expect(readSummaries(home, Date.now()).isBehind).toBe(false);
    spooled(home, "groceries", 3_000);
    expect(readSummaries(home, Date.now()).isBehind).toBe(true);
    expect(readSummaries(home, Date.now()).isBehind).toBe(false);
  });
});
