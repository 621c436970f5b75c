import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyGuide, type Guide } from "../../src/core/guidance/counters.ts";
import { reminderFor } from "../../src/core/guidance/rules.ts";
import {
  DEFAULT_GUIDANCE,
  GUIDANCE_PRESETS,
  type GuidancePolicy,
  guidanceFor,
  guidanceFromEnv,
} from "../../src/core/list/policy.ts";
import type { ReminderMoment, Todo, Track } from "../../src/core/model.ts";
import { insideOf, todo, trackOf, WORDS } from "./track-of.ts";

const ACTIVE = todo("2", { text: "Add the index", activeText: "Adding it", status: "in_progress" });
const LIST: readonly Todo[] = [
  todo("1", { text: "Find the query", status: "completed" }),
  todo("3", { text: "Deploy", status: "blocked", blocker: "the window" }),
  todo("4", { text: "Measure" }),
  ACTIVE,
];

function tell(track: Track, moment: ReminderMoment, policy: Partial<GuidancePolicy> = {}) {
  const reminder = reminderFor(track, moment, guidanceFor(policy), WORDS);
  return reminder && { kind: reminder.kind, lines: insideOf(reminder.text) };
}

function kindAt(track: Track, moment: ReminderMoment, policy: Partial<GuidancePolicy> = {}) {
  return tell(track, moment, policy)?.kind;
}

const steps = (count: number, rest: Partial<Guide> = {}) => ({ steps: count, prompts: 2, ...rest });

describe("introduction", () => {
  test("says at the start that the list exists, how to use it and how to find it", () => {
    expect(tell(trackOf([]), "start")).toMatchInlineSnapshot(`
      {
        "kind": "introduction",
        "lines": [
          "You have a todo list: the \`todos\` tool. It survives context compaction, and the user follows it live.",
          "For work with three or more steps, write the todos first, start each one before you work on it, and complete it once it is done and checked. For smaller work, skip it.",
        ],
      }
    `);
  });

  test("is sent once, and at the start only", () => {
    expect(kindAt(trackOf([], { told: { introduction: 1 } }), "start")).toBeUndefined();
    for (const moment of ["resume", "compacted", "step", "stop", "write"] as const)
      expect(kindAt(trackOf([]), moment)).toBeUndefined();
  });

  test("gives way to todos that are open", () => {
    expect(kindAt(trackOf(LIST), "start")).toBe("recovery");
  });
});

describe("planning", () => {
  const planTrack = (count: number, guide: Partial<Guide> = {}) =>
    trackOf([], steps(count, guide), { mode: "plan" });

  test("is off by default, and comes from the preset or WAYMARK_PLAN_EVERY", () => {
    expect(kindAt(planTrack(20), "step")).toBeUndefined();
    expect(GUIDANCE_PRESETS["claude-7-3"].planEvery).toBe(5);
    expect(guidanceFromEnv({ WAYMARK_PLAN_EVERY: "5" })).toEqual({ planEvery: 5 });
    expect(guidanceFromEnv({ WAYMARK_PLAN_EVERY: "often" })).toEqual({});
  });

  test("Claude Code, plan mode: comes at once, then every five turns", () => {
    const every = { planEvery: 5 };
    expect(tell(planTrack(1), "prompt", every)?.lines[0]).toBe(
      "Plan mode is on: the user wants a plan before anything is changed.",
    );
    const received = [4, 5].map((since) =>
      kindAt(planTrack(9 + since, { plannedAt: 9 }), "step", every),
    );
    expect(received).toEqual([undefined, "planning"]);
    expect(kindAt(trackOf([], steps(9)), "step", every)).toBeUndefined();
  });
});

