import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordObserved } from "../../src/core/activity/record.ts";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import { DEFAULT_GUIDANCE } from "../../src/core/list/policy.ts";
import type { Track } from "../../src/core/model.ts";
import type { StreamBody, StreamEvent, StreamItem } from "../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../src/core/stream/fold.ts";
import { sized } from "../full.ts";
import { status, text } from "./arbitrary.ts";
import { event, todoList } from "./events.ts";

const RUNS = { numRuns: sized(300, 10_000) };

/** One report of a host for each event. */
function hosted(events: readonly StreamEvent[]): Track {
  let track = emptyTrack({ session: "s", agent: "main" });
  for (const { eventId, timestamp, agentType, sessionId: _, agentId: __, ...body } of events) {
    const decision = recordObserved(track, [body], {
      key: eventId,
      at: timestamp,
      via: agentType,
      guidance: DEFAULT_GUIDANCE,
      reminderContext: { mark: "m", tool: undefined, search: false },
    });
    if (decision.ok) track = evolve(track, decision.event);
  }
  return track;
}

function followed(events: readonly StreamEvent[]): LiveTrack {
  const live = emptyLiveTrack(event({ type: "turn.idle" }));
  for (const each of events) foldStream(live, each);
  return live;
}

/** The data that both ways must agree on. */
const facts = ({ todos, mode, refused, cwd, title, explanation, list, nextId }: Track) => ({
  todos,
  mode,
  refused,
  cwd,
  title,
  explanation,
  list,
  nextId,
});

function expectSame(events: readonly StreamEvent[]): void {
  const track = hosted(events);
  const live = followed(events);
  expect(facts(track)).toEqual(facts(live.track));
  expect(track.prompt).toEqual(live.prompt);
  expect(track.plan).toEqual(live.plan);
  expect(track.activity).toEqual(live.activity);
  expect(track.usage).toEqual(live.usage);
}

const item: fc.Arbitrary<StreamItem> = fc.record(
  { text, status, activeText: text, phase: text, id: fc.constantFrom("a", "b", "c") },
  { requiredKeys: ["text", "status"] },
);
const callId = fc.constantFrom("1", "2", "3");
const call = fc.constantFrom(
  { name: "Bash", input: { command: "npm test" } },
  { name: "Bash", input: { command: "ls" } },
  { name: "Edit", input: { file_path: "a.ts" } },
);
const planId = fc.constantFrom("p", "q");
const body = fc.oneof(
  fc.record({
    type: fc.constant("todo_list"),
    todoId: fc.constant("s-main"),
    items: fc.array(item, { maxLength: 5 }),
    explanation: fc.option(text, { nil: undefined }),
  }),
  fc.record({ type: fc.constant("tool.started"), callId, call }),
  fc.record({
    type: fc.constantFrom("tool.completed", "tool.failed"),
    callId,
    exitCode: fc.constantFrom(0, 1, undefined),
    output: fc.constantFrom("ok", "unknown tool", undefined),
  }),
  fc.record({ type: fc.constant("turn.started"), prompt: fc.option(text, { nil: undefined }) }),
  fc.record({
    type: fc.constant("session.started"),
    cwd: fc.constantFrom("/a", "/b", undefined),
    title: fc.option(text, { nil: undefined }),
  }),
  fc.record({
    type: fc.constantFrom(
      "turn.completed",
      "turn.failed",
      "turn.cancelled",
      "turn.idle",
      "session.ended",
      "session.compacted",
      "input.resolved",
    ),
    message: fc.constant(""),
  }),
  fc.record({
    type: fc.constant("input.requested"),
    kind: fc.constantFrom("permission", "question"),
    text,
  }),
  fc.record({ type: fc.constant("message"), role: fc.constantFrom("user", "assistant"), text }),
  fc.record({ type: fc.constant("plan.delta"), planId, delta: text }),
  fc.record({ type: fc.constant("plan.proposed"), planId, text }),
  fc.record({
    type: fc.constant("plan.decided"),
    planId,
    decision: fc.constantFrom("approved", "rejected"),
  }),
  fc.record({
    type: fc.constant("usage"),
    model: fc.constantFrom("a", "b"),
    usage: fc.record({
      input: fc.nat(100),
      output: fc.nat(100),
      cacheRead: fc.nat(100),
      cacheWrite: fc.nat(100),
      reasoning: fc.nat(100),
      requests: fc.nat(2),
    }),
  }),
  fc.record({ type: fc.constant("mode.changed"), mode: fc.constantFrom("work", "plan") }),
  fc.record({
    type: fc.constant("warning"),
    code: fc.constantFrom("list_rejected", "list_unknown", "bad_line"),
    message: text,
  }),
);

function bodyOf({ call: made, ...fields }: Record<string, unknown>): StreamBody {
  const known = Object.entries({ ...fields, ...(made as object) });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined)) as StreamBody;
}

describe("hosted lists and transcripts", () => {
  it("agree on every session", () => {
    const steps = fc.array(fc.tuple(body, fc.integer({ min: 1, max: 100_000 })), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (all) => {
        let at = 0;
        const events = all.map(([each, later], index) => {
          at += later;
          return event(bodyOf(each), { timestamp: at, eventId: `e${index}` });
        });
        const printed = { type: "message", role: "assistant", text: "on" } as const;
        expectSame([
          // A refusal alone does not start the counters of a hosted list.
          event(printed, { timestamp: 0, eventId: "first" }),
          ...events,
          // A hosted list records a plan or mode change without an observation.
          event(printed, { timestamp: at + 1, eventId: "last" }),
        ]);
      }),
      RUNS,
    );
  });

  it("clear a refused write after the next accepted one", () => {
    const refused = event(
      { type: "warning", code: "list_rejected", message: "bad plan" },
      { timestamp: 1_000 },
    );
    const written = todoList(["> Build it"], { timestamp: 2_000 });
    expect(hosted([refused]).refused?.why).toBe("bad plan");
    expect(hosted([refused, written]).refused).toBeUndefined();
    expect(followed([refused, written]).track.refused).toBeUndefined();
  });
});
