import { expect, test } from "vitest";
import type { ObservedEvent } from "../../src/core/activity/observation.ts";
import { createTracker, memoryStore } from "../../src/index.ts";

const YEAR = 365 * 86_400_000;
const STEPS = 45;
const printed: ObservedEvent = { type: "message", role: "assistant", text: "hm" };

/** The reminders of each step, with the given clock. */
function receivedWith(timeAt: (step: number) => number): readonly string[] {
  let step = 0;
  const { own } = createTracker({ store: memoryStore(), clock: () => timeAt(step) });
  own.set([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
  own.observe({ type: "turn.started", prompt: "go on" });
  const received: string[] = [];
  for (step = 1; step <= STEPS; step++) {
    own.observe(printed);
    const { reminder } = own.observe([], { moment: "step" });
    if (reminder) received.push(`${step} ${reminder.kind}`);
  }
  return received;
}

test("counts reminders in steps, so clock jumps of a year do not move or repeat them", {
  tags: ["reminder-storm"],
}, () => {
  const start = 1_700_000_000_000;
  const expected = receivedWith((step) => start + step * 1_000);
  expect(expected).toStrictEqual(["10 stale", "20 stale", "30 stale", "40 stale"]);
  expect(receivedWith((step) => start + (step > 15 ? YEAR : 0))).toStrictEqual(expected);
  expect(receivedWith((step) => start - (step > 15 ? YEAR : 0))).toStrictEqual(expected);
  expect(receivedWith((step) => start + (step % 2 === 0 ? YEAR : -YEAR))).toStrictEqual(expected);
  expect(receivedWith(() => start)).toStrictEqual(expected);
});
