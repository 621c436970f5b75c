import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyTrack, evolve } from "../../../src/core/evolve.ts";
import { decide } from "../../../src/core/list/decide.ts";
import { DEFAULT_POLICY } from "../../../src/core/list/policy.ts";
import type { Event, Todo } from "../../../src/core/model.ts";
import { transitionsOf } from "../../../src/core/views/history.ts";
import { awayFacts, awayOf, isQuiet } from "../../../src/core/views/report/away.ts";
import type { Report, ReportInput } from "../../../src/core/views/report/model.ts";
import { reportOf } from "../../../src/core/views/report/report.ts";
import { op } from "../arbitrary.ts";
import { todo } from "../track-of.ts";
import { ago, check, done, edit, HOUR, MINUTE, NOW, reported, running, WINDOW } from "./tracks.ts";

const GROUPS = ["finished", "unverified", "open", "stuck", "needsYou", "cancelled"] as const;

function report(tracks: ReportInput["tracks"], more: Partial<ReportInput> = {}): Report {
  return reportOf({ tracks, window: WINDOW, now: NOW, timeZone: "UTC", ...more });
}

const texts = (group: Report["finished"]) => group.map(({ text }) => text);

describe("the headline", () => {
  const proven = reported([done("1", ago(3), "npm test")], { session: "good", state: "finished" });
  const unproven = reported([done("1", ago(3))], { session: "claimed", state: "finished" });
  const failed = reported([done("1", ago(4), "npm test"), running("2", ago(3))], {
    session: "bad",
    title: "Cut release 4.2",
    activity: { turn: "failed", lastAt: ago(2) },
  });
  const looping = reported([running("1", ago(3))], {
    session: "loop",
    title: "Upgrade the search client",
    state: "looping",
    activity: { turn: "running", lastAt: ago(0) },
    findings: [
      { kind: "generic_repeat", level: "critical", label: "npm test", count: 21, message: "" },
    ],
  });
  const waiting = reported([running("1", ago(3))], {
    session: "asks",
    title: "Let guests pay",
    state: "needs_you",
    waiting: { kind: "permission", text: "git push", since: ago(2) },
  });
  const open = reported([running("1", ago(3)), todo("2")], { session: "open", title: "Refunds" });

  test("reads as failed if one session failed, whatever else went well", () => {
    const { headline, verdict } = report([proven, unproven, looping, waiting, open, failed]);
    expect(headline).toBe("The night failed: “Cut release 4.2” ended with an error, 1 todo open.");
    expect(verdict).toBe("failed");
  });

  test("reads as stuck if no session failed", () => {
    const { headline } = report([proven, unproven, waiting, open, looping]);
    expect(headline).toBe("The night got stuck: “Upgrade the search client” repeats itself.");
  });

  test("says that nothing is proven if every finished session is unproven", () => {
    expect(report([unproven, open]).headline).toBe("Finished, but nothing is proven.");
  });

  test("says how much is proven if no finished session is proven as a whole", () => {
    const partly = reported([done("1", ago(3), "npm test"), done("2", ago(3))], {
      session: "partly",
      state: "finished",
    });
    expect(report([partly, unproven]).headline).toBe("Finished, but only 1 of 3 todos is proven.");
  });

  test("is good only if something is finished and proven", () => {
    expect(report([proven, unproven, open]).headline).toBe(
      "A good night: 2 sessions finished, 1 of them proven.",
    );
    expect(report([open]).headline).toBe("Nothing finished: “Refunds” is at 0 of 2 todos.");
    expect(report([waiting, open]).headline).toBe(
      "Nothing finished: “Let guests pay” waits for you.",
    );
    expect(report([]).headline).toBe("No agent was active.");
  });

  test("counts sessions, and says nothing about what is unknown", () => {
    expect(report([proven, unproven, looping, waiting, open, failed]).summary).toBe(
      "2 of 6 sessions finished, 1 of them proven. 1 failed, 1 is stuck, 1 waits for you, 1 is open.",
    );
    const { cost, sessions } = report([proven]);
    expect(cost).toMatchObject({ priced: 0, unpriced: 0 });
    expect(sessions[0]?.stuck).toBeUndefined();
  });

  test("names a day a day", () => {
    const window = { since: NOW - 3 * HOUR, until: NOW };
    expect(report([failed], { window, timeZone: "Asia/Tokyo" }).headline).toContain(
      "The day failed",
    );
  });
});

