import { describe, expect, test } from "vitest";
import { STALL_POLICY } from "../../src/core/activity/stall.ts";
import type { Track } from "../../src/core/model.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";
import type { LiveTrack } from "../../src/core/stream/fold.ts";
import type { ReceivedTrack } from "../../src/core/views/relayed.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { mergeRelayed } from "../../src/sessions/remote/merge.ts";
import {
  at,
  completed,
  hosted,
  list,
  MINUTE,
  NOW,
  only,
  started,
  texts,
  transcript,
  write,
} from "./merge-inputs.ts";

describe("an agent with a transcript and a list of ours", () => {
  test("is one track, with our list where it has todos", () => {
    const theirs = transcript([[5, list("Theirs")]]);
    const merged = only(mergeTracks([hosted([[9, write("Ours")]])], [theirs], NOW));
    expect(merged).toMatchObject({ hosted: true, updatedAt: at(5), activeAt: at(5) });
    expect(texts(merged)).toEqual(["Ours"]);
    expect(merged.external).toBe(theirs);
  });

  test("shows the agent's own list while ours is empty, and our empty one where both are", () => {
    const empty = hosted([[9, (own) => own.observe([{ type: "turn.started" }])]]);
    const merged = only(mergeTracks([empty], [transcript([[5, list("Theirs")]])], NOW));
    expect([merged.hosted, texts(merged)]).toEqual([false, ["Theirs"]]);
    const both = only(mergeTracks([empty], [transcript([[5, started]])], NOW));
    expect([both.hosted, texts(both)]).toEqual([true, []]);
  });

  test("was updated when either changed last", () => {
    const theirs = [transcript([[5, list("Theirs")]])];
    const own = hosted([[2, write("Ours")]]);
    expect(only(mergeTracks([own], theirs, NOW))).toMatchObject({
      updatedAt: at(2),
      activeAt: at(2),
    });
    const edited = hosted([
      [9, write("Ours")],
      [1, (ours) => ours.submit([{ op: "add", todos: [{ text: "More" }] }], { by: "user" })],
    ]);
    // A user's edit is an update, but no activity of the agent.
    expect(only(mergeTracks([edited], theirs, NOW))).toMatchObject({
      updatedAt: at(1),
      activeAt: at(5),
    });
  });

  test("has the prompt of the transcript, else that which hooks reported", () => {
    const prompted = hosted([
      [9, (own) => own.observe([{ type: "turn.started", prompt: "From the hook" }])],
      [9, write("Ours")],
    ]);
    const silent = transcript([[5, list("Theirs")]]);
    const spoken = transcript([[5, { type: "turn.started", prompt: "From the file" }]]);
    expect(only(mergeTracks([prompted], [spoken], NOW)).prompt).toBe("From the file");
    expect(only(mergeTracks([prompted], [silent], NOW)).prompt).toBe("From the hook");
    expect(only(mergeTracks([], [silent], NOW)).prompt).toBeUndefined();
  });

  test("has a check that only the transcript saw", () => {
    const own = hosted([
      [9, (ours) => ours.set([{ text: "Test" }, { text: "Ship" }], { by: "agent" })],
      [8, (ours) => ours.submit([{ op: "finish", target: { any: "1" } }], { by: "agent" })],
    ]);
    const check = { command: "npm test", at: at(7) };
    const theirs = transcript([[8, list("Test", "Ship")]]);
    const [first, ...rest] = theirs.live.track.todos;
    if (!first) throw new Error("no todo");
    const proven = (more: object) => {
      const todos = [{ ...first, check, ...more }, ...rest] as Track["todos"];
      const live = { ...theirs.live, track: { ...theirs.live.track, todos } };
      return only(mergeTracks([own], [{ ...theirs, live }], NOW)).track.todos.map(
        (todo) => todo.check,
      );
    };
    expect(proven({})).toEqual([check, undefined]);
    // The same id with another text is another todo.
    expect(proven({ ref: "1", text: "Other" })).toEqual([undefined, undefined]);
    expect(proven({ ref: "1" })).toEqual([check, undefined]);
  });

  test("keeps our plan before the agent's", () => {
    const planned = hosted([[9, (own) => own.plan.propose("Our plan")]]);
    const theirs = transcript([
      [5, { type: "plan.proposed", planId: "p", text: "Their plan" } as StreamBody],
    ]);
    expect(only(mergeTracks([planned], [theirs], NOW)).plan?.text).toBe("Our plan");
    expect(only(mergeTracks([planned], [theirs], NOW)).track.plan?.text).toBe("Our plan");
  });
});

