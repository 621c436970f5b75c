import { describe, expect, test } from "vitest";
import { trackRow } from "../../src/cli/print/track-form.ts";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Track } from "../../src/core/model.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { renderTracks } from "../../src/surfaces/text/index.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 2, 12, 14, 32);

function trackAt(at: number, more: Partial<Track> = {}): Track {
  const todo = { id: "1", text: "Write", createdAt: at, startedAt: at, movedBy: "agent" } as const;
  return {
    ...emptyTrack({ session: "s", agent: "main" }),
    version: 1,
    todos: [{ ...todo, status: "in_progress" }],
    openedAt: at,
    updatedAt: at,
    ...more,
  };
}

function stateOf(track: Track) {
  const [joined] = mergeTracks([track], [], NOW);
  if (!joined) throw new Error("no track");
  const look = { now: NOW, width: 80, color: false, unicode: true };
  const table = renderTracks([trackRow(joined, "s", NOW)], look);
  return [joined.state, table.split("\n")[1]?.replace(/^.*0\/1 +/, "")];
}

describe("the table and JSON agree on a todo in progress", () => {
  test("of a list without activity", () => {
    expect(stateOf(trackAt(NOW - 5 * MINUTE))).toEqual(["working", "▸ 5m 0s"]);
    expect(stateOf(trackAt(NOW - 40 * MINUTE))).toEqual(["idle", "idle 40m"]);
  });

  test("of an agent with hooks", () => {
    const withHook = (turn: "running" | "completed", lastAt: number) =>
      stateOf(trackAt(NOW - 50 * MINUTE, { activity: { ...emptyActivity(), turn, lastAt } }));
    expect(withHook("running", NOW - MINUTE / 4)).toEqual(["working", "▸ 50m 0s"]);
    expect(withHook("running", NOW - 20 * MINUTE)).toEqual(["stalled", "◌ stalled 20m"]);
    expect(withHook("completed", NOW - 20 * MINUTE)).toEqual(["idle", "idle 20m"]);
  });
});
