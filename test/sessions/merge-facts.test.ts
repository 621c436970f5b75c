import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { STALL_POLICY } from "../../src/core/activity/stall.ts";
import { NO_USAGE } from "../../src/core/activity/usage.ts";
import type { Track } from "../../src/core/model.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { at, hosted, list, MINUTE, NOW, only, started, transcript, write } from "./merge-inputs.ts";

const runs: StreamBody = { type: "tool.started", name: "Bash", input: { command: "make" } };
const asks = {
  type: "input.requested",
  kind: "permission",
  text: "rm -rf build",
  tool: "Bash",
} as StreamBody;
const subagent = (...steps: readonly (readonly [number, StreamBody])[]) =>
  transcript([[6, { type: "session.started", parentId: "main" }], ...steps], { agent: "sub" });
type Input = Parameters<typeof mergeTracks>[1][number];
const mainOf = (...lives: readonly Input[]) => {
  const policy = { ...STALL_POLICY, stallAfter: 2 * MINUTE };
  return only(mergeTracks([], lives, NOW, policy).filter(({ track }) => track.agent === "main"));
};

describe("a transcript without a list of ours", () => {
  test("has exactly the facts that it records", () => {
    const theirs = transcript([
      [6, { type: "session.started", title: "Fix the build", name: "builder" }],
      [5, list("Theirs")],
    ]);
    expect(only(mergeTracks([], [theirs], NOW))).toStrictEqual({
      external: theirs,
      track: theirs.live.track,
      hosted: false,
      state: "idle",
      findings: [],
      updatedAt: at(5),
      activeAt: at(5),
      stallsAt: at(4),
      activity: theirs.live.activity,
      name: "builder",
    });
  });
});

describe("a list of ours without a transcript", () => {
  test("was active when hooks last reported, not when the user edited it", () => {
    const own = hosted([
      [5, (ours) => ours.observe([{ type: "turn.started" }])],
      [1, (ours) => ours.submit([{ op: "add", todos: [{ text: "More" }] }], { by: "user" })],
    ]);
    expect(only(mergeTracks([own], [], NOW))).toMatchObject({
      updatedAt: at(1),
      activeAt: at(5),
      state: "stalled",
    });
  });

  test("was active when hooks last reported, as stored by versions that did not record writes", () => {
    const { agentAt: _, ...own } = hosted([
      [5, (ours) => ours.observe([{ type: "turn.started" }])],
      [1, (ours) => ours.submit([{ op: "add", todos: [{ text: "More" }] }], { by: "user" })],
    ]);
    expect(only(mergeTracks([own], [], NOW)).activeAt).toBe(at(5));
  });

  test("has no activity if hooks only reported that there are none yet", () => {
    const own: Track = { ...hosted([[5, write("Ours")]]), activity: emptyActivity() };
    const merged = only(mergeTracks([own], [], NOW));
    expect(merged).toStrictEqual({
      track: own,
      hosted: true,
      state: "idle",
      findings: [],
      updatedAt: at(5),
      activeAt: at(5),
    });
  });

  test("does not wait for a guessed answer: hooks report permission prompts", () => {
    const own = hosted([
      [6, (ours) => ours.observe([{ type: "turn.started" }])],
      [
        5,
        (ours) =>
          ours.observe([{ type: "tool.started", name: "Bash", input: { command: "make" } }]),
      ],
    ]);
    expect(only(mergeTracks([own], [], NOW))).not.toHaveProperty("waiting");
  });
});

