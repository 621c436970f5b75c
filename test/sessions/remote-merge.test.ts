import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { diff } from "../../src/core/list/diff.ts";
import type { Status, Track } from "../../src/core/model.ts";
import type { LiveTrack } from "../../src/core/stream/fold.ts";
import { newUpdates } from "../../src/sessions/remote/machines.ts";
import { mergeRelayed } from "../../src/sessions/remote/merge.ts";
import type { RelayedTrack } from "../../src/sessions/remote/received.ts";

const NOW = 1_800_000_000_000;

const listOf = (status: Status | undefined, updatedAt: number): Track => ({
  ...emptyTrack({ session: "s", agent: "main" }),
  agentType: "codex",
  version: status ? 1 : 0,
  updatedAt,
  todos: status ? [{ id: "1", text: "Ship", status, createdAt: 1, movedBy: "agent" as const }] : [],
});
const received = (machine: string, more: Partial<LiveTrack> = {}): RelayedTrack => {
  const live: LiveTrack = {
    session: "s",
    agent: "main",
    agentType: "codex",
    track: listOf("in_progress", NOW - 5),
    activity: emptyActivity(),
    ended: false,
    compactions: 0,
    skipped: {},
    ...more,
  };
  return { live, updatedAt: NOW - 5, machine, row: 1, hash: "h" };
};
const active = { ...emptyActivity(), turn: "running" as const, lastAt: NOW - 5 };

describe("tracks of other machines", () => {
  const shown = (arrived: readonly RelayedTrack[]) =>
    mergeRelayed(arrived, NOW).map(({ track, state, machine, hosted, relayed, plan }) => ({
      session: track.session,
      state,
      machine,
      hosted,
      row: arrived.indexOf(relayed),
      plan,
    }));

  test("have the names of their machines, and are merged by machine", () => {
    const arrived = [
      received("desk", { activity: active }),
      received("lap", { activity: active }),
      received("desk", {
        activity: active,
        agent: "a",
        track: { ...listOf("pending", 1), agent: "a" },
      }),
    ];
    const other = { machine: "desk", hosted: false, plan: undefined };
    expect(shown(arrived)).toEqual([
      { ...other, session: "s@desk", state: "working", row: 0 },
      { ...other, session: "s@desk", state: "working", row: 2 },
      { ...other, session: "s@lap", state: "working", row: 1, machine: "lap" },
    ]);
    expect(shown([])).toEqual([]);
  });

  test("without activity have the state of their list, and their plan", () => {
    const plan = { text: "p" } as unknown as NonNullable<LiveTrack["plan"]>;
    const state = (more: Partial<LiveTrack>) => shown([received("desk", more)])[0];
    expect(state({ plan })).toMatchObject({ state: "working", plan, row: 0 });
    expect(state({ ended: true })?.state).toBe("ended");
    expect(state({ ended: true, track: listOf("completed", NOW - 5) })?.state).toBe("finished");
  });
});

describe("updates of other machines", () => {
  test("are the changes of lists since the read before", () => {
    const updates = newUpdates();
    const one = received("desk");
    expect(updates([one])).toEqual([]);
    expect(updates([one])).toEqual([]);
    const done = received("desk", { track: listOf("completed", NOW) });
    const id = { session: "s@desk", agent: "main" };
    const before = { ...one.live.track, ...id };
    const after = { ...done.live.track, ...id };
    expect(updates([done])).toStrictEqual([
      { id, change: { at: NOW, changes: diff(before, after) }, before, after },
    ]);
    // A track that was not there before.
    const other = { ...received("lap").live.track, session: "s@lap" };
    const none = emptyTrack({ session: "s@lap", agent: "main" });
    expect(updates([done, received("lap")])).toMatchObject([
      {
        id: { session: "s@lap", agent: "main" },
        change: { changes: diff(none, other) },
        after: other,
      },
    ]);
  });
});
