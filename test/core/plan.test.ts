import { describe, expect, test } from "vitest";
import { foldEvents } from "../../src/core/evolve.ts";
import { stepsOf } from "../../src/core/plan/steps.ts";
import { createTracker, memoryStore } from "../../src/index.ts";
import { cpuTime } from "../cpu-time.ts";

function open() {
  let now = 1_000;
  const store = memoryStore();
  const tracker = createTracker({ store, clock: () => (now += 1_000) });
  return { ...tracker, events: () => store.events(tracker.own.id) };
}

const PLAN =
  "# Move checkout\n\nWhy: two kits.\n\n1. Add the kit\n2. Move the form\n   - fields\n3. Test";

describe("steps of a plan", () => {
  const texts = (markdown: string) => stepsOf(markdown).map(({ text }) => text);

  test.each<[string, string, readonly string[]]>([
    ["numbered steps", PLAN, ["Add the kit", "Move the form", "Test"]],
    ["a checklist before all else", "1. a\n2. b\n- [ ] c\n  - [x] d\n", ["c", "d"]],
    ["a numbered checklist", "1. [ ] a\n2. [ ] b", ["a", "b"]],
    ["bullets", "- a\n- b\n  - inner\n* c", ["a", "b", "c"]],
    ["numbers before bullets", "- context\n\n1. a\n2. b", ["a", "b"]],
    [
      "numbered headings before the lists below them",
      "## Context\n- why\n### Step 1: Read\n1. x\n### Step 2: Write\n1. y\n2. z",
      ["Read", "Write"],
    ],
    ["headings with bare numbers", "## 1. Read\ntext\n## 2. Write", ["Read", "Write"]],
    ["one numbered heading is no list of steps", "## 1. Read\n- a\n- b", ["a", "b"]],
    [
      "bullets under the heading that announces them",
      "## Context\n- old\n## Implementation steps\n- a\n- b\n## Risks\n- slow",
      ["a", "b"],
    ],
    ["what is fenced is code", "```\n1. no\n```\n1. yes\n~~~md\n- [ ] no\n~~~", ["yes"]],
    [
      "emphasis and links",
      "1. **Add** the [kit](https://x.test/a) to `web`",
      ["Add the kit to `web`"],
    ],
    ["Windows line ends", "1. a\r\n2. b\r\n", ["a", "b"]],
    ["indented all together", "  1. a\n  2. b\n     1. inner", ["a", "b"]],
    ["no steps", "Just do it.", []],
    ["nothing", "", []],
    ["empty items", "1. \n- \n- [ ] \n2. a", ["a"]],
  ])("%s", (_, markdown, expected) => {
    expect(texts(markdown)).toEqual(expected);
  });

  test("are cut at the length of a todo, and found in no time", () => {
    const started = cpuTime();
    expect(texts(`1. ${"👩‍👩‍👧‍👦".repeat(600)}`)[0]).toBe(`${"👩‍👩‍👧‍👦".repeat(499)}…`);
    for (const hostile of [
      "**".repeat(20_000),
      "[".repeat(30_000),
      "- [ ".repeat(9_000),
      "1. ".repeat(9_000),
    ])
      stepsOf(`1. ${hostile}\n`.repeat(3));
    expect(stepsOf("- x\n".repeat(5_000))).toHaveLength(1_000);
    expect(cpuTime() - started).toBeLessThan(3_000);
  });
});

