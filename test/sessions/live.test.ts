import { appendFileSync, rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { STALL_POLICY } from "../../src/core/activity/stall.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { applyFeedChange, type FeedChange } from "../../src/core/views/changes.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { type FeedOptions, openFeed } from "../../src/sessions/feed.ts";
import { renewLeases } from "../../src/sessions/lease-renewal.ts";
import { busyTracks, followSessions } from "../../src/sessions/live.ts";
import type { SessionUpdate } from "../../src/sessions/source.ts";
import { openSources } from "../../src/sessions/sources.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { until } from "../until.ts";
import { CWD, HOUR, newContext, type TestContext } from "./context.ts";

const ONE = "aaaa1111-1111-4111-8111-111111111111";
const TWO = "bbbb2222-2222-4222-8222-222222222222";
const main = (session: string) => ({ session, agent: "main" });

/** Lines to append to a session file. */
const line = (write: (file: ReturnType<typeof claudeSession>) => unknown, session = ONE) => {
  const file = claudeSession(session, CWD);
  write(file);
  return file.text();
};

async function followed({ call }: TestContext) {
  const updates: SessionUpdate[] = [];
  const problems: unknown[] = [];
  const live = await followSessions(
    call,
    {},
    { onUpdates: (some) => updates.push(...some), onProblem: (error) => problems.push(error) },
  );
  onTestFinished(() => live.stop());
  await live.ready;
  return { live, updates, problems };
}

describe("follows all sources", () => {
  test("merges them, newest first, and leaves out what is not selected", async () => {
    const context = newContext();
    context.transcript(ONE, (file, at) => file.todos([["Theirs", "pending"]], at), { age: HOUR });
    context.transcript(TWO, (file, at) => file.prompt("Go", at).end(at));
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    const { live, updates } = await followed(context);
    const sessions = (select?: Parameters<typeof live.tracks>[1]) =>
      live.tracks(Date.now(), select).map(({ track }) => track.session);
    expect(sessions()).toEqual(["groceries", TWO, ONE]);
    expect(sessions({ session: (session) => session !== TWO })).toEqual(["groceries", ONE]);
    expect(sessions({ external: (tracks) => tracks.slice(0, 1) })).toEqual(["groceries", TWO]);
    // Tracks that existed at the start are not updates.
    expect(updates).toEqual([]);
  });

  test("reports what is written to either, with the list before and after", async () => {
    const context = newContext();
    const path = context.transcript(ONE, (file, at) => file.todos([["a", "pending"]], at));
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    const { live, updates } = await followed(context);
    appendFileSync(
      path,
      line((file) => file.todos([["b", "pending"]], Date.now())),
    );
    await context.host({ session: "groceries" }, [{ text: "Bread" }]);
    await until(() => updates.filter(({ change }) => change).length >= 2, "both updates");
    const lists = updates.flatMap(({ id, change, before, after }) =>
      change
        ? [
            `${id.session} ${before.todos.map(({ text }) => text)} ${after.todos.map(({ text }) => text)}`,
          ]
        : [],
    );
    expect(lists.sort()).toEqual([`${ONE} a b`, "groceries Milk Bread"].sort());
    expect((await live.read(live.tracks(Date.now())[0] as MergedTrack)).id.agent).toBe("main");
  });

  test("knows which list of a transcript our store reported a moment before", async () => {
    const context = newContext();
    await context.host({ session: ONE }, [{ text: "Ours" }]);
    const path = context.transcript(ONE, (file, at) => file.prompt("Go", at));
    const { live, updates } = await followed(context);
    const lists = () => updates.filter(({ written }) => written?.event.type === "todo_list");
    appendFileSync(
      path,
      line((file) => file.todos([["Ours", "pending"]], Date.now())),
    );
    await until(() => lists().length > 0, "the list of the transcript");
    const [update] = lists();
    if (!update?.written) throw new Error("no update");
    expect(live.isReported(update)).toBe(true);
    const event = { ...update.written.event, timestamp: Date.now() + 10_000 };
    expect(live.isReported({ ...update, written: { ...update.written, event } })).toBe(false);
    expect(live.isReported({ ...update, id: main(TWO) })).toBe(false);
    const prompt = { ...update.written.event, type: "session.ended" as const };
    expect(live.isReported({ ...update, written: { ...update.written, event: prompt } })).toBe(
      false,
    );
  });

  test("leaves our lists out for another user's home", async () => {
    const context = newContext();
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    context.transcript(ONE, (file, at) => file.prompt("Go", at));
    const live = await followSessions(context.call, { userHome: context.user.path }, {});
    onTestFinished(() => live.stop());
    await live.ready;
    expect(live.tracks(Date.now()).map(({ track }) => track.session)).toEqual([ONE]);
    expect(openSources(context.call, { userHome: context.user.path }).hosted).toBeUndefined();
  });

  test("reports an agent that writes to its transcript as active, which renews its leases", async () => {
    const context = newContext();
    const path = context.transcript(ONE, (file, at) => file.prompt("Go", at));
    const active = new Set<string>();
    const { home } = context.call;
    const monitor = { ...home.monitor, noteActive: (owner: string) => void active.add(owner) };
    await followed({ ...context, call: { ...context.call, home: { ...home, monitor } } });
    expect([...active]).toEqual([]);
    appendFileSync(
      path,
      line((file) => file.call("Read", {}, Date.now(), "text")),
    );
    await until(() => active.size > 0, "an active agent");
    expect([...active]).toEqual([ONE]);
  });
});

test("tracks of sessions in which an agent works are the only ones that time changes", async () => {
  const context = newContext();
  const running = (file: ReturnType<typeof claudeSession>, at: number) =>
    file.prompt("Go", at).call("Read", {}, at, "text");
  context.transcript(ONE, running);
  context.subagent(ONE, "a1", (file, at) => file.prompt("Go", at).end(at));
  context.transcript(TWO, (file, at) => file.prompt("Go", at).end(at));
  context.transcript("cccc3333-3333-4333-8333-333333333333", running, { age: 30 * 24 * HOUR });
  const tracks = await openSources(context.call).transcripts.list();
  expect(tracks).toHaveLength(4);
  const busy = busyTracks(tracks, Date.now(), STALL_POLICY);
  expect(busy.map(({ live }) => `${live.session} ${live.agent}`).sort()).toEqual([
    `${ONE} a1`,
    `${ONE} main`,
  ]);
});

test("renews a lease at the time of the record, never in the future", () => {
  const active: [string, number][] = [];
  const home = {
    path: "/nowhere",
    monitor: { noteActive: (owner: string, at: number) => active.push([owner, at]) },
  };
  const leases = renewLeases(home as never, () => undefined);
  onTestFinished(() => leases.stop());
  const update = (timestamp: number, agent = "main") =>
    ({ written: { live: { session: "s", agent }, event: { timestamp } } }) as never;
  const before = Date.now();
  leases.renew([update(5), update(0), update(before + HOUR), {} as never, update(7, "sub")]);
  const [past, without, future, ...sub] = active.map(([owner, at]) => [owner, at] as const);
  expect(past).toEqual(["s", 5]);
  for (const each of [without, future]) {
    expect(each?.[0]).toBe("s");
    expect(each?.[1]).toBeGreaterThanOrEqual(before);
    expect(each?.[1]).toBeLessThanOrEqual(Date.now());
  }
  expect(sub).toEqual([
    ["s/sub", 7],
    ["s", 7],
  ]);
});

describe("a feed", () => {
  async function fed(context: TestContext, options: FeedOptions = {}) {
    const feed = await openFeed(context.call, options);
    onTestFinished(() => feed.stop());
    await feed.ready;
    const changes: FeedChange[] = [];
    let board: ReadonlyMap<string, MergedTrack> = new Map(
      feed.tracks().map((each) => [trackKey(each.track), each]),
    );
    const unsubscribe = feed.subscribe((change) => {
      changes.push(change);
      board = applyFeedChange(board, change);
    });
    return { feed, changes, board: () => board, unsubscribe };
  }

  test("publishes a new session, its changes and its end, without paths of files", async () => {
    const context = newContext();
    context.transcript(TWO, (file, at) => file.prompt("Go", at).end(at));
    const { feed, changes, board } = await fed(context);
    expect(feed.tracks().map(({ track }) => track.session)).toEqual([TWO]);
    const path = context.transcript(ONE, (file, at) => file.todos([["a", "pending"]], at));
    const key = trackKey(main(ONE));
    await until(() => board().has(key), "the session");
    expect(changes.map(({ type }) => type)).toEqual(["opened"]);
    expect(JSON.stringify(changes)).not.toContain(path);
    appendFileSync(
      path,
      line((file) => file.todos([["a", "completed"]], Date.now())),
    );
    await until(() => board().get(key)?.track.todos[0]?.status === "completed", "the change");
    expect(board().get(key)?.track).toEqual(feed.tracks()[0]?.track);
    rmSync(path);
    await until(() => !board().has(key), "the end");
    expect(changes.at(-1)).toEqual({ type: "gone", id: main(ONE) });
    expect(feed.tracks().map(({ track }) => track.session)).toEqual([TWO]);
  });

  test("publishes one event for each change of a list of ours, in order", async () => {
    const context = newContext();
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    const { changes, board } = await fed(context);
    const tracker = await context.call.home.writing();
    const list = tracker.list(main("groceries"));
    for (const text of ["Bread", "Salt", "Oil"])
      await list.submit([{ op: "add", todos: [{ text }] }]);
    const key = trackKey(main("groceries"));
    await until(() => board().get(key)?.track.todos.length === 4, "all todos");
    const seqs = changes.flatMap((change) => (change.type === "event" ? change.event.seq : []));
    expect(seqs).toEqual([2, 3, 4]);
  });

  test("publishes an agent that stalls although it writes nothing", async () => {
    const context = newContext({ WAYMARK_STALL_AFTER: "2s", WAYMARK_STALL_AFTER_RUNNING: "2s" });
    context.transcript(ONE, (file) =>
      file.prompt("Go", Date.now()).call("Read", {}, Date.now(), "x"),
    );
    const { feed, board } = await fed(context);
    expect(feed.tracks()[0]?.state).toBe("working");
    const [key = ""] = board().keys();
    await until(() => board().get(key)?.state === "stalled", "the stall");
  });

  test("publishes nothing to a subscriber that left, nor after it was stopped", async () => {
    const context = newContext();
    context.transcript(TWO, (file, at) => file.prompt("Go", at).end(at));
    const { feed, changes, unsubscribe } = await fed(context);
    const other = await fed({ ...context, call: context.again() });
    const received: string[] = [];
    feed.subscribe(({ type }) => received.push(type));
    unsubscribe();
    const path = context.transcript(ONE, (file, at) => file.todos([["a", "pending"]], at));
    await until(() => received.length > 0 && other.changes.length > 0, "the session");
    expect(changes).toEqual([]);
    feed.stop();
    const count = received.length;
    rmSync(path);
    await until(() => other.changes.some(({ type }) => type === "gone"), "the end");
    expect(received).toHaveLength(count);
  });

  test("reports that our lists cannot be read, and that they can again", async () => {
    const context = newContext();
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    const home = context.call.home;
    let isBroken = false;
    const reading = async () => {
      if (isBroken) throw new Error("the disk is on fire");
      return home.reading();
    };
    const call = { ...context.call, home: { ...home, reading } };
    const feed = await openFeed(call);
    onTestFinished(() => feed.stop());
    const problems: (string | undefined)[] = [];
    const stop = feed.onProblem((problem) => problems.push(problem));
    isBroken = true;
    await until(() => problems.length > 0, "the problem");
    expect(feed.problem()).toBe("the disk is on fire");
    isBroken = false;
    await until(() => problems.length > 1, "the recovery");
    expect(problems).toEqual(["the disk is on fire", undefined]);
    expect(feed.problem()).toBeUndefined();
    expect(context.printed).toEqual(["waymark: the disk is on fire"]);
    stop();
  });

  test("publishes a list of ours that is created only later", async () => {
    const context = newContext();
    const { board } = await fed(context);
    await context.host({ session: "groceries" }, [{ text: "Milk" }]);
    await until(() => board().size === 1, "the list");
  });
});