describe("a transcript and a list of ours", () => {
  test("were active when the agent was, although only the user wrote to our list", () => {
    const own = hosted([
      [1, (ours) => ours.submit([{ op: "add", todos: [{ text: "Ours" }] }], { by: "user" })],
    ]);
    expect(own.agentAt).toBeUndefined();
    expect(only(mergeTracks([own], [transcript([[5, started]])], NOW)).activeAt).toBe(at(5));
  });

  test("have the plan and the title of the transcript if ours has none", () => {
    const theirs = transcript([
      [6, { type: "session.started", title: "Fix the build" }],
      [5, { type: "plan.proposed", planId: "p", text: "Their plan" } as StreamBody],
    ]);
    const merged = only(mergeTracks([hosted([[9, write("Ours")]])], [theirs], NOW));
    expect(theirs.live.track.title).toBe("Fix the build");
    expect(merged.track.title).toBe("Fix the build");
    expect(merged.plan).toMatchObject({ text: "Their plan", state: "proposed" });
    const named = {
      ...hosted([[9, (own) => own.observe([{ type: "turn.started" }])]]),
      title: "Ours",
    };
    expect(only(mergeTracks([named], [theirs], NOW)).track.title).toBe("Ours");
    const untitled = mergeTracks([hosted([[9, write("Ours")]])], [transcript([[5, started]])], NOW);
    expect(only(untitled).track).not.toHaveProperty("title");
  });

  test("wait for a guessed answer only while no hooks report", () => {
    const theirs = transcript([
      [5, started],
      [3, runs],
    ]);
    const waits = (...own: readonly Track[]) => only(mergeTracks(own, [theirs], NOW)).waiting?.kind;
    expect(waits()).toBe("maybe");
    expect(waits(hosted([[9, write("Ours")]]))).toBe("maybe");
    expect(waits(hosted([[9, (ours) => ours.observe([{ type: "turn.started" }])]]))).toBe(
      undefined,
    );
  });

  test("show checks of the transcript for completed todos without one", () => {
    const own = hosted([
      [9, write("Test", "Ship", "Sign")],
      [8, (ours) => ours.submit([{ op: "finish", target: { any: "2" } }], { by: "agent" })],
      [7, (ours) => ours.submit([{ op: "finish", target: { any: "3" } }], { by: "agent" })],
    ]);
    const [ours, theirs] = [
      { command: "npm test", at: at(7) },
      { command: "make", at: at(6) },
    ];
    const known = {
      ...own,
      todos: own.todos.map((todo) => (todo.text === "Sign" ? { ...todo, check: ours } : todo)),
    };
    const file = transcript([[8, list("Test", "Ship", "Sign")]]);
    const todos = file.live.track.todos.map((todo) => ({ ...todo, check: theirs }));
    const live = { ...file.live, track: { ...file.live.track, todos } };
    const merged = only(mergeTracks([known], [{ ...file, live }], NOW));
    expect(merged.track.todos.map(({ text, check }) => [text, check?.command])).toEqual([
      ["Test", undefined],
      ["Ship", "make"],
      ["Sign", "npm test"],
    ]);
  });
});