describe("a request to the user", () => {
  const asks: StreamBody = {
    type: "input.requested",
    kind: "permission",
    text: "rm -rf build",
    tool: "Bash",
  } as StreamBody;
  const asked = (minutes: number) =>
    [
      minutes,
      (own: { observe(some: readonly object[]): unknown }) =>
        own.observe([
          { type: "input.requested", kind: "permission", text: "rm -rf build", tool: "Bash" },
        ]),
    ] as never;

  test("that hooks reported is shown until the transcript has newer records", () => {
    const own = hosted([[4, (ours) => ours.observe([{ type: "turn.started" }])], asked(3)]);
    const before = transcript([[5, started]]);
    expect(only(mergeTracks([own], [before], NOW))).toMatchObject({
      state: "needs_you",
      waiting: { kind: "permission", text: "rm -rf build" },
    });
    const after = transcript([
      [5, started],
      [1, { type: "tool.started", name: "Read", input: {} }],
    ]);
    const merged = only(mergeTracks([own], [after], NOW));
    expect(merged.state).not.toBe("needs_you");
    expect(merged.waiting).toBeUndefined();
  });

  test("that the transcript has is shown until hooks report that the agent continues", () => {
    const theirs = transcript([
      [5, started],
      [3, asks],
    ]);
    expect(only(mergeTracks([], [theirs], NOW)).state).toBe("needs_you");
    const later = hosted([
      [1, (own) => own.observe([{ type: "message", role: "user", text: "Yes" }])],
    ]);
    expect(only(mergeTracks([later], [theirs], NOW)).state).not.toBe("needs_you");
    const earlier = hosted([[4, (own) => own.observe([{ type: "turn.started" }])]]);
    expect(only(mergeTracks([earlier], [theirs], NOW)).state).toBe("needs_you");
  });

  test("of a subagent is its session's, too, unless the session has one or is over", () => {
    const child = transcript(
      [
        [6, { type: "session.started", parentId: "main" }],
        [3, asks],
      ],
      { agent: "sub" },
    );
    const states = (
      ...lives: readonly { readonly live: LiveTrack; readonly updatedAt: number }[]
    ) =>
      Object.fromEntries(
        mergeTracks([], lives, NOW).map(({ track, state, waiting }) => [
          track.agent,
          [state, waiting?.text],
        ]),
      );
    const main = transcript([[5, started]]);
    expect(states(main, child)).toEqual({
      main: ["needs_you", "rm -rf build"],
      sub: ["needs_you", "rm -rf build"],
    });
    const ended = transcript([
      [5, started],
      [4, { type: "session.ended" }],
    ]);
    expect(states(ended, child).main).toEqual(["ended", undefined]);
    const question = { ...asks, text: "Which one?" } as StreamBody;
    expect(
      states(
        transcript([
          [5, started],
          [4, question],
        ]),
        child,
      ).main,
    ).toEqual(["needs_you", "Which one?"]);
    // A subagent whose parent is unknown asks for itself.
    expect(states(child)).toEqual({ sub: ["needs_you", "rm -rf build"] });
  });
});

describe("the end of a session", () => {
  const own = hosted([
    [5, (ours) => ours.observe([{ type: "turn.started" }])],
    [3, (ours) => ours.observe([{ type: "session.ended" }])],
  ]);

  test("that only hooks report ends it, although the last line of the file comes after", () => {
    const file = (milliseconds: number) => {
      const theirs = transcript([[5, started]]);
      theirs.live.activity.lastAt = at(3) + milliseconds;
      return only(mergeTracks([own], [theirs], NOW)).state;
    };
    expect(file(0)).toBe("ended");
    expect(file(2_000)).toBe("ended");
    expect(file(2_001)).not.toBe("ended");
  });
});