describe("initial", () => {
  test("the first prompt without a list", () => {
    expect(tell(trackOf([], { prompts: 1 }), "prompt")).toMatchInlineSnapshot(`
      {
        "kind": "initial",
        "lines": [
          "There is no todo list for this request yet.",
          "If it needs three or more steps, write them with \`todos\` before you start. Otherwise just do it.",
        ],
      }
    `);
  });

  test("not after the introduction, not twice, not at a later prompt, not with a list", () => {
    expect(
      kindAt(trackOf([], { prompts: 1, told: { introduction: 1 } }), "prompt"),
    ).toBeUndefined();
    expect(kindAt(trackOf([], { prompts: 1, told: { initial: 1 } }), "prompt")).toBeUndefined();
    expect(kindAt(trackOf([], { prompts: 2 }), "prompt")).toBeUndefined();
    expect(kindAt(trackOf(LIST, { prompts: 1 }), "prompt")).toBeUndefined();
    expect(kindAt(trackOf([], { prompts: 1 }), "step")).toBeUndefined();
  });
});

describe("stale", () => {
  test("says how long, where the list stands, and what is open in its order", () => {
    expect(tell(trackOf(LIST, steps(10)), "step")).toMatchInlineSnapshot(`
      {
        "kind": "stale",
        "lines": [
          "You haven't updated your todo list in 10 turns.",
          "1 of 4 done, 0 verified.",
          "2 [>] "Add the index"",
          "4 [ ] "Measure"",
          "3 [!] "Deploy" (blocked: "the window")",
          "If it is out of date, update it with \`todos\`. Otherwise continue.",
        ],
      }
    `);
  });

  test.each([
    [9, 0, 0, undefined],
    [10, 0, 0, "stale"],
    [11, 0, 0, "stale"],
    [19, 0, 10, undefined],
    [20, 0, 10, "stale"],
    [21, 0, 10, "stale"],
    [20, 11, 10, undefined],
    [21, 11, 10, "stale"],
    [12, 3, 0, undefined],
    [13, 3, 0, "stale"],
    [13, 3, 4, undefined],
  ] as const)("step %i, written at %i, reminded at %i: %s", (at, wroteAt, remindedAt, kind) => {
    const track = trackOf(LIST, steps(at, { wroteAt, remindedAt }));
    expect([kindAt(track, "step"), kindAt(track, "prompt")]).toEqual([kind, kind]);
  });

  test.each([
    ["claude", [10, 20, 30]],
    ["claude-7-3", [7, 10, 13, 16, 19, 22, 25, 28]],
    [
      "gencode",
      [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30],
    ],
  ] as const)("preset %s over 30 steps", (preset, expected) => {
    let remindedAt = 0;
    const received: number[] = [];
    for (let step = 1; step <= 30; step++) {
      if (kindAt(trackOf(LIST, steps(step, { remindedAt })), "step", GUIDANCE_PRESETS[preset])) {
        received.push(step);
        remindedAt = step;
      }
    }
    expect(received).toEqual(expected);
  });

  test("nothing open: no block at all", () => {
    const closed = LIST.map((each) => ({ ...each, status: "completed" as const, evidence: ["x"] }));
    expect(kindAt(trackOf(closed, steps(50)), "step")).toBeUndefined();
  });
});

describe("the list is empty", () => {
  test("once, after as many steps", () => {
    expect(tell(trackOf([], steps(10)), "step")).toMatchInlineSnapshot(`
      {
        "kind": "empty",
        "lines": [
          "You have worked for 10 turns without a todo list.",
          "If more than one step is left, write the steps with \`todos\`. Otherwise continue.",
        ],
      }
    `);
    expect(kindAt(trackOf([], steps(9)), "step")).toBeUndefined();
    expect(kindAt(trackOf([], steps(40, { told: { empty: 1 } })), "step")).toBeUndefined();
  });
});

