import { expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import type { Finding } from "../../src/core/activity/detect.ts";
import { type Mute, mutedKinds, seenFindings, withMutes } from "../../src/core/activity/mute.ts";
import type { SessionState } from "../../src/core/activity/session-state.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { alarmText, countStates } from "../../src/core/views/board.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { newNotifications } from "../../src/core/views/notification.ts";
import { summaryOf, summaryState } from "../../src/core/views/summary.ts";

const NOW = 10_000_000;
const loop: Finding = {
  kind: "generic_repeat",
  level: "critical",
  label: "npm test",
  count: 20,
  message: "npm test, 20 times, same result",
};
const stall: Finding = { ...loop, kind: "stalled", level: "warning", message: "no output for 6m" };

function session(state: SessionState, findings: readonly Finding[], more = {}): MergedTrack {
  const activity = { ...emptyActivity(), turn: "running" as const, turnStartedAt: 5, lastAt: 100 };
  const track = { ...emptyTrack({ session: "s", agent: "main" }), openedAt: 1, updatedAt: NOW };
  return {
    track,
    hosted: true,
    state,
    findings,
    updatedAt: NOW,
    activity: { ...activity, ...more },
  };
}

/** A mute as the user makes it. */
function muteOf(merged: MergedTrack, kind: Mute["kind"], end: "change" | "session" | number): Mute {
  const seen = seenFindings([merged]).get(kind);
  return {
    session: "s",
    kind,
    at: NOW,
    ...(typeof end === "number" && { until: end }),
    ...(end === "change" && seen && { seen }),
  };
}

test("takes muted findings out of counts, headline and notifications", () => {
  const looping = session("looping", [loop]);
  expect(alarmText(countStates([looping], NOW))).toBe("1 stuck");
  expect(newNotifications(() => 0)([looping]).map(({ kind }) => kind)).toEqual(["looping"]);
  const muted = withMutes([looping], [muteOf(looping, "looping", "session")], NOW);
  expect(alarmText(countStates(muted, NOW))).toBe("");
  expect(newNotifications(() => 0)(muted)).toEqual([]);
  expect(muted[0]).toMatchObject({
    state: "working",
    findings: [],
    muted: [{ kind: "looping", message: loop.message }],
  });
});

test("ends a mute at its time, or when the finding changes", () => {
  const looping = session("looping", [loop]);
  const hour = muteOf(looping, "looping", NOW + 1);
  expect(withMutes([looping], [hour], NOW)[0]?.state).toBe("working");
  expect(withMutes([looping], [hour], NOW + 1)[0]?.state).toBe("looping");

  const change = muteOf(looping, "looping", "change");
  const more = session("looping", [{ ...loop, count: 30 }]);
  expect(withMutes([more], [change], NOW)[0]?.state).toBe("working");
  const other = session("looping", [{ ...loop, label: "npm run lint" }]);
  expect(withMutes([other], [change], NOW)[0]?.state).toBe("looping");
  const again = session("looping", [loop], { turnStartedAt: 6 });
  expect(withMutes([again], [change], NOW)[0]?.state).toBe("looping");

  const stalled = session("stalled", [stall]);
  const quiet = muteOf(stalled, "stalled", "change");
  expect(withMutes([stalled], [quiet], NOW)[0]?.state).toBe("working");
  expect(withMutes([session("stalled", [stall], { lastAt: 101 })], [quiet], NOW)[0]?.state).toBe(
    "stalled",
  );
});

test("keeps other findings and other sessions", () => {
  const both = session("stalled", [loop, stall]);
  const [first] = withMutes([both], [muteOf(both, "stalled", "session")], NOW);
  expect(first).toMatchObject({ state: "looping", findings: [loop] });
  // A muted finding can be muted for longer.
  expect(seenFindings(first ? [first] : []).get("stalled")).toEqual({ main: "100" });
  const elsewhere = { ...muteOf(both, "stalled", "session"), session: "other" };
  expect(withMutes([both], [elsewhere], NOW)[0]).toBe(both);
  const needs = session("needs_you", [loop]);
  expect(withMutes([needs], [muteOf(needs, "looping", "session")], NOW)[0]?.state).toBe(
    "needs_you",
  );
});

test("mutes the loop of a summary as long as it is the same", () => {
  const merged = session("looping", [loop], { loop });
  const mute: Mute = {
    session: "s",
    kind: "looping",
    at: 200,
    seen: seenFindings([merged]).get("looping") ?? {},
  };
  const stateWith = (activity: object, agentAt: number) => {
    const summary = summaryOf({
      ...merged.track,
      agentAt,
      activity: { ...emptyActivity(), turn: "running", lastAt: agentAt, ...activity },
    });
    const noticed = { agent: "main", heardAt: summary.heardAt, loop: summary.loop?.key };
    return summaryState({ ...summary, muted: mutedKinds([mute], noticed, NOW) }, NOW);
  };
  const recent = NOW - 1_000;
  // The agent continues with more of the same.
  expect(stateWith({ turnStartedAt: 5, loop: { ...loop, count: 21 } }, recent)).toBe("working");
  expect(stateWith({ turnStartedAt: 6, loop }, recent)).toBe("looping");
  expect(stateWith({ turnStartedAt: 5, loop: { ...loop, label: "ls" } }, recent)).toBe("looping");
  // A loop stays visible behind a muted stall.
  const behind = {
    ...summaryOf({ ...merged.track, activity: merged.activity ?? emptyActivity() }),
    heardAt: recent,
  };
  const late = recent + 10 * 60_000;
  expect(summaryState(behind, late)).toBe("stalled");
  expect(summaryState({ ...behind, muted: new Set(["stalled"]) }, late)).toBe("looping");
});