describe("groups", () => {
  test("separate proven from unproven completions, and open from stuck todos", () => {
    const found = report([
      reported(
        [
          done("1", ago(5), "npm test"),
          done("2", ago(4)),
          running("3", ago(3)),
          todo("4", { createdAt: ago(5) }),
          todo("5", { status: "cancelled", createdAt: ago(5), finishedAt: ago(3) }),
          todo("6", { status: "blocked", createdAt: ago(5), blocker: "no staging" }),
        ],
        { activity: { turn: "failed", lastAt: ago(2) } },
      ),
    ]);
    expect(GROUPS.map((group) => texts(found[group]))).toEqual([
      ["Todo 1"],
      ["Todo 2"],
      ["Todo 4"],
      ["Todo 3", "Todo 6"],
      [],
      ["Todo 5"],
    ]);
    expect(found.stuck.map(({ stuck }) => stuck?.kind)).toEqual(["failed turn", "blocked"]);
    expect(found.stuck[1]?.stuck?.on).toBe("no staging");
  });

  test("leave out todos that did not change in the window", () => {
    const old = { ...done("1", ago(30), "npm test"), createdAt: ago(40) };
    const found = report([reported([old], { state: "finished" })]);
    expect(GROUPS.flatMap((group) => texts(found[group]))).toEqual([]);
    expect(found.sessions[0]?.outcome).toBe("unchanged");
    expect(found.headline).not.toContain("good");
  });

  test("do not count a completion whose check Waymark saw failing", () => {
    const proof = {
      check: "test",
      command: "npm test",
      ok: false,
      exitCode: 1,
      at: ago(2),
      durationMs: 1,
      tree: "t",
      machine: "m",
      warnings: [],
      output: "",
    };
    const found = report([reported([{ ...done("1", ago(3), "npm test"), proof }])]);
    expect(texts(found.stuck)).toEqual(["Todo 1"]);
    expect(found.stuck[0]?.stuck).toMatchObject({
      kind: "failed check",
      on: "npm test",
      exitCode: 1,
    });
    expect(found.verdict).toBe("failed");
  });

  test("show a session without todos that waits, and once if a subagent asks", () => {
    const waiting = { kind: "question", text: "Which one?", since: ago(2) } as const;
    const main = reported([], { state: "needs_you", waiting });
    const child = reported([], {
      agent: "child",
      parentAgent: "main",
      state: "needs_you",
      waiting,
    });
    const found = report([main, child]);
    expect(found.needsYou).toHaveLength(1);
    expect(found.needsYou[0]).toMatchObject({ agent: "main", text: "Work of s1", waiting });
  });
});

describe("stuck", () => {
  const stuckOf = (given: Parameters<typeof reported>[1], todos = [running("1", ago(3))]) =>
    report([reported(todos, given)]).sessions[0];

  test("a check that failed since it last passed, before the agent stopped", () => {
    const calls = [
      check("npm run build", ago(5), true),
      check("npm run build", ago(4), false),
      check("npm run build", ago(3), false),
    ];
    const session = stuckOf({ calls });
    expect(session?.outcome).toBe("failed");
    expect(session?.stuck).toEqual({
      kind: "failed check",
      on: "npm run build",
      since: ago(4) + MINUTE,
      count: 2,
    });
    expect(stuckOf({ calls: [...calls, check("npm run build", ago(2), true)] })?.outcome).toBe(
      "open",
    );
    expect(stuckOf({ calls, state: "working", activity: { turn: "running" } })?.outcome).toBe(
      "open",
    );
  });

  test("a loop, since its first call", () => {
    const loop = {
      kind: "generic_repeat",
      level: "critical",
      label: "npm test",
      count: 3,
      message: "",
    } as const;
    const calls = [
      edit("Edit a.ts", ago(5)),
      check("npm test", ago(4), false),
      check("npm test", ago(3), false),
      check("npm test", ago(2), false),
    ];
    const session = stuckOf({ calls, state: "idle", activity: { turn: "running", loop } });
    expect(session?.stuck).toEqual({ kind: "looping", on: "npm test", count: 3, since: ago(4) });
  });

  test("silence in the middle of a turn, and a stall", () => {
    expect(
      stuckOf({ state: "idle", activity: { turn: "running", lastAt: ago(2) } })?.stuck,
    ).toEqual({
      kind: "stopped",
      on: "",
      since: ago(2),
    });
    expect(
      stuckOf({ state: "stalled", activity: { turn: "running", lastAt: ago(1) } })?.stuck?.kind,
    ).toBe("stalled");
  });

  test("not a finished list, a failed subagent, or an agent that waits", () => {
    const finished = [done("1", ago(3), "npm test")];
    expect(stuckOf({ activity: { turn: "failed" } }, finished)?.outcome).toBe("proven");
    const child = reported([], {
      agent: "child",
      parentAgent: "main",
      activity: { turn: "failed" },
    });
    const found = report([reported(finished, {}), child]);
    expect(found.sessions.map(({ outcome }) => outcome)).toEqual(["proven"]);
    expect(found.stuck).toEqual([]);
  });
});