describe("a plan", () => {
  test("streams in, is proposed, closes the list, is approved with a comment and opens it", () => {
    const { own } = open();
    own.plan.draft("1. Add");
    own.plan.draft(" the kit");
    expect(own.plan.get()).toEqual({
      id: "p1",
      text: "1. Add the kit",
      state: "streaming",
      at: 2_000,
    });
    expect(own.read().mode).toBe("work");
    own.plan.propose();
    expect(own.read()).toMatchObject({ mode: "plan", plan: { state: "proposed" } });

    expect(own.set([{ text: "Begin" }]).rejected).toEqual([
      {
        code: "plan_mode",
        message:
          "Your plan waits for the user's decision, and the list is closed until it is approved. Tell the user that it waits; when it is approved you will be told.",
      },
    ]);
    own.plan.approve("Keep the old endpoint.");
    expect(own.read()).toMatchObject({ mode: "work", todos: [] });
    expect(own.plan.get()).toEqual({
      id: "p1",
      text: "1. Add the kit",
      state: "approved",
      at: 2_000,
      decidedAt: 6_000,
      comment: "Keep the old endpoint.",
      untold: true,
    });
    expect(own.set([{ text: "Begin" }]).ok).toBe(true);
  });

  test("its steps become todos in one step, each with the step it came from", () => {
    const { own, events } = open();
    own.plan.propose(PLAN);
    own.plan.comment("behind a flag", { step: 2 });
    const before = events().length;
    own.plan.approve(undefined, { adopt: true });
    expect(events()).toHaveLength(before + 1);
    expect(own.get().map(({ id, text, planStep }) => [id, text, planStep])).toEqual([
      ["1", "Add the kit", "p1#1"],
      ["2", "Move the form", "p1#2"],
      ["3", "Test", "p1#3"],
    ]);
    expect(own.plan.get()).toMatchObject({ state: "approved", adoptedAt: expect.any(Number) });
    expect(foldEvents(own.id, events())).toEqual(own.read());
    expect(own.remarks().map(({ what, by, text }) => [what, by, text.slice(0, 25)])).toEqual([
      ["plan proposed", "agent", PLAN.slice(0, 25)],
      ["plan comment", "user", "step 2: behind a flag"],
      ["plan approved", "user", ""],
      ["plan adopted", "user", ""],
    ]);
  });

  test("its steps become todos if the list is free and the plan has any, where that is asked", () => {
    const approved = (plan: string, todos: readonly string[] = []) => {
      const { own } = open();
      own.set(todos.map((text) => ({ text })));
      own.plan.propose(plan);
      expect(own.plan.approve(undefined, { adopt: "if free" }).ok).toBe(true);
      return own.get().map(({ text }) => text);
    };
    expect(approved(PLAN)).toEqual(["Add the kit", "Move the form", "Test"]);
    expect(approved(PLAN, ["Cut"])).toEqual(["Cut"]);
    expect(approved("Think about it.")).toEqual([]);
  });

  test("the agent is told once what was decided, and not of each todo that came with it", () => {
    const { own, context, observe } = open();
    observe({ type: "turn.started" });
    own.plan.propose(PLAN);
    own.plan.comment("behind a flag", { step: 2 });
    own.plan.approve("Go.", { adopt: true });
    expect(context()?.split("\n").slice(1, -1)).toEqual([
      "The user did this since you last saw the list:",
      '- approved the plan: "Go."; its 3 steps are your list now, begin with the first',
      '- commented on step 2 of the plan: "behind a flag"',
    ]);
    expect(context()).toBeUndefined();
    expect(own.plan.get()?.untold).toBeUndefined();
  });

  test("the tool's answer tells it where no host does", () => {
    const { own, tools } = open();
    own.plan.propose(PLAN);
    own.plan.approve("Go.", { adopt: true });
    const [tool] = tools();
    const read = () => tool?.execute({}) as { text: string; notice?: string } | undefined;
    const first = read();
    expect(first?.notice).toBe(
      'The user approved the plan: "Go."; its 3 steps are your list now, begin with the first.',
    );
    expect(first?.text).toContain(String(first?.notice));
    expect(read()?.notice).toBeUndefined();
  });

  test("a whole list that was written without knowing does not take the adopted todos away", () => {
    const { own } = open();
    own.plan.propose(PLAN);
    own.plan.approve(undefined, { adopt: true });
    own.set([{ text: "Something else" }]);
    expect(own.get().map(({ text }) => text)).toEqual(
      expect.arrayContaining(["Add the kit", "Move the form", "Test", "Something else"]),
    );
  });

  test("the link stays with a todo that is renamed in place", () => {
    const { own } = open();
    own.plan.propose("1. Add the kit\n2. Test");
    own.plan.approve(undefined, { adopt: true });
    own.context({ moment: "step" });
    own.set([{ text: "Add the new kit", status: "in_progress" }, { text: "Test" }]);
    expect(own.get().map(({ planStep }) => planStep)).toEqual(["p1#1", "p1#2"]);
  });

  test("rejected, it is kept, the list stays closed, and the next one is another plan", () => {
    const { own } = open();
    own.plan.propose("1. a");
    own.plan.reject("Smaller.");
    expect(own.read()).toMatchObject({ mode: "plan", plan: { id: "p1", state: "rejected" } });
    expect(own.set([{ text: "x" }]).rejected[0]?.message).toContain("The user rejected your plan");
    own.plan.propose("1. b");
    expect(own.plan.get()).toMatchObject({ id: "p2", text: "1. b", state: "proposed" });
    expect(own.plan.get()?.comment).toBeUndefined();
    own.plan.propose("1. c");
    expect(own.plan.get()).toMatchObject({ id: "p2", text: "1. c" });
  });

  test("a person may edit the list while the plan waits", () => {
    const { own } = open();
    own.plan.propose("1. a");
    expect(own.submit([{ op: "add", todos: [{ text: "x" }] }], { by: "user" }).ok).toBe(true);
  });

  test("what the agent's own program asks is decided there, and may be adopted here", () => {
    const { own, observe } = open();
    observe([
      { type: "plan.delta", planId: "f", delta: "1. " },
      { type: "plan.proposed", planId: "f", text: "1. a\n2. b" },
    ]);
    expect(own.read()).toMatchObject({ mode: "work", plan: { foreign: true, state: "proposed" } });
    expect(own.plan.approve().rejected[0]?.message).toBe(
      "This plan is decided in the agent itself: it asks there, and listens there.",
    );
    observe({ type: "plan.decided", planId: "f", decision: "approved" });
    expect(own.plan.get()?.untold).toBeUndefined();
    expect(own.plan.adopt().ok).toBe(true);
    expect(own.get().map(({ planStep }) => planStep)).toEqual(["f#1", "f#2"]);
  });
});

