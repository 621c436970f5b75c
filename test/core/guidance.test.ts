import { describe, expect, test } from "vitest";
import { createTracker } from "../../src/index.ts";

function tracker() {
  let now = 1_000;
  return createTracker({ clock: () => (now += 1_000) });
}

describe("what a host reports", () => {
  test("ten messages without a write are worth one reminder, and ten more another", () => {
    const { own } = tracker();
    own.set([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    const told: number[] = [];
    for (let step = 1; step <= 30; step++) {
      const { reminder } = own.observe(
        { type: "message", role: "assistant", text: "hm" },
        { moment: "step" },
      );
      if (reminder) told.push(step);
    }
    expect(told).toEqual([10, 20, 30]);
  });

  test("calls are steps where no messages are reported", () => {
    const { own } = tracker();
    own.set([{ text: "Read", status: "in_progress" }]);
    const told: number[] = [];
    for (let step = 1; step <= 20; step++) {
      own.observe([
        { type: "tool.started", callId: `a${step}`, name: "Read", input: { step } },
        { type: "tool.started", callId: `b${step}`, name: "Read", input: { also: step } },
      ]);
      own.observe({ type: "tool.completed", callId: `a${step}` });
      const { reminder } = own.observe(
        { type: "tool.completed", callId: `b${step}` },
        { moment: "step" },
      );
      if (reminder) told.push(step);
    }
    expect(told).toEqual([10, 20]);
  });

  test("nothing seen and nothing to tell leaves no trace", () => {
    const { own } = tracker();
    expect(own.context()).toBeUndefined();
    expect(own.read().version).toBe(0);
  });

  test("after compaction the open todos come back", () => {
    const { own } = tracker();
    own.set([
      { text: "Done", status: "completed" },
      { text: "Next" },
      { text: "Now", activeText: "Doing it", status: "in_progress", notes: ["see a.ts"] },
    ]);
    own.observe({ type: "session.compacted" });
    const text = own.context({ moment: "compacted" }) ?? "";
    expect(text.split("\n").slice(1, -1)).toEqual([
      "The conversation was shortened. These todos of your list are still open; 1 of 3 done.",
      "[>] Now <- Doing it",
      "    > see a.ts",
      "[ ] Next",
      "Go on with the first one, and keep the list up to date with todos.",
    ]);
    expect(own.context()).toBeUndefined();
  });
});
