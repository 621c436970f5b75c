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
    ["checklists before everything else", "1. a\n2. b\n- [ ] c\n  - [x] d\n", ["c", "d"]],
    ["a numbered checklist", "1. [ ] a\n2. [ ] b", ["a", "b"]],
    ["bullets", "- a\n- b\n  - inner\n* c", ["a", "b", "c"]],
    ["numbers before bullets", "- context\n\n1. a\n2. b", ["a", "b"]],
    [
      "numbered headings before the lists below them",
      "## Context\n- why\n### Step 1: Read\n1. x\n### Step 2: Write\n1. y\n2. z",
      ["Read", "Write"],
    ],
    ["headings with bare numbers", "## 1. Read\ntext\n## 2. Write", ["Read", "Write"]],
    ["no single numbered heading", "## 1. Read\n- a\n- b", ["a", "b"]],
    [
      "bullets under the heading that announces them",
      "## Context\n- old\n## Implementation steps\n- a\n- b\n## Risks\n- slow",
      ["a", "b"],
    ],
    ["no fenced code", "```\n1. no\n```\n1. yes\n~~~md\n- [ ] no\n~~~", ["yes"]],
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

  test("are cut to the length of a todo, in linear time", () => {
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
  test("streams in, is proposed, closes the list, is approved with a comment and opens the list", () => {
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
          "Your plan is waiting for the user's decision; the list is read-only until then. Tell the user and end your turn.",
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

  test("its steps become todos in one event, each linked to its step", () => {
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

  test("its steps become todos with 'if free' if no todo is open and there are steps", () => {
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

  test("its decision is shown to the agent once, without the adopted todos", () => {
    const { own, context, observe } = open();
    observe({ type: "turn.started" });
    own.plan.propose(PLAN);
    own.plan.comment("behind a flag", { step: 2 });
    own.plan.approve("Go.", { adopt: true });
    expect(context()?.split("\n").slice(1, -1)).toEqual([
      "The user approved your plan.",
      'Comment: "Go."',
      'Comment on step 2: "behind a flag"',
      "Its 3 steps are now your todos. Start with 1.",
    ]);
    expect(context()).toBeUndefined();
    expect(own.plan.get()?.untold).toBeUndefined();
  });

  test("its decision is shown with the tool result if there is no host", () => {
    const { own, tools } = open();
    own.plan.propose(PLAN);
    own.plan.approve("Go.", { adopt: true });
    const [tool] = tools();
    const read = () => tool?.execute({}) as { text: string; notice?: string } | undefined;
    const first = read();
    expect(first?.notice).toBe(
      'The user approved your plan. Its 3 steps are now your todos; start with the first one.\nComment: "Go."',
    );
    expect(first?.text).toContain(String(first?.notice));
    expect(read()?.notice).toBeUndefined();
  });

  test("its adopted todos survive a whole-list write of an unaware agent", () => {
    const { own } = open();
    own.plan.propose(PLAN);
    own.plan.approve(undefined, { adopt: true });
    own.set([{ text: "Something else" }]);
    expect(own.get().map(({ text }) => text)).toEqual(
      expect.arrayContaining(["Add the kit", "Move the form", "Test", "Something else"]),
    );
  });

  test("its link stays with a todo renamed in place", () => {
    const { own } = open();
    own.plan.propose("1. Add the kit\n2. Test");
    own.plan.approve(undefined, { adopt: true });
    own.context({ moment: "step" });
    own.set([{ text: "Add the new kit", status: "in_progress" }, { text: "Test" }]);
    expect(own.get().map(({ planStep }) => planStep)).toEqual(["p1#1", "p1#2"]);
  });

  test("stays when rejected, the list stays closed, and the next proposal is a new plan", () => {
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

  test("lets the user edit the list while it is pending", () => {
    const { own } = open();
    own.plan.propose("1. a");
    expect(own.submit([{ op: "add", todos: [{ text: "x" }] }], { by: "user" }).ok).toBe(true);
  });

  test("of the agent's own program is decided there and can be adopted here", () => {
    const { own, observe } = open();
    observe([
      { type: "plan.delta", planId: "f", delta: "1. " },
      { type: "plan.proposed", planId: "f", text: "1. a\n2. b" },
    ]);
    expect(own.read()).toMatchObject({ mode: "work", plan: { foreign: true, state: "proposed" } });
    expect(own.plan.approve().rejected[0]?.message).toBe(
      "Decide on this plan in the agent's own program.",
    );
    observe({ type: "plan.decided", planId: "f", decision: "approved" });
    expect(own.plan.get()?.untold).toBeUndefined();
    expect(own.plan.adopt().ok).toBe(true);
    expect(own.get().map(({ planStep }) => planStep)).toEqual(["f#1", "f#2"]);
  });
});

describe("refuses", () => {
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
    ["no text", (list) => list.plan.propose("  "), "The plan is empty. Send it as Markdown."],
    [
      "too long",
      (list) => list.plan.propose("x".repeat(60_001)),
      "The plan has 60001 characters; the limit is 60000. Leave out details that you decide while you work.",
    ],
    [
      "adopting a pending plan",
      (list) => list.plan.adopt(),
      "The plan is not approved yet. Its steps can become todos after the user approves it.",
    ],
    [
      "an agent's own approval",
      (list) => list.plan.approve("", { by: "agent" }),
      "Only the user can approve or reject a plan.",
    ],
    [
      "an unknown step",
      (list) => list.plan.comment("x", { step: 3 }),
      "The plan has no step 3. Number of steps: 2.",
    ],
    ["an empty comment", (list) => list.plan.comment(" "), "The comment is empty."],
    [
      "control characters",
      (list) => list.plan.reject("\u001b[2J"),
      "comment contains a control character: U+001B at position 1. Send plain text.",
    ],
  ])("%s", (_, act, message) => {
    expect(refused(act)).toBe(message);
  });

  test("a second approval, adoption or decision", () => {
    const { own } = open();
    own.plan.propose("1. a");
    own.plan.approve(undefined, { adopt: true });
    expect(own.plan.approve().rejected[0]?.message).toBe(
      "The plan was already approved. The agent has to propose another one.",
    );
    expect(own.plan.adopt().rejected[0]?.message).toBe(
      "The steps of plan p1 are already in the list.",
    );
  });

  test("decisions without a plan", () => {
    const { own, events } = open();
    expect(own.plan.approve().ok).toBe(false);
    expect(own.plan.comment("x").ok).toBe(false);
    expect(own.plan.adopt().ok).toBe(false);
    expect(own.plan.propose().ok).toBe(false);
    expect(events()).toEqual([]);
  });

  test("approval with adopt of a plan without steps", () => {
    const { own } = open();
    own.plan.propose("Just do it.");
    expect(own.plan.approve(undefined, { adopt: true }).ok).toBe(false);
    expect(own.plan.get()?.state).toBe("proposed");
  });
});