describe("many edits", () => {
  test("says the active todo only", () => {
    expect(tell(trackOf(LIST, steps(5, { edits: 12 })), "step")).toMatchInlineSnapshot(`
      {
        "kind": "edits",
        "lines": [
          "You made 12 edits without updating your todo list.",
          "1 of 4 done, 0 verified.",
          "2 [>] "Add the index"",
          "If a todo is done, complete it with \`todos\` and start the next one. Otherwise continue.",
        ],
      }
    `);
  });

  test.each([
    [11, 0, undefined],
    [12, 0, "edits"],
    [13, 1, "edits"],
    [40, 2, undefined],
  ] as const)("%i edits after %i nudges: %s", (edits, nudges, kind) => {
    expect(kindAt(trackOf(LIST, steps(5, { edits, nudges })), "step")).toBe(kind);
  });

  test("without an open todo there is nothing to bring up to date", () => {
    expect(kindAt(trackOf([], steps(5, { edits: 20 })), "step")).toBeUndefined();
  });
});

describe("a refused write", () => {
  const refused = { step: 3, why: "todos[0].text is empty." };

  test("is reported a step later, unless the agent wrote again", () => {
    expect(tell(trackOf(LIST, steps(4, { refused })), "step")).toMatchInlineSnapshot(`
      {
        "kind": "refused",
        "lines": [
          "Your last todo list update was not saved, so the list is unchanged.",
          "Reason: "todos[0].text is empty."",
          "Fix the call and send it again with \`todos\`, or continue if the change no longer matters.",
        ],
      }
    `);
    expect(kindAt(trackOf(LIST, steps(3, { refused })), "step")).toBeUndefined();
  });
});

describe("what a person did", () => {
  const unseen = [
    {
      id: "4",
      knownText: "Measure",
      knownStatus: "pending" as const,
      status: "completed" as const,
    },
    { id: "9", knownText: "Old", knownStatus: "pending" as const, removed: todo("9") },
  ];
  const done = LIST.map((each) =>
    each.id === "4" ? { ...each, status: "completed" as const } : each,
  );

  test("uses the words of the tool's answer", () => {
    expect(
      tell(trackOf(done, steps(1), { unseen, unseenOrder: true }), "step"),
    ).toMatchInlineSnapshot(`
      {
        "kind": "changed",
        "lines": [
          "The user changed your todo list:",
          "- completed 4 "Measure"",
          "- removed 9 "Old"",
          "- reordered the list: 1, 3, 4, 2",
          "Follow the list as it is now.",
        ],
      }
    `);
  });

  test("goes before every other reminder that is due, after the recovery", () => {
    const guide = steps(30, { edits: 40 });
    expect(kindAt(trackOf(done, guide, { unseen }), "step")).toBe("changed");
    expect(kindAt(trackOf(done, { ...guide, recover: true }, { unseen }), "step")).toBe("recovery");
    expect(kindAt(trackOf(done, guide), "step")).toBe("edits");
  });

  test("a decision on the plan, with its comment", () => {
    const plan = {
      id: "p1",
      text: "1. a\n2. b",
      state: "approved" as const,
      at: 1,
      comment: "Keep the old endpoint.",
      untold: true as const,
      comments: [{ text: "first", at: 1, by: "user" as const, step: 2 }],
      untoldComments: 1,
    };
    const todos = [todo("1", { planStep: "p1#1" }), todo("2", { planStep: "p1#2" })];
    const added = todos.map(({ id, text, status }) => ({
      id,
      knownText: text,
      knownStatus: status,
      added: true as const,
    }));
    const adopted = { ...plan, adoptedAt: 2 };
    expect(tell(trackOf(todos, {}, { plan: adopted, unseen: added }), "step")?.lines).toEqual([
      "The user approved your plan.",
      'Comment: "Keep the old endpoint."',
      'Comment on step 2: "first"',
      "Its 2 steps are now your todos. Start with 1.",
    ]);
    const rejected = { ...plan, state: "rejected" as const, untoldComments: 0 };
    expect(
      tell(trackOf([], {}, { plan: rejected, mode: "plan" as const }), "prompt")?.lines,
    ).toEqual([
      "The user rejected your plan.",
      'Comment: "Keep the old endpoint."',
      "Revise the plan and propose it again. Don't start the work.",
    ]);
  });
});

