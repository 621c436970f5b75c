import { describe, expect, test } from "vitest";
import { press } from "../../../src/surfaces/terminal/keys/press.ts";
import {
  type BoardState,
  newState,
  type Place,
  rowsOf,
  type Size,
} from "../../../src/surfaces/terminal/state.ts";
import { backlog } from "./backlog.ts";
import { shot, team, trackOf, worldOf } from "./world.ts";

const crowd = Array.from({ length: 9 }, (_, place) =>
  team().map((each) => ({
    ...each,
    track: { ...each.track, session: `${each.track.session}-${place}` },
  })),
).flat();
const one = team().slice(2, 3);
const idle = [
  {
    track: trackOf("quiet", [["Read", "pending"]]),
    hosted: true,
    state: "idle" as const,
    findings: [],
    updatedAt: 0,
  },
];
const WORLDS = { crowd, team: team(), "one agent": one, "one idle": idle, empty: [] };
const SIZES: readonly Size[] = [
  { columns: 40, rows: 10 },
  { columns: 60, rows: 16 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
];
const PLACES: readonly Place[] = ["tracks", "track", "tasks", "help", "plan"];
const HINT = /ctrl\+t (more|less)/;

const CASES = Object.entries(WORLDS).flatMap(([name, tracks]) =>
  PLACES.flatMap((place) =>
    [false, true].flatMap((more) => SIZES.map((size) => ({ name, tracks, place, more, size }))),
  ),
);

/** The screen without its last line, which names the keys. */
const withoutHints = (text: string) => text.split("\n").slice(0, -1).join("\n");
const words = (size: Size) => `${size.columns}x${size.rows}`;

describe("ctrl+t", () => {
  test("changes what the screen shows wherever it is offered, and is offered only there", () => {
    const wrong = CASES.flatMap(({ name, tracks, place, more, size }) => {
      const world = worldOf(tracks, { tasks: backlog() });
      const [first] = rowsOf(world.board);
      const state: BoardState = { ...newState(more), place, selected: first?.key };
      const before = shot(world, state, size);
      const next = press(state, { name: "ctrl t" }, world, size).state;
      const after = shot(world, { ...next, said: undefined }, size);
      const offered = HINT.exec(before)?.[1];
      const hasChanged = withoutHints(before) !== withoutHints(after);
      const which = `${name}, ${place}, ${more ? "more" : "less"}, ${words(size)}`;
      // On a narrow screen hints leave from the right; what is offered must hold, not the reverse.
      if (offered && !hasChanged) return [`${which}: offered, changes nothing`];
      if (!offered && hasChanged && size.columns >= 120) return [`${which}: not offered`];
      if (offered && offered !== (more ? "less" : "more")) return [`${which}: says ${offered}`];
      if (hasChanged !== (next.more !== more)) return [`${which}: kept ${next.more}`];
      return [];
    });
    expect(wrong).toEqual([]);
  });

  test("flips its hint on the overview", () => {
    const world = worldOf(crowd);
    const size = { columns: 120, rows: 40 };
    const hints = [false, true].map((more) => HINT.exec(shot(world, { more }, size))?.[1]);
    expect(hints).toEqual(["more", "less"]);
  });

  test("says so where there is no more or less to show", () => {
    const world = worldOf(idle);
    const size = { columns: 120, rows: 40 };
    const { state, act } = press(newState(false), { name: "ctrl t" }, world, size);
    expect({ more: state.more, act }).toEqual({ more: false, act: undefined });
    expect(shot(world, state, size)).toContain("There is no more or less to show here.");
  });
});
