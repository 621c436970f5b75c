import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyActivity } from "../../src/core/activity.ts";
import { decide, verified } from "../../src/core/decide.ts";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import type { Draft, Event, Track } from "../../src/core/model.ts";
import { PRESETS, policyFor } from "../../src/core/policy.ts";
import { restated } from "../../src/core/restate.ts";
import { draft, status } from "./arbitrary.ts";

const FOREIGN = policyFor("agent", PRESETS.foreign);

function write(track: Track, todos: readonly Draft[], at: number): Event {
  const submission = { key: `${at}`, at, by: "agent" as const, via: "test" };
  const decision = decide(track, { ...submission, ops: [{ op: "replace", todos }] }, FOREIGN);
  if (!decision.ok) throw new Error("refused");
  return decision.event;
}

/** As a whole list is written: what is not said of a todo is not so. */
const plain = ({ text, status = "pending", activeText, phase, ref }: Draft): Draft => ({
  text,
  status,
  activeText: activeText ?? null,
  rawStatus: null,
  phase: phase ?? null,
  notes: null,
  priority: null,
  parent: null,
  blockedBy: null,
  blocker: null,
  owner: null,
  ...(ref !== undefined && { ref }),
});

type Step = (list: readonly Draft[]) => readonly Draft[];

/** How a list is written the next time. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(status, { minLength: 6, maxLength: 6 }).map(
      (statuses): Step =>
        (list) =>
          list.map((todo, place) => ({ ...todo, status: statuses[place] ?? "pending" })),
    ),
  },
  {
    weight: 1,
    arbitrary: draft.map(
      (extra): Step =>
        (list) => [...list, plain(extra)],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(5).map(
      (by): Step =>
        (list) => [...list.slice(by), ...list.slice(0, by)],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.array(draft, { maxLength: 6 }).map(
      (other): Step =>
        () =>
          other.map(plain),
    ),
  },
);

it("a list with other statuses changes what judging it from the ground up changes", () => {
  let short = 0;
  let long = 0;
  let proved = 0;
  fc.assert(
    fc.property(
      fc.array(draft, { minLength: 1, maxLength: 6 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      (first, steps) => {
        let list: readonly Draft[] = first.map(plain);
        let track = emptyTrack({ session: "s", agent: "main" });
        track = evolve(track, write(track, list, 1));
        steps.forEach((made, place) => {
          list = made(list);
          // A check that succeeded backs what was started before it.
          const check = { command: "npm test", exitCode: 0, at: place + 1.5 };
          const active = { ...track, activity: { ...emptyActivity(), check } };
          const event = write(active, list, place + 2);
          const changes = restated(active, list);
          if (changes) {
            short++;
            const backed = verified(active, changes);
            proved += backed.length;
            expect([...changes, ...backed]).toEqual(event.changes);
          } else long++;
          track = evolve(track, event);
        });
      },
    ),
    { numRuns: 800 },
  );
  expect([short > 500, long > 500, proved > 50]).toEqual([true, true, true]);
});
