import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import { decide, verifiedChanges } from "../../src/core/list/decide.ts";
import { fastPathChanges } from "../../src/core/list/fast-path.ts";
import { PRESETS, policyFor } from "../../src/core/list/policy.ts";
import type { Draft, Event, Track } from "../../src/core/model.ts";
import type { StreamItem } from "../../src/core/stream/events.ts";
import { draftsOf } from "../../src/core/stream/to-write.ts";
import { sized } from "../full.ts";
import { draft, status } from "./arbitrary.ts";

const FOREIGN = policyFor("agent", PRESETS.external);

function write(track: Track, todos: readonly Draft[], at: number): Event {
  const submission = { key: `${at}`, at, by: "agent" as const, via: "test" };
  const decision = decide(track, { ...submission, ops: [{ op: "replace", todos }] }, FOREIGN);
  if (!decision.ok) throw new Error("refused");
  return decision.event;
}

/** An item as another program writes it. */
const plain = ({ text, status = "pending", activeText, phase, ref }: Draft): StreamItem => ({
  text,
  status,
  ...(activeText != null && { activeText }),
  ...(phase != null && { phase }),
  ...(ref != null && { id: ref }),
});

const entry: fc.Arbitrary<Draft> = fc.oneof(
  draft,
  fc.constantFrom("Read", "Write", "Test", "Ship").map((text) => ({ text })),
);

type Step = (list: readonly StreamItem[]) => readonly StreamItem[];

/** The next write of a list. */
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
    weight: 3,
    arbitrary: fc.array(entry, { minLength: 1, maxLength: 3 }).map(
      (extra): Step =>
        (list) => [...list, ...extra.map(plain)],
    ),
  },
  // Known texts, everything completed, and todos after that.
  { weight: 1, arbitrary: fc.constant<Step>((list) => [...list, ...list.slice(0, 2)]) },
  {
    weight: 2,
    arbitrary: fc.constant<Step>((list) => list.map((todo) => ({ ...todo, status: "completed" }))),
  },
  {
    weight: 4,
    arbitrary: fc.constant<Step>((list) => list.map((todo) => ({ ...todo, status: "pending" }))),
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
    arbitrary: fc.array(entry, { maxLength: 6 }).map(
      (other): Step =>
        () =>
          other.map(plain),
    ),
  },
);

const often = ({ count }: { readonly count: number }) => count > 50;

it("finds the same changes as decide", () => {
  const seen = { short: 0, long: 0, added: 0, started: 0, proved: 0 };
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      (first, steps) => {
        let list: readonly StreamItem[] = first.map(plain);
        let track = emptyTrack({ session: "s", agent: "main" });
        [(same: typeof list) => same, ...steps].forEach((made, place) => {
          list = made(list);
          // A check that passed verifies todos that were started before it.
          const check = { command: "npm test", exitCode: 0, at: place + 0.5 };
          const active = { ...track, activity: { ...emptyActivity(), check } };
          const event = write(active, draftsOf(list), place + 1);
          const changes = fastPathChanges(active, list, FOREIGN);
          if (changes) {
            const backed = verifiedChanges(active.todos, active.activity, changes);
            expect([...changes, ...backed]).toEqual(event.changes);
            seen.short++;
            seen.proved += backed.length;
            for (const { type } of changes) {
              if (type === "todo.added") seen.added++;
              if (type === "list.started") seen.started++;
            }
          } else seen.long++;
          track = evolve(track, event);
        });
      },
    ),
    { numRuns: sized(2_000, 10_000) },
  );
  for (const [what, count] of Object.entries(seen)) expect({ what, count }).toSatisfy(often);
});

it.each<[string, StreamItem]>([
  ["blank", { text: " ", status: "pending" }],
  ["of several lines", { text: "a\nb", status: "pending" }],
  ["with spaces around it", { text: " a", status: "pending" }],
  ["with an unknown status", { text: "a", status: "paused" as "pending" }],
  ["with a note", { text: "a", status: "pending", notes: ["n"] }],
  ["with an owner", { text: "a", status: "pending", owner: "ann" }],
  ["with a blocker", { text: "a", status: "pending", blockedBy: ["1"] }],
  ["with its own spelling of the status", { text: "a", status: "pending", raw: "todo" }],
  ["over the length limit", { text: "a".repeat(FOREIGN.maxText + 1), status: "pending" }],
])("leaves an entry %s to decide", (_, item) => {
  const track = emptyTrack({ session: "s", agent: "main" });
  expect(fastPathChanges(track, [item], FOREIGN)).toBeUndefined();
});