describe("commits", () => {
  const commit = (hash: string, at: number, ...files: string[]) => ({
    hash,
    at,
    subject: `Commit ${hash}`,
    files,
    root: "/srv/harbor",
    directories: ["/srv/harbor"],
  });

  test("belong to the todo that was worked on at that time", () => {
    const track = reported([done("1", ago(5)), done("2", ago(3))]);
    const found = report([track], {
      commits: [commit("a", ago(5) - MINUTE, "x.ts"), commit("b", ago(7), "y.ts")],
    });
    expect(found.unverified[0]?.commits).toEqual([
      { hash: "a", at: ago(5) - MINUTE, subject: "Commit a", inferred: true, files: [] },
    ]);
    expect(found.commits.map(({ todo: of }) => of?.todo)).toEqual([undefined, "1"]);
    expect(found.sessions[0]?.commits).toBe(1);
  });

  test("belong to the agent that edited their files if two work at the same time", () => {
    const calls = [edit("Edit /srv/harbor/src/a.ts", ago(3.2))];
    const tracks = [
      reported([done("1", ago(3))], { session: "one", calls }),
      reported([done("1", ago(3))], { session: "two" }),
    ];
    const at = ago(3) - MINUTE;
    const found = report(tracks, {
      commits: [commit("a", at, "src/a.ts"), commit("b", at, "src/b.ts")],
    });
    expect(found.commits.map(({ todo: of }) => of?.session)).toEqual(["one", undefined]);
    expect(found.unverified.find(({ session }) => session === "one")?.commits?.[0]?.files).toEqual([
      "src/a.ts",
    ]);
  });

  test("of another repository or outside of the window do not count", () => {
    const track = reported([done("1", ago(3))]);
    const other = { ...commit("a", ago(3) - MINUTE), root: "/srv/web", directories: ["/srv/web"] };
    const found = report([track], { commits: [other, commit("b", ago(20))] });
    expect(found.commits.map(({ hash, todo: of }) => [hash, of])).toEqual([["a", undefined]]);
  });
});

test("cost counts the window only, by agent and by todo", () => {
  const usage = (input: number) => ({
    input,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    requests: 1,
  });
  const parts = [
    { at: ago(2), todo: "1", model: "m", usage: usage(1_000_000) },
    { at: ago(3), model: "other", usage: usage(500) },
    { at: ago(40), todo: "1", model: "m", usage: usage(7) },
  ];
  const prices = {
    find: (model: string | undefined) => (model === "m" ? { input: 3, output: 15 } : undefined),
  };
  const track = reported([done("1", ago(1))], {
    usage: { parts, texts: { 1: "Todo 1" }, focus: [] },
  });
  const found = report([track], { prices });
  expect(found.cost).toMatchObject({ nanos: 3e9, priced: 1_000_000, unpriced: 500 });
  expect(found.unpricedModels).toEqual(["other"]);
  expect(found.expensive.map(({ text, usage: own }) => [text, own?.nanos])).toEqual([
    ["Todo 1", 3e9],
  ]);
  expect(found.costByAgent.map(({ agentType }) => agentType)).toEqual(["codex"]);
});

test("plans decided in the window are listed once", () => {
  const event = (at: number): Event => ({
    seq: 1,
    key: "k",
    at,
    by: "user",
    via: "cli",
    changes: [{ type: "plan.decided", planId: "p1", decision: "approved" }],
  });
  const plan = {
    id: "p1",
    text: "1. A",
    state: "approved",
    at: ago(4),
    decidedAt: ago(3),
  } as const;
  const found = report([reported([], { plan, events: [event(ago(3))] })]);
  expect(found.plans).toMatchObject([
    { planId: "p1", decision: "approved", by: "you", at: ago(3) },
  ]);
  expect(report([reported([], { plan, events: [] })]).plans).toHaveLength(1);
  expect(report([reported([], { plan: { ...plan, decidedAt: ago(30) } })]).plans).toEqual([]);
});