describe("evidence", () => {
  const claimed = ["1", "2", "3"].map((id) => todo(id, { status: "completed" }));

  test("is asked for when three are closed and nothing is verified", () => {
    expect(tell(trackOf([...claimed, todo("4")]), "write")).toMatchInlineSnapshot(`
      {
        "kind": "evidence",
        "lines": [
          "3 todos are completed, but none is verified: no passing test, build or other check was seen.",
          "1 [x] "Todo 1"",
          "2 [x] "Todo 2"",
          "3 [x] "Todo 3"",
          "Run a check that would fail if they were not done. If no check exists, send \`evidence\` with \`todos\`.",
        ],
      }
    `);
  });

  test("not for two, not if one is verified or given, and once for a list", () => {
    expect(kindAt(trackOf(claimed.slice(1)), "write")).toBeUndefined();
    const [first, ...others] = claimed;
    const check = { command: "npm test", at: 1 };
    expect(kindAt(trackOf([{ ...first, check } as Todo, ...others]), "write")).toBeUndefined();
    expect(
      kindAt(trackOf([{ ...first, evidence: ["a.ts"] } as Todo, ...others]), "write"),
    ).toBeUndefined();
    expect(kindAt(trackOf(claimed, { evidenceFor: 1 }), "write")).toBeUndefined();
    expect(kindAt(trackOf(claimed, { evidenceFor: 1 }, { list: 2 }), "write")).toBe("evidence");
  });
});

describe("recovery", () => {
  const noted = LIST.map((each) =>
    each === ACTIVE ? { ...each, notes: ["Two rows share a key.\nDecide which wins."] } : each,
  );

  test("exactly the open todos, the active one first with its notes", () => {
    expect(tell(trackOf(noted), "compacted")).toMatchInlineSnapshot(`
      {
        "kind": "recovery",
        "lines": [
          "Your context was compacted. Your todo list was kept.",
          "1 of 4 done, 0 verified. These are open:",
          "2 [>] "Add the index"",
          "    note: "Two rows share a key.\\nDecide which wins."",
          "4 [ ] "Measure"",
          "3 [!] "Deploy" (blocked: "the window")",
          "Continue with 2. Don't redo completed todos. Keep the list up to date with \`todos\`.",
        ],
      }
    `);
    expect(tell(trackOf(noted), "resume")?.lines[0]).toBe(
      "You resumed an earlier session that has open todos.",
    );
  });

  test("comes at the next chance where there was none at the time, and once", () => {
    expect(kindAt(trackOf(LIST, { recover: true }), "prompt")).toBe("recovery");
    expect(kindAt(trackOf(LIST, { recover: true }), "step")).toBe("recovery");
    expect(kindAt(trackOf(LIST), "step")).toBeUndefined();
  });

  test("nothing when nothing is open", () => {
    const closed = LIST.map((each) => ({ ...each, status: "cancelled" as const }));
    for (const moment of ["resume", "compacted"] as const) {
      expect(kindAt(trackOf(closed), moment)).toBeUndefined();
      expect(kindAt(trackOf([]), moment)).toBeUndefined();
    }
  });

  test("also in plan mode", () => {
    expect(kindAt(trackOf(LIST, {}, { mode: "plan" }), "compacted")).toBe("recovery");
  });
});

