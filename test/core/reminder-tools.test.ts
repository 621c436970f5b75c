import { describe, expect, test } from "vitest";
import type { ObservedEvent } from "../../src/core/activity/observation.ts";
import { createTracker } from "../../src/index.ts";
import { anthropicSession } from "../../src/sdk/anthropic.ts";

const printed: ObservedEvent = { type: "message", role: "assistant", text: "hm" };
const prompt: ObservedEvent = { type: "turn.started", prompt: "go on" };

function edit(id: number): ObservedEvent[] {
  const callId = `e${id}`;
  return [
    { type: "tool.started", callId, name: "Edit", input: { file_path: `${id}.ts` } },
    { type: "tool.completed", callId, name: "Edit", output: `${id}` },
  ];
}

describe("the tool that a reminder names", () => {
  test("is the one that was handed out", () => {
    const tracker = createTracker();
    tracker.tools({ tools: ["TodoWrite"] });
    tracker.observe(prompt);
    const text = tracker.context() ?? "";
    expect(text).toContain("with `TodoWrite` before");
    expect(text).not.toContain("`todos`");
  });

  test("is the name that the host gave, whatever was handed out", () => {
    const tracker = createTracker({ tool: "my_list" });
    tracker.tools({ tools: ["TodoWrite"] });
    tracker.observe(prompt);
    expect(tracker.context()).toContain("with `my_list` before");
  });

  test("is none where no tool was handed out: what only a tool can do is not asked for", () => {
    const tracker = createTracker();
    expect(tracker.tools({ enabled: false })).toEqual([]);
    tracker.observe(prompt);
    expect(tracker.context()).toBeUndefined();
    tracker.own.set([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    for (let step = 0; step < 30; step++) {
      tracker.observe([printed, ...edit(step)]);
      expect(tracker.context()).toBeUndefined();
    }
    tracker.observe({ type: "session.compacted" });
    const text = tracker.context() ?? "";
    expect(text).toContain('[>] "Read"');
    expect(text).not.toMatch(/`|todos tool/);
    expect(tracker.context({ moment: "stop" })).not.toMatch(/`/);
  });

  test("in a session of an SDK is the tool of that session", async () => {
    const { before } = anthropicSession(createTracker(), { tools: { tools: ["TodoWrite"] } });
    const sent = await before([{ role: "user", content: "Go" }]);
    expect(JSON.stringify(sent)).toContain("`TodoWrite`");
  });
});

describe("evidence is asked for", () => {
  function completed(tools: "todos" | "TodoWrite") {
    const tracker = createTracker();
    tracker.tools({ tools: [tools] });
    const done = ["a", "b", "c"].map((text) => ({ text, status: "completed" as const }));
    tracker.own.set([...done, { text: "d" }]);
    tracker.observe([prompt, printed]);
    return tracker.context() ?? "";
  }

  test("in the field `evidence` where the tool has it", () => {
    expect(completed("todos")).toContain("send `evidence` with `todos`");
  });

  test("never in a field that the tool refuses", () => {
    const text = completed("TodoWrite");
    expect(text).toContain("3 todos are completed, but none is verified");
    expect(text).toContain("Run a check that would fail if they were not done.");
    expect(text).not.toMatch(/evidence|`/);
  });
});

describe("a batch that was partly applied", () => {
  const ops = [
    { op: "append", phase: "Work", items: ["Read"] },
    { op: "done", task: "Nothing of that name" },
  ];

  test("is reported as partly saved", () => {
    const tracker = createTracker();
    const [tool] = tracker.tools({ tools: ["todo_write.ops"] });
    tracker.observe([prompt, printed]);
    expect(tool?.execute({ ops })).toMatchObject({ ok: false, partial: true });
    expect(tracker.own.get()).toHaveLength(1);
    const { reminder } = tracker.observe(printed, { moment: "step" });
    expect(reminder?.kind).toBe("refused");
    expect(reminder?.text).toContain("only partly saved");
    expect(reminder?.text).toContain("Nothing of that name");
    expect(reminder?.text).not.toContain("unchanged");
  });

  test("also in a session of an SDK, where the answer comes back among the messages", async () => {
    const tracker = createTracker();
    const { before, answer } = anthropicSession(tracker, { tools: { tools: ["todo_write.ops"] } });
    const messages: { role: string; content: unknown }[] = [{ role: "user", content: "Go" }];
    const send = () => before(messages as Parameters<typeof before>[0]);
    await send();
    const call = { type: "tool_use", id: "w", name: "todo_write", input: { ops } };
    messages.push({ role: "assistant", content: [call] });
    messages.push({ role: "user", content: await answer([call]) });
    await send();
    messages.push({ role: "assistant", content: [{ type: "text", text: "hm" }] });
    messages.push({ role: "user", content: "Continue" });
    const sent = JSON.stringify(await send());
    expect(sent).toContain("only partly saved");
    expect(sent).not.toContain("the list is unchanged");
    expect(tracker.own.read().activity?.counts.rejected).toBe(1);
  });

  test("a whole refusal says that nothing was saved", () => {
    const tracker = createTracker();
    const [tool] = tracker.tools({ tools: ["todo_write.ops"] });
    tracker.observe([prompt, printed]);
    const result = tool?.execute({ ops: ops.slice(1) });
    expect(result).toMatchObject({ ok: false });
    expect(result).not.toHaveProperty("partial");
    expect(tracker.observe(printed, { moment: "step" }).reminder?.text).toContain(
      "was not saved, so the list is unchanged",
    );
  });
});

describe("the reminder about edits", () => {
  test("comes with one edit in each turn, and then counts since its last one", () => {
    const tracker = createTracker();
    tracker.own.set([{ text: "Read", status: "in_progress" }]);
    tracker.observe(prompt);
    const received: string[] = [];
    for (let turn = 1; turn <= 30; turn++) {
      tracker.observe([printed, ...edit(turn)]);
      const why = tracker.context()?.split("\n")[1];
      if (why !== undefined) received.push(`${turn}: ${why}`);
    }
    expect(received).toEqual([
      "10: You haven't updated your todo list in 10 turns.",
      "12: You made 12 edits without updating your todo list.",
      "22: You haven't updated your todo list in 22 turns.",
      "24: You made 12 more edits without updating your todo list.",
    ]);
  });
});

describe("a call that only reads", () => {
  const VIEWS = [
    ["todo_write.ops", { ops: [{ op: "view" }] }],
    ["todos", {}],
    ["todo", {}],
  ] as const;

  test.each(VIEWS)("%s leaves a list that a person made as it is", (id, input) => {
    const tracker = createTracker();
    const { own } = tracker;
    own.set([{ text: "Read" }, { text: "Write" }], { by: "user" });
    const before = own.get();
    const [tool] = tracker.tools({ tools: [id] });
    expect(tool?.execute(input)).toMatchObject({ ok: true });
    expect(own.get()).toEqual(before);
    expect(own.read().revision).toBe(1);
  });

  test.each(VIEWS)("%s leaves the list as it is in plan mode", (id, input) => {
    const tracker = createTracker();
    const { own } = tracker;
    own.set([{ text: "Read" }, { text: "Write" }]);
    own.submit([{ op: "mode", mode: "plan" }], { by: "user" });
    own.submit([{ op: "note", target: { any: "1" }, text: "with care" }], { by: "user" });
    const before = own.get();
    const [tool] = tracker.tools({ tools: [id] });
    expect(tool?.execute(input, { planMode: true })).toMatchObject({ ok: true });
    expect(own.get()).toEqual(before);
  });
});