describe("usage of a transcript", () => {
  const used = (input: number): StreamBody => ({
    type: "usage",
    usage: { ...NO_USAGE, input, requests: 1 },
  });
  const progress = (
    ...todos: readonly (readonly [text: string, status: "pending" | "in_progress" | "completed"])[]
  ): StreamBody => ({
    type: "todo_list",
    todoId: "t",
    items: todos.map(([text, status], index) => ({ id: `r${index + 1}`, text, status })),
  });
  const theirs = transcript([
    [50, progress(["Test", "in_progress"], ["Ship", "pending"], ["Gone", "pending"])],
    [49, used(1)],
    [48, progress(["Test", "completed"], ["Ship", "in_progress"], ["Gone", "pending"])],
    [47, used(2)],
    [46, progress(["Test", "completed"], ["Ship", "completed"], ["Gone", "in_progress"])],
    [45, used(4)],
  ]);
  const byTodo = (merged: ReturnType<typeof mergeTracks>[number]) => {
    const { usage } = merged;
    return {
      parts: Object.fromEntries(
        (usage?.parts ?? []).map(({ todo, usage: part }) => [todo, part.input]),
      ),
      texts: usage?.texts,
      focus: usage?.focus.map(({ todo }) => todo),
    };
  };

  test("counts for the todos of the transcript while its list is shown", () => {
    const [one, two, three] = theirs.live.track.todos.map(({ id }) => id);
    const expected = {
      parts: { [`${one}`]: 1, [`${two}`]: 2, [`${three}`]: 4 },
      texts: { [`${one}`]: "Test", [`${two}`]: "Ship", [`${three}`]: "Gone" },
      focus: [one, two, three],
    };
    expect(byTodo(only(mergeTracks([], [theirs], NOW)))).toEqual(expected);
    const empty = hosted([[60, (own) => own.observe([{ type: "turn.started" }])]]);
    expect(byTodo(only(mergeTracks([empty], [theirs], NOW)))).toEqual(expected);
  });

  test("counts for our todos with the same text, and for those of the transcript without one", () => {
    const own = hosted([[60, write("Ship", "Other", "Test")]]);
    const gone = theirs.live.track.todos.find(({ text }) => text === "Gone")?.id;
    expect(byTodo(only(mergeTracks([own], [theirs], NOW)))).toEqual({
      parts: { "3": 1, "1": 2, [`transcript-${gone}`]: 4 },
      texts: { "3": "Test", "1": "Ship", [`transcript-${gone}`]: "Gone" },
      focus: ["3", "1", `transcript-${gone}`],
    });
  });

  test("counts for the todo with the agent's id among those with the same text", () => {
    const own = hosted([[60, write("Test", "Test", "Ship", "Gone")]]);
    const parts = (...refs: readonly (string | undefined)[]) => {
      const todos = own.todos.map((todo, index) => {
        const ref = refs[index];
        return ref === undefined ? todo : { ...todo, ref };
      });
      return byTodo(only(mergeTracks([{ ...own, todos }], [theirs], NOW))).parts;
    };
    expect(parts()).toEqual({ "1": 1, "3": 2, "4": 4 });
    expect(parts(undefined, "r1")).toEqual({ "2": 1, "3": 2, "4": 4 });
    expect(parts("r2", "r1")).toEqual({ "2": 1, "3": 2, "4": 4 });
    // The id decides only among todos with the same text.
    expect(parts(undefined, undefined, "r1")).toEqual({ "1": 1, "3": 2, "4": 4 });
  });

  test("counts for our todo whose id the agent uses as its own", () => {
    const named = transcript([
      [
        50,
        {
          type: "todo_list",
          todoId: "t",
          items: [{ id: "2", text: "Test", status: "in_progress" }],
        },
      ],
      [49, used(1)],
    ]);
    const own = hosted([[60, write("Test", "Test")]]);
    expect(byTodo(only(mergeTracks([own], [named], NOW))).parts).toEqual({ "2": 1 });
  });
});

describe("a session with subagents", () => {
  test("is not stalled while one works, in whatever order they are read", () => {
    const main = transcript([[5, started]]);
    const child = subagent([1, started]);
    for (const lives of [
      [main, child],
      [child, main],
    ])
      expect(mainOf(...lives).state).toBe("working");
    const others = transcript([[1, started]], { agent: "other" });
    expect(mainOf(child, others, main).state).toBe("working");
  });

  test("does not need the user because a subagent may wait", () => {
    const main = transcript([[1, started]]);
    const child = subagent([5, started], [3, runs]);
    const policy = { ...STALL_POLICY, stallAfter: 30 * MINUTE };
    const states = mergeTracks([], [main, child], NOW, policy).map(({ track, state, waiting }) => [
      track.agent,
      state,
      waiting?.kind,
    ]);
    expect(states).toEqual([
      ["main", "working", undefined],
      ["sub", "working", "maybe"],
    ]);
  });

  test("needs the user instead of being stalled, and still repeats itself if it does", () => {
    const child = subagent([5, started], [3, asks]);
    const main = transcript([[5, started]]);
    expect(mainOf(main).findings.map(({ kind }) => kind)).toEqual(["stalled"]);
    expect(mainOf(main, child)).toMatchObject({ state: "needs_you", findings: [] });
    const call = [
      [2, { type: "tool.started", callId: "c", name: "Read", input: { path: "a" } }],
      [2, { type: "tool.completed", callId: "c", output: "same" }],
    ] as const;
    const repeats = transcript([[5, started], ...Array.from({ length: 12 }, () => call).flat()]);
    expect(mainOf(repeats).findings.map(({ kind }) => kind)).toContain("generic_repeat");
    expect(mainOf(repeats, child).findings.map(({ kind }) => kind)).toEqual(["generic_repeat"]);
  });
});