test("counts for people who were away leave out zeros", () => {
  const found = report([
    reported([done("1", ago(3), "npm test")], { session: "a" }),
    reported([running("1", ago(3))], { session: "b", activity: { turn: "failed" } }),
  ]);
  const counts = awayOf(found);
  expect(awayFacts(counts)).toEqual(["1 failed or stuck", "1 finished and proven"]);
  expect(counts.cost).toBeNull();
  expect(isQuiet(counts)).toBe(false);
  expect(isQuiet(awayOf(report([])))).toBe(true);
  const none = { ...counts, proven: 0, unproven: 0, stuck: 0, needsYou: 0, commits: 0 };
  expect([awayFacts(none), isQuiet(none)]).toEqual([[], true]);
  for (const [count, one, two] of [
    ["stuck", "1 failed or stuck", "2 failed or stuck"],
    ["needsYou", "1 waits for you", "2 wait for you"],
    ["proven", "1 finished and proven", "2 finished and proven"],
    ["unproven", "1 finished, unproven", "2 finished, unproven"],
    ["commits", "1 commit", "2 commits"],
  ] as const) {
    expect([awayFacts({ ...none, [count]: 1 }), awayFacts({ ...none, [count]: 2 })]).toEqual([
      [one],
      [two],
    ]);
    expect(isQuiet({ ...none, [count]: 1 })).toBe(false);
  }
  const outcomes = ["proven", "unproven", "failed", "stuck", "waiting", "open"] as const;
  const sessions = outcomes.map((outcome) => ({ ...found.sessions[0], outcome }));
  const all = awayOf({ ...found, sessions } as Report);
  expect(all).toMatchObject({ proven: 1, unproven: 1, stuck: 2, needsYou: 1 });
});

test("each todo that changed in the window is in exactly one group", () => {
  const states = fc.constantFrom(
    "idle",
    "needs_you",
    "working",
    "stalled",
    "looping",
    "finished",
    "ended",
  );
  const turns = fc.constantFrom("none", "running", "completed", "failed", "cancelled");
  const writes = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 16 }), fc.array(op, { minLength: 1, maxLength: 3 })),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(writes, states, turns), { maxLength: 3 }), (sessions) => {
      const tracks = sessions.map(([steps, state, turn], index) => {
        const session = `s${index}`;
        const events: Event[] = [];
        let track = emptyTrack({ session, agent: "main" });
        for (const [hours, ops] of steps.toSorted(([a], [b]) => b - a)) {
          const submission = {
            key: `k${events.length}`,
            at: ago(hours),
            by: "agent",
            via: "t",
            ops,
            partial: true,
          } as const;
          const decision = decide(track, submission, DEFAULT_POLICY);
          if (!decision.ok) continue;
          events.push(decision.event);
          track = evolve(track, decision.event);
        }
        const waiting = { kind: "question", text: "?", since: ago(1) } as const;
        return reported(track.todos, {
          session,
          events,
          state,
          activity: { turn },
          ...(state === "needs_you" && { waiting }),
        });
      });
      const found = report(tracks);
      const entries = GROUPS.flatMap((group) => found[group]).filter(
        (entry) => entry.todo !== undefined,
      );
      for (const { merged, events = [] } of tracks) {
        const { session, todos } = merged.track;
        const inWindow = transitionsOf(events).filter(({ at }) => at >= WINDOW.since);
        const current = new Set(todos.map(({ id }) => id));
        const known = new Set(todos.map(({ text }) => text));
        const own = entries.filter((entry) => entry.session === session);
        for (const { todo: id, text } of new Map(inWindow.map((row) => [row.todo, row])).values()) {
          // A todo that was removed and written again is shown as it is now.
          if (!current.has(id) && known.has(text)) continue;
          expect(own.filter((entry) => entry.todo === id)).toHaveLength(1);
        }
        const keys = own.map(({ todo: id, status }) => `${id} ${status}`);
        expect(new Set(keys).size).toBe(keys.length);
        const byId = new Map(todos.map((each): [string, Todo] => [each.id, each]));
        for (const { todo: id = "", status } of own)
          if (byId.has(id) && status !== "removed") expect(byId.get(id)?.status).toBe(status);
      }
    }),
    { numRuns: 50 },
  );
});
