import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyTrack, evolve, foldEvents } from "../../src/core/evolve.ts";
import type { Change, Event } from "../../src/core/model.ts";
import { currentStalls, type Stall, type StallStep } from "../../src/core/stalls/stall.ts";
import { dueSteps, stallStepsFromEnv } from "../../src/core/stalls/steps.ts";
import { isUnknown, recentStallLine, stallLine } from "../../src/core/stalls/text.ts";
import { HOUR, MINUTE } from "../../src/core/text/duration.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";

const NOW = Date.UTC(2026, 8, 14, 14, 0);
const STALL: Stall = { kind: "stalled", key: "stalled 1", since: NOW, message: "no output for 1m" };

const event = (seq: number, at: number, ...changes: readonly Change[]): Event => ({
  seq,
  key: `k${seq}`,
  at,
  by: "system",
  via: "test",
  changes,
});
const handled = (step: StallStep, stall: Stall = STALL): Change => ({
  type: "stall.handled",
  stall,
  step,
});
const after = (...steps: readonly StallStep[]) =>
  foldEvents(
    { session: "s", agent: "main" },
    steps.map((step, index) => event(index + 1, NOW + index * MINUTE, handled(step))),
  );

test("a step is replaced by its end and keeps the time of its start", () => {
  const { stalls } = after(
    { step: "notify", to: "desktop", state: "sent" },
    { step: "message", state: "queued" },
    { step: "command", state: "started", until: NOW + 3 * MINUTE },
    { step: "release", task: "t4", state: "released" },
    { step: "command", state: "ended", exitCode: 0 },
  );
  expect(stallLine(stalls, NOW, "UTC")).toBe(
    "desktop notification sent 14:00, message queued for its next hook 14:01, command exited with 0 14:02, t4 released 14:03",
  );
});

test("a command without an end is unknown after its limit", () => {
  const started = { step: "command", state: "started", until: NOW + MINUTE } as const;
  const { stalls } = after(started);
  expect(isUnknown(started, NOW + MINUTE)).toBe(false);
  expect(stallLine(stalls, NOW, "UTC")).toBe("command started 14:00");
  expect(stallLine(stalls, NOW + 2 * MINUTE, "UTC")).toBe("command started, result unknown 14:00");
});

test.each([
  [{ exitCode: 3, output: "a\nno such pane" }, "command failed: exit 3: no such pane"],
  [{ timedOut: true, signal: "SIGTERM" }, "command ended at its time limit"],
  [{ signal: "SIGKILL" }, "command ended by SIGKILL"],
  [{ error: "Cannot start /bin/sh." }, "command failed: Cannot start /bin/sh."],
] as const)("words the end %j", (result, text) => {
  const { stalls } = after({ step: "command", state: "ended", ...result });
  expect(stallLine(stalls, NOW, "UTC")).toBe(`${text} 14:00`);
});

test("surfaces show the steps for an hour", () => {
  const { stalls } = after({ step: "message", state: "queued" });
  expect(recentStallLine(stalls, NOW + HOUR - 1, "UTC")).toBeDefined();
  expect(recentStallLine(stalls, NOW + HOUR, "UTC")).toBeUndefined();
  expect(recentStallLine(undefined, NOW)).toBeUndefined();
});

test("a step is neither activity nor a change of the list", () => {
  const opened = evolve(
    emptyTrack({ session: "s", agent: "main" }),
    event(1, 5, { type: "track.opened" }),
  );
  const later = evolve(opened, event(2, 900, handled({ step: "message", state: "queued" })));
  expect([later.updatedAt, later.revision, later.agentAt]).toEqual([5, 0, undefined]);
});

test("the record is bounded", () => {
  const steps = Array.from({ length: 60 }, (_, index) =>
    event(
      index + 1,
      index,
      handled(
        { step: "release", task: `t${index}`, state: "released" },
        { ...STALL, key: `stalled ${index % 12}` },
      ),
    ),
  );
  const { stalls = [] } = foldEvents({ session: "s", agent: "main" }, steps);
  expect(stalls.length).toBeLessThanOrEqual(8);
  for (const each of stalls) expect(each.steps.length).toBeLessThanOrEqual(16);
});

test("steps are due in order and never before their delay", () => {
  fc.assert(
    fc.property(fc.nat(1_500), fc.nat(1_500), fc.nat(1_600), (one, two, passed) => {
      const [first, second] = [Math.min(one, two) + 1, Math.max(one, two) + 1];
      if (second > 1_500) return;
      const plan = stallStepsFromEnv({
        WAYMARK_STALL_STEPS: `message:${first}s,release:${second}s`,
      });
      const due = dueSteps(plan, STALL, NOW + passed * 1_000);
      expect(due).toEqual([
        ...(passed >= first ? ["message"] : []),
        ...(passed >= second ? ["release"] : []),
      ]);
    }),
  );
  expect(stallStepsFromEnv({ WAYMARK_STALL_STEPS: "off" })).toEqual([]);
  expect(stallStepsFromEnv({}).map(({ step }) => step)).toEqual(["notify", "message", "command"]);
});

test("leaves out other machines, archived sessions, requests and warnings", () => {
  const finding = {
    kind: "stalled",
    level: "warning",
    label: "x",
    count: 60,
    message: "m",
  } as const;
  const merged = {
    track: emptyTrack({ session: "s", agent: "main" }),
    hosted: true,
    state: "stalled",
    findings: [finding],
    updatedAt: 1,
    stallsAt: 61_000,
    activity: { lastAt: 1_000, open: [], loopSince: 7 },
  } as unknown as MergedTrack;
  expect(currentStalls(merged)).toEqual([
    { kind: "stalled", key: "stalled 1000", since: 61_000, silentSince: 1_000, message: "m" },
  ]);
  for (const other of [
    { machine: "ci" },
    { archived: { at: 1 } },
    { state: "needs_you" },
    { findings: [{ ...finding, kind: "ping_pong" }] },
    { track: { ...merged.track, agent: "sub", parentAgent: "main" } },
    { activity: undefined },
  ])
    expect(currentStalls({ ...merged, ...other } as MergedTrack)).toEqual([]);
});