describe("a working agent", () => {
  test("stalls when it was silent for too long, and not while a subagent works", () => {
    const main = transcript([
      [6, { type: "session.started" }],
      [5, started],
    ]);
    const policy = { ...STALL_POLICY, stallAfter: 2 * MINUTE };
    const state = (...others: Parameters<typeof mergeTracks>[1][number][]) =>
      mergeTracks([], [main, ...others], NOW, policy).find(({ track }) => track.agent === "main");
    expect(state()?.state).toBe("stalled");
    expect(state()?.findings.map(({ kind }) => kind)).toEqual(["stalled"]);
    const child = transcript(
      [
        [4, { type: "session.started", parentId: "main" }],
        [1, started],
      ],
      { agent: "sub" },
    );
    expect(state(child)?.state).toBe("working");
    expect(state(child)?.stallsAt).toBe(at(1) + 2 * MINUTE);
    expect(mergeTracks([], [main], at(4), policy)[0]?.state).toBe("working");
  });

  test("of which hooks report does so, too, by all its agents", () => {
    const turn = (minutes: number, id = {}) =>
      hosted([[minutes, (ours) => ours.observe([{ type: "turn.started" }])]], id);
    const policy = { ...STALL_POLICY, stallAfter: 2 * MINUTE };
    const states = (...tracks: readonly Track[]) =>
      Object.fromEntries(
        mergeTracks(tracks, [], NOW, policy).map(({ track, state }) => [track.agent, state]),
      );
    expect(states(turn(5))).toEqual({ main: "stalled" });
    expect(states(turn(5), turn(1, { agent: "sub", parentAgent: "main" }))).toEqual({
      main: "working",
      sub: "working",
    });
    const others = mergeTracks([turn(5), turn(1, { session: "other" })], [], NOW, policy);
    expect(others.map(({ track, state }) => [track.session, state])).toEqual([
      ["other", "working"],
      ["s", "stalled"],
    ]);
  });

  test("of which only the list is known was active when it last wrote to it", () => {
    const merged = only(mergeTracks([hosted([[5, write("Ours")]])], [], NOW));
    expect(merged).toMatchObject({ hosted: true, activeAt: at(5), updatedAt: at(5), findings: [] });
    expect(merged.stallsAt).toBeUndefined();
    expect(merged.activity).toBeUndefined();
  });
});

test("tracks are merged newest first", () => {
  const tracks = mergeTracks(
    [
      hosted([[2, write("b")]], { session: "second" }),
      hosted([[4, write("d")]], { session: "fourth" }),
    ],
    [
      transcript([[3, started]], { session: "third" }),
      transcript([[1, started]], { session: "first" }),
    ],
    NOW,
  );
  expect(tracks.map(({ track }) => track.session)).toEqual(["first", "second", "third", "fourth"]);
});

describe("tracks of other machines", () => {
  const arrived = (
    machine: string,
    { live, updatedAt }: ReturnType<typeof transcript>,
  ): ReceivedTrack => ({ live, updatedAt, machine });

  test("have the name of their machine, cannot be edited, and are kept apart", () => {
    const same = transcript([[1, started]]);
    const merged = mergeRelayed([arrived("attic", same), arrived("cellar", same)], NOW);
    expect(
      merged.map(({ track, machine, hosted: isHosted }) => [track.session, machine, isHosted]),
    ).toEqual([
      ["s@attic", "attic", false],
      ["s@cellar", "cellar", false],
    ]);
  });

  test("wait for the user of their machine only for their own subagents", () => {
    const child = transcript(
      [
        [6, { type: "session.started", parentId: "main" }],
        [3, { type: "input.requested", kind: "permission", text: "x", tool: "Bash" } as StreamBody],
      ],
      { agent: "sub" },
    );
    const states = (machine: string) =>
      mergeRelayed([arrived("attic", transcript([[5, started]])), arrived(machine, child)], NOW)
        .filter(({ track }) => track.agent === "main")
        .map(({ state }) => state);
    expect(states("attic")).toEqual(["needs_you"]);
    expect(states("cellar")).not.toEqual(["needs_you"]);
  });

  test("of which only the list is known are judged by it", () => {
    const silent = (more: object) => {
      const { live, updatedAt } = transcript([[1, list("Theirs")]]);
      live.activity.lastAt = 0;
      return arrived("attic", { live: { ...live, ...more }, updatedAt });
    };
    const plan = { id: "p", text: "Plan", state: "approved" as const, at: at(2) };
    expect(only(mergeRelayed([silent({ plan })], NOW))).toMatchObject({
      hosted: false,
      machine: "attic",
      plan,
      track: { session: "s@attic" },
    });
    expect(only(mergeRelayed([silent({ ended: true })], NOW)).state).toBe("ended");
    expect(only(mergeRelayed([silent({})], NOW)).state).not.toBe("ended");
  });
});

test("an agent that finished its turn is no longer active", () => {
  const merged = only(
    mergeTracks(
      [],
      [
        transcript([
          [5, started],
          [4, completed],
        ]),
      ],
      NOW,
    ),
  );
  expect(merged.state).toBe("idle");
});
