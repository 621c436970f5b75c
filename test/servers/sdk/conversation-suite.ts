import { describe, expect, test } from "vitest";
import type * as waymark from "../../../src/index.ts";
import type { ModelCall } from "./door-suite.ts";

export interface ModelAnswer {
  readonly text?: string;
  readonly calls?: readonly ModelCall[];
}

export type Tracker = ReturnType<typeof waymark.createTracker>;

/** A conversation through the real SDK, as its user would write it, with a scripted model. */
export interface SdkConversation {
  readonly name: string;
  /**
   * Runs the answers after one prompt of a person. The host has a tool `look` of its own. From the
   * request with this number on, only the first and the last exchange are sent.
   * Gives the messages of each request, as JSON.
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

interface Told {
  readonly kind: string;
  readonly moment: string;
  readonly text: string;
}

function toldTo(tracker: Tracker): Told[] {
  const told: Told[] = [];
  tracker.own.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === "reminded") told.push(change);
  });
  return told;
}

/** The numbers of the requests that have the text in them, from 1. */
function requestsWith(requests: readonly string[], text: string): readonly number[] {
  const written = JSON.stringify(text).slice(1, -1);
  return requests.flatMap((request, index) => (request.includes(written) ? index + 1 : []));
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** What every conversation owes the model. */
export function sdkConversation(
  { createTracker }: Pick<typeof waymark, "createTracker">,
  { name, run }: SdkConversation,
): void {
  describe(`${name}: the conversation`, () => {
    test("a list that is forgotten is brought up at the right step, and stays said", async () => {
      const tracker = createTracker();
      const told = toldTo(tracker);
      const requests = await run(tracker, [write, ...looks(22), { text: "Stuck." }], {});
      expect(requests).toHaveLength(24);
      const stale = told.filter(({ kind }) => kind === "stale");
      // The list is written in the first answer; ten more make it stale, and ten more again.
      expect(stale.map(({ text }) => requestsWith(requests, text))).toEqual([
        from(12, 24),
        from(22, 24),
      ]);
      expect(stale.map(({ text }) => text)).toEqual([
        expect.stringContaining("Write the fix"),
        expect.stringContaining("Write the fix"),
      ]);
    });

    test("when messages are taken away the open todos come back, and only those", async () => {
      const tracker = createTracker();
      const told = toldTo(tracker);
      const requests = await run(tracker, [write, ...looks(5), { text: "Stuck." }], { trimAt: 4 });
      const back = told.filter(({ kind }) => kind === "recovery");
      expect(new Set(back.map(({ moment }) => moment))).toEqual(new Set(["compacted"]));
      for (const { text } of back) {
        expect(text).toContain('[>] "Write the fix"');
        expect(text).toContain('[ ] "Run the tests"');
        expect(text).not.toContain("Read the code");
      }
      expect(tracker.own.read().activity?.counts).toMatchObject({ turns: 1, tools: 5 });
      // Whatever is cut away, the model has its list in every request.
      const seen = requests.map((request) => request.includes("Write the fix"));
      expect(seen).toEqual([false, ...Array(requests.length - 1).fill(true)]);
    });

    test("what happens is recorded: turns, answers and calls, but no calls of the list", async () => {
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
