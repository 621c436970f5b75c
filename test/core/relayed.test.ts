import { describe, expect, test } from "vitest";
import { type Activity, emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import type { LiveTrack } from "../../src/core/stream/fold.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import {
  checkMachine,
  machineOfSession,
  relayedSession,
  relayedTrackOf,
} from "../../src/core/views/relayed.ts";

const merged = (more: Partial<MergedTrack> = {}): MergedTrack => ({
  track: { ...emptyTrack({ session: "s", agent: "main" }), agentType: "codex", title: "T" },
  hosted: true,
  state: "idle",
  findings: [],
  updatedAt: 7,
  ...more,
});

describe("a relayed track", () => {
  test("has what is known of the agent", () => {
    const known = {
      name: "n",
      prompt: "Go",
      plan: { text: "p" } as Plan,
      usage: { parts: [], texts: {}, focus: [] },
    };
    const { live, updatedAt } = relayedTrackOf(merged(known), undefined);
    expect(live).toMatchObject({
      session: "s",
      agent: "main",
      agentType: "codex",
      track: { title: "T" },
      ...known,
    });
    expect(updatedAt).toBe(7);
    const { live: bare } = relayedTrackOf(
      merged({ track: emptyTrack({ session: "s", agent: "a" }) }),
      undefined,
    );
    expect(bare).toMatchObject({
      agent: "a",
      agentType: "",
      ended: false,
      compactions: 0,
      skipped: {},
    });
    for (const field of ["name", "prompt", "plan", "usage", "model", "version"])
      expect(bare).not.toHaveProperty(field);
  });

  test("has what the agent's own files say", () => {
    const own = { model: "m", version: "1", ended: true, compactions: 3 } as LiveTrack;
    expect(relayedTrackOf(merged(), own).live).toMatchObject(own);
    expect(relayedTrackOf(merged({ state: "ended" }), undefined).live.ended).toBe(true);
    expect(relayedTrackOf(merged({ state: "ended" }), { ...own, ended: false }).live.ended).toBe(
      false,
    );
  });

  test("has no calls, and of open ones no input", () => {
    const activity = {
      ...emptyActivity(),
      lastAt: 5,
      calls: [{ signature: "x" }],
      open: [
        { name: "Bash", label: "npm test", startedAt: 1, signature: "secret", check: "npm test" },
      ],
    } as unknown as Activity;
    const { live } = relayedTrackOf(merged({ activity }), undefined);
    expect(live.activity).toMatchObject({ lastAt: 5, calls: [] });
    expect(live.activity.open).toEqual([
      { name: "Bash", label: "npm test", startedAt: 1, signature: "" },
    ]);
  });
});

test.each([
  ["s@attic", { session: "s", machine: "attic" }],
  ["a@b@attic", { session: "a@b", machine: "attic" }],
  ["@attic", undefined],
  ["s@", undefined],
  ["s", undefined],
  ["@", undefined],
])("%s names a session of a machine: %j", (name, wanted) => {
  expect(machineOfSession(name)).toEqual(wanted);
  if (wanted) expect(relayedSession(wanted.session, wanted.machine)).toBe(name);
});

test.each([
  ["a", true],
  ["Mac-Book.2_a", true],
  ["x".repeat(63), true],
  ["x".repeat(64), false],
  ["", false],
  ["-a", false],
  ["a b", false],
  ["a@b", false],
])("%s may name a machine: %s", (name, isValid) => {
  expect(checkMachine(name) === undefined).toBe(isValid);
});