describe("stop", () => {
  test("blocked todos are left out", () => {
    expect(tell(trackOf(LIST), "stop")).toMatchInlineSnapshot(`
      {
        "kind": "stop",
        "lines": [
          "You are about to stop with 2 open todos.",
          "2 [>] "Add the index"",
          "4 [ ] "Measure"",
          "Continue with them, or stop and tell the user why they are still open. Cancel todos that are no longer needed with \`todos\`.",
        ],
      }
    `);
  });

  test.each<[string, Partial<Guide>, Partial<Track>]>([
    ["it asked the user something", { asked: true }, {}],
    ["it was answered twice", { stops: 2, calls: 9, stopCalls: 3 }, {}],
    ["nothing happened since it was answered", { stops: 1, calls: 3, stopCalls: 3 }, {}],
    ["the track is in plan mode", {}, { mode: "plan" }],
    [
      "every open todo is blocked",
      {},
      { todos: LIST.filter(({ id }) => id === "1" || id === "3") },
    ],
    ["nothing is open", {}, { todos: LIST.slice(0, 1) }],
  ])("silent when %s", (_, guide, rest) => {
    expect(kindAt(trackOf(LIST, guide, rest), "stop")).toBeUndefined();
  });

  test("a second time when the agent continued in between", () => {
    expect(kindAt(trackOf(LIST, { stops: 1, calls: 4, stopCalls: 3 }), "stop")).toBe("stop");
  });
});

describe("loop", () => {
  const loop = {
    kind: "generic_repeat" as const,
    level: "warning" as const,
    label: "npm test",
    count: 10,
    message: "npm test, 10 times, same result",
  };
  const activity = { ...emptyActivity(), loop };

  test("each finding once", () => {
    expect(tell(trackOf([], {}, { activity }), "step")).toMatchInlineSnapshot(`
      {
        "kind": "loop",
        "lines": [
          "You keep making the same call with the same result:",
          ""npm test, 10 times, same result"",
          "Don't repeat it unchanged. Try a different approach, or tell the user what is blocking you.",
        ],
      }
    `);
    const received = { loop: "generic_repeat:warning:npm test" };
    expect(kindAt(trackOf([], received, { activity }), "step")).toBeUndefined();
    const critical = { ...activity, loop: { ...loop, level: "critical" as const } };
    expect(kindAt(trackOf([], received, { activity: critical }), "step")).toBe("loop");
  });
});

describe("switches", () => {
  test("a kind that is off is never told, and the next one that is due is", () => {
    const track = trackOf(LIST, steps(10, { edits: 12 }));
    expect(kindAt(track, "step")).toBe("edits");
    expect(kindAt(track, "step", { off: ["edits"] })).toBe("stale");
    expect(kindAt(track, "step", { off: ["edits", "stale"] })).toBeUndefined();
  });

  test("in plan mode nothing nags about the list", () => {
    const track = trackOf(LIST, steps(40, { edits: 40 }), { mode: "plan" });
    expect(kindAt(track, "step")).toBeUndefined();
    expect(kindAt(track, "prompt")).toBeUndefined();
  });

  test("the environment", () => {
    expect(guidanceFromEnv({})).toEqual({});
    expect(guidanceFromEnv({ WAYMARK_GUIDANCE: "off" }).off).toEqual(
      Object.keys(DEFAULT_GUIDANCE.caps),
    );
    expect(
      guidanceFromEnv({
        WAYMARK_GUIDANCE: "stale, stop nonsense",
        WAYMARK_GUIDANCE_PRESET: "claude-7-3",
      }),
    ).toEqual({ staleAfter: 7, staleEvery: 3, planEvery: 5, off: ["stale", "stop"] });
    for (const name of ["toString", "seed004", "constructor"])
      expect(guidanceFromEnv({ WAYMARK_GUIDANCE_PRESET: name })).toEqual({});
  });

  test("accepts the former names of presets", () => {
    const preset = (name: string) => guidanceFromEnv({ WAYMARK_GUIDANCE_PRESET: name });
    expect(preset("seed003")).toEqual(GUIDANCE_PRESETS["claude-7-3"]);
    expect(preset("seed000")).toEqual(GUIDANCE_PRESETS.gencode);
    expect(preset("gencode")).toEqual(GUIDANCE_PRESETS.gencode);
  });
});

test("a track that nothing is known of is fine", () => {
  const { guide: _, activity: __, ...bare } = trackOf([]);
  for (const moment of ["resume", "compacted", "step", "stop", "write"] as const)
    expect(kindAt(bare, moment)).toBeUndefined();
  expect(emptyGuide().steps).toBe(0);
});
