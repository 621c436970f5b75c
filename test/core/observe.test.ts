import { describe, expect, test } from "vitest";
import type { ObservedEvent } from "../../src/core/activity/observation.ts";
import { foldEvents } from "../../src/core/evolve.ts";
import type { ReminderMoment } from "../../src/core/model.ts";
import { createTracker, memoryStore } from "../../src/index.ts";
import { cpuTime } from "../cpu-time.ts";
import { insideOf } from "./track-of.ts";

function open() {
  let now = 1_000;
  const store = memoryStore();
  const tracker = createTracker({ store, clock: () => (now += 1_000) });
  const events = () => store.events(tracker.own.id);
  return { ...tracker, store, events };
}

const printed: ObservedEvent = { type: "message", role: "assistant", text: "hm" };
const prompt: ObservedEvent = { type: "turn.started", prompt: "go on" };

function call(id: string, name: string, input: unknown, exitCode?: number): ObservedEvent[] {
  return [
    { type: "tool.started", callId: id, name, input },
    {
      type: exitCode ? "tool.failed" : "tool.completed",
      callId: id,
      name,
      output: "…",
      ...(exitCode !== undefined && { exitCode }),
    },
  ];
}

const bash = (command: string, exitCode = 0) => call(command, "Bash", { command }, exitCode);
const edit = (path: string) => call(path, "Edit", { file_path: path });

/** The steps, of `count`, at which a reminder is sent. */
function receivedAt(count: number, step: (n: number) => string | undefined): readonly string[] {
  return Array.from({ length: count }, (_, place) => place + 1).flatMap((n) => {
    const kind = step(n);
    return kind === undefined ? [] : `${n} ${kind}`;
  });
}

