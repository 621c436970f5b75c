import { describe, expect, test } from "vitest";
import type * as waymark from "../../../src/index.ts";
import type { ModelCall } from "./adapter-suite.ts";

export interface ModelAnswer {
  readonly text?: string;
  readonly calls?: readonly ModelCall[];
}

export type Tracker = ReturnType<typeof waymark.createTracker>;

/** A conversation through the real SDK, as a user would write it, with a scripted model. */
export interface SdkConversation {
  readonly name: string;
  /**
   * Runs the answers after one prompt of the user. The host has its own tool `look`. From request `trimAt` on, only
   * the first and the last exchange are sent. Returns the messages of each request, as JSON.
   */
  run(
    tracker: Tracker,
    answers: readonly ModelAnswer[],
    options: { readonly trimAt?: number },
  ): Promise<readonly string[]>;
}

const write: ModelAnswer = {
  calls: [
    {
      id: "w1",
      name: "todos",
      input: {
        todos: [
          { text: "Read the code", status: "completed" },
          { text: "Write the fix", status: "in_progress" },
          { text: "Run the tests" },
        ],
      },
    },
  ],
};

const looks = (count: number): readonly ModelAnswer[] =>
  Array.from({ length: count }, (_, index) => ({
    text: `Step ${index}`,
    calls: [{ id: `l${index}`, name: "look", input: { at: index } }],
  }));

interface Reminder {
  readonly kind: string;
  readonly moment: string;
  readonly text: string;
}

function remindersOf(tracker: Tracker): Reminder[] {
  const reminders: Reminder[] = [];
  tracker.own.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === "reminded") reminders.push(change);
  });
  return reminders;
}

/** The numbers of the requests that contain the text, from 1. */
function requestsWith(requests: readonly string[], text: string): readonly number[] {
  const written = JSON.stringify(text).slice(1, -1);
  return requests.flatMap((request, index) => (request.includes(written) ? index + 1 : []));
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The tests of every conversation. */
export function sdkConversation(
  { createTracker }: Pick<typeof waymark, "createTracker">,
  { name, run }: SdkConversation,
): void {
  describe(`${name}: conversation`, () => {
    test("reminds of a stale list at the right step and keeps the reminder", async () => {
      const tracker = createTracker();
      const reminders = remindersOf(tracker);
      const requests = await run(tracker, [write, ...looks(22), { text: "Stuck." }], {});
      expect(requests).toHaveLength(24);
      const stale = reminders.filter(({ kind }) => kind === "stale");
      // The first answer writes the list. It becomes stale after ten more, and again after another ten.
      expect(stale.map(({ text }) => requestsWith(requests, text))).toEqual([
        from(12, 24),
        from(22, 24),
      ]);
      expect(stale.map(({ text }) => text)).toEqual([
        expect.stringContaining("Write the fix"),
        expect.stringContaining("Write the fix"),
      ]);
    });

    test("restores the open todos, and only those, when messages are removed", async () => {
      const tracker = createTracker();
      const reminders = remindersOf(tracker);
      const requests = await run(tracker, [write, ...looks(5), { text: "Stuck." }], { trimAt: 4 });
      const back = reminders.filter(({ kind }) => kind === "recovery");
      expect(new Set(back.map(({ moment }) => moment))).toEqual(new Set(["compacted"]));
      for (const { text } of back) {
        expect(text).toContain('[>] "Write the fix"');
        expect(text).toContain('[ ] "Run the tests"');
        expect(text).not.toContain("Read the code");
      }
      expect(tracker.own.read().activity?.counts).toMatchObject({ turns: 1, tools: 5 });
      // The model has its list in every request.
      const seen = requests.map((request) => request.includes("Write the fix"));
      expect(seen).toEqual([false, ...Array(requests.length - 1).fill(true)]);
    });

    test("records turns, answers and calls, but no list calls", async () => {
      const tracker = createTracker();
      await run(tracker, [write, ...looks(2), { text: "Stuck." }], {});
      const { activity, guide } = tracker.own.read();
      expect(activity?.counts).toMatchObject({ turns: 1, tools: 2, failed: 0 });
      expect(activity?.recent.map(({ name: tool, ok }) => [tool, ok])).toEqual([
        ["look", true],
        ["look", true],
      ]);
      expect(guide?.wroteAt).toBe(1);
    });
  });
}
