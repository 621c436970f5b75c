import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import type { ObservedEvent } from "../../src/core/activity/observation.ts";
import type { Guide } from "../../src/core/guidance/counters.ts";
import { reminderFor } from "../../src/core/guidance/rules.ts";
import { dueOf } from "../../src/core/guidance/schedule.ts";
import { GUIDANCE_PRESETS, type GuidancePolicy, guidanceFor } from "../../src/core/list/policy.ts";
import type { Track } from "../../src/core/model.ts";
import { createTracker } from "../../src/index.ts";
import { sized } from "../full.ts";
import { todo, trackOf } from "./track-of.ts";

const WORDS = { mark: "m", tool: "todos" };

type Act =
  | { readonly kind: "write"; readonly closed: number }
  | { readonly kind: "edit" }
  | { readonly kind: "prompt" }
  | { readonly kind: "compacted" }
  | { readonly kind: "refused" }
  | { readonly kind: "ask" }
  | { readonly kind: "call"; readonly tool: number; readonly fails: boolean };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("write" as const), closed: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "edit" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "prompt" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "compacted" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "refused" as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: "ask" as const }) },
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      tool: fc.nat(2),
      fails: fc.boolean(),
    }),
  },
);

const CALLS: readonly { readonly name: string; readonly input: unknown }[] = [
  { name: "Edit", input: { file_path: "a.ts" } },
  { name: "Bash", input: { command: "npm test" } },
  { name: "Read", input: { file_path: "b.ts" } },
];

describe("when something may next be due", () => {
  test("is never later than when it is", () => {
    const presets = fc.constantFrom({}, ...Object.values(GUIDANCE_PRESETS));
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), presets, (acts, preset) => {
        let now = 1_000;
        const { own } = createTracker({ clock: () => (now += 1_000), guidance: preset });
        const policy = guidanceFor(preset);
        const would = (track: Track, moment: "step" | "prompt" | "stop") =>
          reminderFor(track, moment, policy, WORDS) !== undefined;
        let due = dueOf(own.read(), policy);
        // Hosts that ask only when it may be due count the calls that ended since.
        let since = 0;
        const renew = () => {
          due = dueOf(own.read(), policy);
          since = 0;
        };
        for (const [place, each] of acts.entries()) {
          if (each.kind === "call") {
            const call = CALLS[each.tool] ?? { name: "Read", input: {} };
            const callId = `c${place}`;
            const events: readonly ObservedEvent[] = [
              { type: "tool.started", callId, ...call },
              {
                type: each.fails ? "tool.failed" : "tool.completed",
                callId,
                output: "unknown tool",
              },
            ];
            own.observe(events);
            since++;
            if (would(own.read(), "step")) expect(since).toBeGreaterThanOrEqual(due.steps);
            if (since >= due.steps) {
              own.context({ moment: "step" });
              renew();
            }
          } else if (each.kind === "prompt") {
            own.observe({ type: "turn.started", prompt: "Go on" });
            if (would(own.read(), "prompt")) expect(due.prompt).toBe(true);
          } else if (each.kind === "ask") {
            if (would(own.read(), "stop")) expect(due.stop).toBe(true);
          } else {
            // All that is not a call or a prompt is kept by a process that also renews the mark.
            happen(own, each);
            renew();
          }
        }
      }),
      { numRuns: sized(200, 10_000) },
    );
  });

  test("a list that is kept up to date is left alone", () => {
    const { own } = createTracker();
    own.set([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    own.observe({ type: "turn.started", prompt: "Go" });
    expect(dueOf(own.read(), guidanceFor())).toEqual({ steps: 10, prompt: false, stop: true });
  });

  describe("is the earliest of all that may be due", () => {
    const open = [todo("1", { status: "in_progress" })];
    const guide = { prompts: 1, steps: 8, calls: 8 };
    const steps = (
      more: Partial<Guide>,
      rest: Partial<Track> = {},
      policy: Partial<GuidancePolicy> = {},
    ) => dueOf(trackOf(open, { ...guide, ...more }, rest), guidanceFor(policy)).steps;
    const calls = (...signatures: readonly string[]) => ({
      activity: {
        ...emptyActivity(),
        calls: signatures.map((signature) => ({ name: "Read", label: "Read", signature })),
      },
    });

    test("a stale list, which needs both a time without a write and one without a reminder", () => {
      expect(steps({ wroteAt: 3 })).toBe(5);
      expect(steps({ wroteAt: 3, remindedAt: 7 })).toBe(9);
      expect(steps({ wroteAt: 7, remindedAt: 3 })).toBe(9);
    });

    test("many edits without a write", () => {
      expect(steps({ wroteAt: 3, edits: 7 })).toBe(5);
      expect(steps({ wroteAt: 3, edits: 8 })).toBe(4);
      expect(steps({ wroteAt: 3, edits: 11 })).toBe(1);
    });

    test("plan mode, where it is repeated", () => {
      const late = { wroteAt: 8, remindedAt: 8, plannedAt: 6 };
      expect(steps(late, { mode: "plan" }, { planEvery: 5 })).toBe(3);
      expect(steps({ ...late, plannedAt: 8 }, { mode: "plan" }, { planEvery: 5 })).toBe(5);
      expect(steps(late, { mode: "plan" })).toBe(10);
      expect(steps(late, {}, { planEvery: 5 })).toBe(10);
    });

    test("calls that may turn out to be a loop", () => {
      const late = { wroteAt: 8, remindedAt: 8 };
      expect(steps(late, calls("a", "a", "a", "a"))).toBe(6);
      expect(steps(late, calls("x", "a", "b", "a", "b", "a"))).toBe(5);
      expect(steps(late, calls("a", "b", "c", "d"))).toBe(8);
      const unknown = calls("a", "b", "c", "d", "e").activity;
      const missing = unknown.calls.map((call, place) => ({ ...call, unknown: place > 0 }));
      expect(steps(late, { activity: { ...unknown, calls: missing } })).toBe(6);
    });
  });

  test("what a person did is due at the next opportunity", () => {
    const { own } = createTracker();
    own.set([{ text: "Read", status: "in_progress" }]);
    own.observe({ type: "turn.started", prompt: "Go" });
    own.submit([{ op: "finish", target: { any: "Read" } }], { by: "user" });
    expect(dueOf(own.read(), guidanceFor())).toEqual({ steps: 1, prompt: true, stop: false });
  });

  test("nothing open, nothing to stop for", () => {
    const { own } = createTracker();
    own.set([{ text: "Read", status: "completed" }]);
    own.observe({ type: "turn.started", prompt: "Go" });
    expect(dueOf(own.read(), guidanceFor())).toEqual({ steps: 10, prompt: false, stop: false });
  });
});

function happen(
  own: ReturnType<typeof createTracker>["own"],
  each: Exclude<Act, { kind: "call" | "prompt" | "ask" }>,
): void {
  switch (each.kind) {
    case "write":
      own.set(
        Array.from({ length: 4 }, (_, index) => ({
          text: `Todo ${index}`,
          status: index < each.closed ? ("completed" as const) : ("pending" as const),
        })),
      );
      break;
    case "edit":
      own.submit([{ op: "add", todos: [{ text: "By hand" }] }], { by: "user" });
      break;
    case "compacted":
      own.observe({ type: "session.compacted" });
      break;
    case "refused":
      own.observe({ type: "warning", code: "list_rejected", message: "no" });
      break;
  }
}