describe("refused", () => {
  const refused = (
    act: (list: ReturnType<typeof open>["own"]) => { rejected: readonly { message: string }[] },
  ) => {
    const { own, events } = open();
    own.plan.propose("1. a\n2. b");
    const before = events().length;
    const [first] = act(own).rejected;
    expect(events()).toHaveLength(before);
    return first?.message;
  };

  test.each<[string, Parameters<typeof refused>[0], string]>([
    ["no text", (list) => list.plan.propose("  "), "The plan is empty. Send it as markdown."],
    [
      "too long",
      (list) => list.plan.propose("x".repeat(60_001)),
      "The plan has 60001 characters; at most 60000 are allowed. Leave the details for the work itself.",
    ],
    [
      "adopting what waits",
      (list) => list.plan.adopt(),
      "The plan is not approved yet: its steps become todos when a person has approved it.",
    ],
    [
      "an agent's own approval",
      (list) => list.plan.approve("", { by: "agent" }),
      "A plan is approved or rejected by a person.",
    ],
    [
      "a step that is not there",
      (list) => list.plan.comment("x", { step: 3 }),
      "The plan has no step 3: it has 2.",
    ],
    ["a comment of nothing", (list) => list.plan.comment(" "), "The comment is empty."],
    [
      "control characters",
      (list) => list.plan.reject("\u001b[2J"),
      "comment has a control character, U+001B at position 1. Send plain text.",
    ],
  ])("%s", (_, act, message) => {
    expect(refused(act)).toBe(message);
  });

  test("twice", () => {
    const { own } = open();
    own.plan.propose("1. a");
    own.plan.approve(undefined, { adopt: true });
    expect(own.plan.approve().rejected[0]?.message).toBe(
      "The plan was approved already. The agent has to propose another one.",
    );
    expect(own.plan.adopt().rejected[0]?.message).toBe(
      "The steps of plan p1 are in the list already.",
    );
  });

  test("nothing to decide on", () => {
    const { own, events } = open();
    expect(own.plan.approve().ok).toBe(false);
    expect(own.plan.comment("x").ok).toBe(false);
    expect(own.plan.adopt().ok).toBe(false);
    expect(own.plan.propose().ok).toBe(false);
    expect(events()).toEqual([]);
  });

  test("approved without steps, with adopt: nothing happens at all", () => {
    const { own } = open();
    own.plan.propose("Just do it.");
    expect(own.plan.approve(undefined, { adopt: true }).ok).toBe(false);
    expect(own.plan.get()?.state).toBe("proposed");
  });
});