describe("a step", () => {
  test("is an assistant message with any number of calls", () => {
    const { own } = open();
    own.set([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    own.observe(prompt);
    const received = receivedAt(30, (n) => {
      own.observe(printed);
      own.observe(call(`a${n}`, "Read", { n }));
      own.observe(call(`b${n}`, "Grep", { n }));
      return own.observe([], { moment: "step" }).reminder?.kind;
    });
    expect(received).toEqual(["10 stale", "20 stale", "30 stale"]);
  });

  test("is a group of calls if no messages are reported", () => {
    const { own } = open();
    own.set([{ text: "Read", status: "in_progress" }]);
    const received = receivedAt(20, (n) => {
      own.observe([
        { type: "tool.started", callId: `a${n}`, name: "Read", input: { n } },
        { type: "tool.started", callId: `b${n}`, name: "Grep", input: { n } },
      ]);
      own.observe({ type: "tool.completed", callId: `a${n}` });
      return own.observe({ type: "tool.completed", callId: `b${n}` }, { moment: "step" }).reminder
        ?.kind;
    });
    expect(received).toEqual(["10 stale", "20 stale"]);
  });

  test("counts the calls after a message that is reported at the end of a turn", () => {
    const { own } = open();
    own.set([{ text: "Read" }]);
    for (let turn = 0; turn < 3; turn++) {
      own.observe(prompt);
      for (let n = 0; n < 2; n++) own.observe(call(`${turn}.${n}`, "Read", { n }));
      own.observe([printed, { type: "turn.completed" }]);
    }
    expect(own.read().guide?.steps).toBe(9);
  });

  test("restarts the count with every list write, even one that changes nothing", () => {
    const { own } = open();
    const todos = [{ text: "Read", status: "in_progress" as const }];
    own.set(todos);
    const received = receivedAt(30, (n) => {
      if (n === 9) own.set(todos);
      return own.observe(printed, { moment: "step" }).reminder?.kind;
    });
    expect(received).toEqual(["18 stale", "28 stale"]);
  });

  test("does not restart the count with a user edit", () => {
    const { own } = open();
    own.set([{ text: "Read" }, { text: "Write" }]);
    const received = receivedAt(12, (n) => {
      if (n === 5) own.submit([{ op: "finish", target: { any: "1" } }], { by: "user" });
      return own.observe(printed, { moment: "step" }).reminder?.kind;
    });
    expect(received).toEqual(["5 changed", "10 stale"]);
  });
});

describe("a recorded observation", () => {
  test("contains no input, output or message", () => {
    const { own, events } = open();
    const secret = "hunter2 ".repeat(200);
    own.observe([
      { type: "turn.started", prompt: `x${"y".repeat(1_000)}` },
      { type: "message", role: "assistant", text: secret },
      {
        type: "tool.started",
        callId: "c",
        name: "Write",
        input: { file_path: "a", content: secret },
      },
      { type: "tool.completed", callId: "c", output: secret },
    ]);
    const [event] = events();
    expect(JSON.stringify(event)).not.toContain("hunter2");
    expect(event).toEqual({
      seq: 1,
      key: expect.any(String),
      at: 2_000,
      by: "system",
      via: "host",
      changes: [
        { type: "track.opened" },
        {
          type: "observed",
          observations: [
            { type: "turn.started", at: 2_000, prompt: `x${"y".repeat(199)}` },
            { type: "message", at: 2_000, role: "assistant" },
            {
              type: "tool.started",
              at: 2_000,
              callId: "c",
              name: "Write",
              label: "Write a",
              signature: expect.stringMatching(/^Write:[\da-f]{16}$/),
              edits: true,
              paths: ["a"],
            },
            {
              type: "tool.completed",
              at: 2_000,
              callId: "c",
              outcome: expect.stringMatching(/^[\da-f]{16}$/),
            },
          ],
        },
      ],
    });
  });

  test("does not change the revision of the list", () => {
    const { own } = open();
    own.set([{ text: "Read", status: "completed" }]);
    const { revision } = own.read();
    own.observe([...bash("npm test"), { type: "session.compacted" }], { moment: "compacted" });
    expect(own.read().revision).toBe(revision);
    expect(own.read().todos[0]?.check?.command).toBe("npm test");
  });

  test("is not stored if there is no event and no reminder", () => {
    const { own, events } = open();
    own.set([{ text: "Read" }]);
    expect(own.context({ moment: "step" })).toBeUndefined();
    expect(own.observe([])).toMatchObject({ outcome: { ok: true } });
    expect(events()).toHaveLength(1);
  });

  test("has an idempotency key, which also covers the reminder", () => {
    const { own, events } = open();
    own.set([{ text: "Read" }]);
    const seen: ObservedEvent = { type: "session.compacted" };
    const first = own.observe(seen, { key: "k", moment: "compacted" });
    const again = own.observe(seen, { key: "k", moment: "compacted" });
    expect(first.reminder?.kind).toBe("recovery");
    expect(again).toMatchObject({ outcome: { duplicate: true } });
    expect(again.reminder).toBeUndefined();
    expect(events()).toHaveLength(2);
  });

  test("folds to the same track from the log", () => {
    const { own, events } = open();
    own.observe([prompt, printed, ...bash("npm test"), ...edit("a.ts")]);
    own.set([{ text: "Read", status: "completed" }]);
    own.observe([...bash("npm test"), { type: "session.started", cwd: "/p", title: "T" }], {
      moment: "step",
    });
    own.plan.propose("1. a");
    expect(foldEvents(own.id, events())).toEqual(own.read());
    expect(own.read()).toMatchObject({ cwd: "/p", title: "T", mode: "plan" });
  });

  test("with the list of another tool replaces the list", () => {
    const { own } = open();
    own.observe(
      {
        type: "todo_list",
        todoId: "t",
        items: [
          { text: "Read", status: "in_progress", activeText: "Reading" },
          { text: "Write", status: "pending" },
        ],
      },
      { via: "claude-code" },
    );
    expect(own.get().map(({ text, status }) => `${text} ${status}`)).toEqual([
      "Read in_progress",
      "Write pending",
    ]);
    expect(own.read().revision).toBe(1);
  });
});

describe("evidence", () => {
  function completed() {
    const { own } = open();
    own.set([{ text: "Fix the parser", status: "in_progress" }, { text: "Ship" }]);
    const finish = () => own.submit([{ op: "finish", target: { any: "1" } }]);
    const check = () => own.get()[0]?.check?.command;
    return { own, finish, check };
  }

  test("verifies a completion with a check after the last edit and after the start", () => {
    const { own, finish, check } = completed();
    own.observe([...edit("a.ts"), ...bash("npm test")]);
    finish();
    expect(own.get()[0]?.check).toEqual({ command: "npm test", exitCode: 0, at: 3_000 });
    expect(own.progress()).toEqual({ completed: 1, total: 2, percent: 50, verified: 1 });
    expect(check()).toBe("npm test");
  });

  test.each<[string, readonly ObservedEvent[]]>([
    ["nothing was run", []],
    ["it failed", bash("npm test", 1)],
    ["something was edited after it", [...bash("npm test"), ...edit("a.ts")]],
    ["its exit code was lost", bash("npm test | tail")],
    ["it still runs", call("c", "Bash", { command: "npm test" }).slice(0, 1)],
    ["the test was only read", bash("cat test.ts")],
    [
      "something was edited while it ran",
      [
        {
          type: "tool.started",
          callId: "t",
          name: "Bash",
          input: { command: "npm test" },
          at: 5_000,
        },
        { type: "tool.started", callId: "e", name: "Edit", input: { file_path: "a" }, at: 5_100 },
        { type: "tool.completed", callId: "e", at: 5_200 },
        { type: "tool.completed", callId: "t", at: 5_300 },
      ],
    ],
  ])("is missing if %s", (_, seen) => {
    const { own, finish, check } = completed();
    own.observe(seen);
    finish();
    expect(check()).toBeUndefined();
  });

  test("is missing if the check ran before the todo was started", () => {
    const { own } = open();
    own.observe(bash("npm test"));
    own.set([{ text: "Fix the parser", status: "in_progress" }]);
    own.submit([{ op: "finish", target: { any: "1" } }]);
    expect(own.get()[0]?.check).toBeUndefined();
  });

  test("verifies earlier completions with a later check", () => {
    const { own, finish, check } = completed();
    own.observe(edit("a.ts"));
    finish();
    expect(check()).toBeUndefined();
    const { outcome } = own.observe(bash("npm test"));
    expect(outcome.event?.changes.at(-1)).toEqual({
      type: "todo.verified",
      id: "1",
      check: { command: "npm test", exitCode: 0, at: expect.any(Number) },
    });
    expect(check()).toBe("npm test");
  });

  test("does not verify with a late check if an edit followed it", () => {
    const { own, finish, check } = completed();
    finish();
    own.observe([
      {
        type: "tool.started",
        callId: "t",
        name: "Bash",
        input: { command: "npm test" },
        at: 2_100,
      },
      { type: "tool.completed", callId: "t", exitCode: 0, at: 2_200 },
      { type: "tool.started", callId: "e", name: "Edit", input: { file_path: "a" }, at: 2_300 },
      { type: "tool.completed", callId: "e", at: 2_400 },
    ]);
    expect(check()).toBeUndefined();
    own.observe([
      {
        type: "tool.started",
        callId: "u",
        name: "Bash",
        input: { command: "npm test" },
        at: 2_500,
      },
      { type: "tool.completed", callId: "u", exitCode: 0, at: 2_600 },
    ]);
    expect(check()).toBe("npm test");
  });

  test("does not verify completions of the user", () => {
    const { own, check } = completed();
    own.submit([{ op: "finish", target: { any: "1" } }], { by: "user" });
    own.observe(bash("npm test"));
    expect(check()).toBeUndefined();
  });

  test("is removed when a todo is reopened", () => {
    const { own, finish, check } = completed();
    own.observe(bash("npm test"));
    finish();
    expect(check()).toBe("npm test");
    own.submit([{ op: "reopen", target: { any: "1" } }]);
    expect(check()).toBeUndefined();
  });

  describe("of a todo that the user toggles", () => {
    const by = { by: "user" } as const;
    const target = { any: "1" };
    function verified() {
      const list = completed();
      list.own.observe(bash("npm test"));
      list.finish();
      expect(list.check()).toBe("npm test");
      return list;
    }

    test.each(["reopen", "drop"] as const)("survives %s and finish", (op) => {
      const { own, check } = verified();
      const proof = own.get()[0]?.check;
      own.submit([{ op, target }], by);
      expect(check()).toBeUndefined();
      own.submit([{ op: "finish", target }], by);
      expect(own.get()[0]?.check).toEqual(proof);
      own.submit([{ op, target }], by);
      own.submit([{ op: "finish", target }], by);
      expect(own.get()[0]?.check).toEqual(proof);
    });

    test("is lost if a file was edited in between", () => {
      const { own, check } = verified();
      own.submit([{ op: "reopen", target }], by);
      own.observe(edit("a.ts"));
      own.submit([{ op: "finish", target }], by);
      expect(check()).toBeUndefined();
    });

    test("is lost if the agent reopened the todo", () => {
      const { own, check } = verified();
      own.submit([{ op: "reopen", target }], by);
      // The first write only shows the user's change.
      own.submit([{ op: "start", target }]);
      own.submit([{ op: "start", target }]);
      own.submit([{ op: "finish", target }], by);
      expect(check()).toBeUndefined();
    });

    test("is not transferred to another todo", () => {
      const { own } = verified();
      own.submit([{ op: "reopen", target }], by);
      own.submit([{ op: "finish", target: { any: "2" } }], by);
      expect(own.progress().verified).toBe(0);
    });
  });

  test("is requested once, with the write that completes the third todo", () => {
    const tracker = open();
    const [tool] = tracker.tools();
    const run = (input: unknown) => tool?.execute(input) as { text: string };
    run({ todos: ["a", "b", "c", "d"].map((text) => ({ text })) });
    const texts = ["1", "2", "3", "4"].map((id) => run({ finish: [id] }).text);
    expect(texts.map((text) => text.includes("but none is verified"))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    const [open_, ...rest] = (texts[2] ?? "").split("\n\n").slice(1).join("\n\n").split("\n");
    expect(insideOf([open_, ...rest].join("\n"), open_?.slice(9, -1))).toHaveLength(5);
    tracker.observe(bash("npm test"));
    expect(tracker.own.progress().verified).toBe(4);
  });
});

describe("a refused write", () => {
  test("is recorded if a host observes the agent, and leads to a reminder unless it is corrected", () => {
    const tracker = open();
    const [tool] = tracker.tools();
    tracker.observe([prompt, printed]);
    tool?.execute({ todos: [{ text: "" }] });
    expect(tracker.observe([], { moment: "step" }).reminder).toBeUndefined();
    const { reminder } = tracker.observe(printed, { moment: "step" });
    expect(reminder?.kind).toBe("refused");
    expect(reminder?.text).toContain("todos[0].text is empty.");
    expect(tracker.observe(printed, { moment: "step" }).reminder).toBeUndefined();
  });

  test("is cleared by a corrected write", () => {
    const tracker = open();
    const [tool] = tracker.tools();
    tracker.observe([prompt, printed]);
    tool?.execute({ todos: "nonsense" });
    tool?.execute({ todos: [{ text: "Read" }] });
    expect(tracker.observe(printed, { moment: "step" }).reminder).toBeUndefined();
  });

  test("is not recorded if no host observes the agent", () => {
    const tracker = open();
    const [tool] = tracker.tools();
    tool?.execute({ todos: [{ text: "" }] });
    expect(tracker.events()).toEqual([]);
  });
});

describe("a user edit", () => {
  test("is shown to the model once: at its next step or with the next tool result", () => {
    const tracker = open();
    const { own } = tracker;
    const [tool] = tracker.tools();
    own.set([{ text: "Read" }, { text: "Write" }]);
    own.submit([{ op: "finish", target: { any: "1" } }], { by: "user" });
    const { reminder } = own.observe(printed, { moment: "step" });
    expect(reminder?.text).toContain('- completed 1 "Read"');
    expect(own.observe(printed, { moment: "step" }).reminder).toBeUndefined();
    const read = () => String((tool?.execute({}) as { text: string } | undefined)?.text);
    expect(read()).not.toContain("The user");

    own.submit([{ op: "note", target: { any: "2" }, text: "in TypeScript" }], { by: "user" });
    expect(read()).toContain('added a note to 2 "Write"');
    expect(own.observe(printed, { moment: "step" }).reminder).toBeUndefined();
  });
});

describe("the stop guard", () => {
  const stop = (message: string): ObservedEvent[] => [
    { type: "message", role: "assistant", text: message },
    { type: "turn.completed" },
  ];
  const kinds = (turns: readonly (readonly ObservedEvent[])[]) => {
    const { own } = open();
    own.set([{ text: "Read", status: "in_progress" }]);
    return turns.map((seen) => own.observe(seen, { moment: "stop" }).reminder?.kind ?? "-");
  };

  test("asks at most twice per prompt", () => {
    const work = [...call("a", "Read", {}), ...stop("Done.")];
    expect(kinds([work, work, work, [prompt, ...work], work, work])).toEqual([
      "stop",
      "stop",
      "-",
      "stop",
      "stop",
      "-",
    ]);
  });

  test("counts the calls after a stop as steps", () => {
    const { own } = open();
    own.set([{ text: "Read", status: "in_progress" }]);
    own.observe([...call("a", "Read", {}), printed], { moment: "stop" });
    expect(own.read().guide?.steps).toBe(2);
    own.observe(call("b", "Read", {}));
    expect(own.read().guide?.steps).toBe(3);
  });

  test("is silent if the agent gives a reason or asks a question", () => {
    expect(kinds([stop("Done."), stop("The rest needs a key that I do not have.")])).toEqual([
      "stop",
      "-",
    ]);
    expect(kinds([stop("Shall I delete the table?")])).toEqual(["-"]);
    expect(kinds([stop("Two ways are open. Which one do you want? I lean to the first.")])).toEqual(
      ["-"],
    );
    expect(kinds([stop("Please confirm.")])).toEqual(["-"]);
    expect(kinds([stop("Is it a bug? Yes.\n\nFixed it, all of `a ? b : c`.")])).toEqual(["stop"]);
  });
});

describe("context", () => {
  test("returns the reminder for the next model call", () => {
    const { own, observe, context } = open();
    observe(prompt);
    expect(context()).toContain("There is no todo list for this request yet");
    own.set([{ text: "Read", status: "in_progress" }]);
    const received = receivedAt(20, () => {
      observe(printed);
      return context()?.split("\n")[1];
    });
    expect(received).toEqual([
      "10 You haven't updated your todo list in 10 turns.",
      "20 You haven't updated your todo list in 20 turns.",
    ]);
    observe({ type: "session.compacted" });
    expect(context()).toContain("Your context was compacted");
    expect(context()).toBeUndefined();
  });

  test("uses the tool name that the model knows", () => {
    const { context, observe } = open();
    observe(prompt);
    expect(context({ tool: "mcp__waymark__todos" })).toContain("with `mcp__waymark__todos` before");
  });

  test("records a reminder with its moment and text", () => {
    const { own, observe } = open();
    const { reminder } = observe(prompt, { moment: "prompt" });
    expect(own.remarks()).toEqual([
      {
        at: 2_000,
        by: "system",
        via: "host",
        seq: 1,
        what: "reminded",
        kind: "initial",
        text: reminder?.text,
      },
    ]);
  });
});

describe("cost", () => {
  const many = (own: ReturnType<typeof open>["own"], from: number, count: number) => {
    const started = cpuTime();
    for (let n = from; n < from + count; n++)
      own.observe(
        [printed, ...call(`c${n}`, "Bash", { command: `ls ${n % 7}` }), ...edit(`f${n}`)],
        {
          moment: "step",
        },
      );
    return cpuTime() - started;
  };

  test("keeps tracks small and the cost per event constant", () => {
    const { own } = open();
    own.set([{ text: "Read", status: "in_progress" }]);
    many(own, 0, 200);
    const size = JSON.stringify(own.read()).length;
    const early = many(own, 200, 400);
    many(own, 600, 2_000);
    const late = many(own, 2_600, 400);
    expect(JSON.stringify(own.read()).length).toBeLessThan(size * 1.1);
    expect(late).toBeLessThan(early * 3 + 50);
  });

  test("bounds long names, long ids and calls without an end", () => {
    const { own } = open();
    const long = "x".repeat(100_000);
    for (let n = 0; n < 300; n++)
      own.observe({
        type: "tool.started",
        callId: `${n}${long}`,
        name: long,
        input: { command: long },
      });
    expect(JSON.stringify(own.read()).length).toBeLessThan(100_000);
  });
});

test("returns a valid reminder or none for every moment and track", () => {
  const moments: ReminderMoment[] = [
    "start",
    "resume",
    "compacted",
    "prompt",
    "step",
    "stop",
    "write",
  ];
  const { own } = open();
  for (const moment of moments) own.observe([], { moment });
  own.set([{ text: "Read" }]);
  for (const moment of moments) own.observe(printed, { moment });
  expect(own.remarks().map(({ kind }) => kind)).toEqual([
    "introduction",
    "recovery",
    "recovery",
    "recovery",
    "stop",
  ]);
});

test("adds the missing origin of an existing list once", () => {
  const { list, store } = open();
  const id = { session: "s", agent: "main" };
  list(id).set([{ text: "Read" }]);
  const claude = { agentType: "claude-code", cwd: "/a" };
  list(id, claude).observe(printed);
  list(id, claude).observe(printed);
  list(id, { agentType: "codex", cwd: "/b" }).observe(printed);
  const events = store.events(id);
  const opened = events.map(({ changes }) => changes.filter(({ type }) => type === "track.opened"));
  expect(opened).toEqual([
    [{ type: "track.opened" }],
    [{ type: "track.opened", ...claude }],
    [],
    [],
  ]);
  expect(list(id).read()).toMatchObject({ ...claude, openedAt: events[0]?.at, version: 4 });
  expect(foldEvents(id, events)).toEqual(store.read(id));
});
