import { describe, expect, test } from "vitest";
import { handleKey } from "../../../src/surfaces/terminal/keys/handle-key.ts";
import {
  type BoardState,
  newState,
  rowsOf,
  type ScreenName,
  type Size,
} from "../../../src/surfaces/terminal/state.ts";
import { backlog } from "./backlog.ts";
import { boardData, screenText, team, trackOf } from "./board-data.ts";

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
const PLACES: readonly ScreenName[] = ["tracks", "track", "tasks", "help", "plan"];
const HINT = /ctrl\+t (more|less|show todos|hide todos)/;
const LESS = ["less", "hide todos"];

const CASES = Object.entries(WORLDS).flatMap(([name, tracks]) =>
  PLACES.flatMap((place) =>
    [false, true].flatMap((more) => SIZES.map((size) => ({ name, tracks, place, more, size }))),
  ),
);

/** The screen without the key hints. */
const withoutHints = (text: string) => text.split("\n").slice(0, -1).join("\n");
const words = (size: Size) => `${size.columns}x${size.rows}`;

describe("ctrl+t", () => {
  test("is offered exactly where it changes the screen", () => {
    const wrong = CASES.flatMap(({ name, tracks, place, more, size }) => {
      const data = boardData(tracks, { tasks: backlog() });
      const [first] = rowsOf(data.board);
      const state: BoardState = { ...newState(more), screen: place, selected: first?.key };
      const before = screenText(data, state, size);
      const next = handleKey(state, { name: "ctrl t" }, data, size).state;
      const after = screenText(data, { ...next, message: undefined }, size);
      const offered = HINT.exec(before)?.[1];
      const hasChanged = withoutHints(before) !== withoutHints(after);
      const which = `${name}, ${place}, ${more ? "more" : "less"}, ${words(size)}`;
      // Narrow screens drop hints, so a missing hint is fine; an offered one must work.
      if (offered && !hasChanged) return [`${which}: offered, changes nothing`];
      if (!offered && hasChanged && size.columns >= 120) return [`${which}: not offered`];
      if (offered && LESS.includes(offered) !== more) return [`${which}: says ${offered}`];
      if (hasChanged !== (next.more !== more)) return [`${which}: kept ${next.more}`];
      return [];
    });
    expect(wrong).toEqual([]);
  });

  test("toggles its hint on the overview", () => {
    const data = boardData(crowd);
    const size = { columns: 120, rows: 40 };
    const hints = [false, true].map((more) => HINT.exec(screenText(data, { more }, size))?.[1]);
    expect(hints).toEqual(["show todos", "hide todos"]);
  });

  test("lists the todos of the sessions on the overview, in place of the next one", () => {
    const data = boardData(team());
    const size = { columns: 120, rows: 60 };
    const shown = (more: boolean) => screenText(data, { more }, size);
    expect(shown(false)).toContain("Next: Backfill keys for refunds before March");
    expect(shown(false)).not.toContain("Find the flaky tests");
    expect(shown(true)).not.toContain("Next:");
    expect(shown(true)).toMatch(/^▌ {4}✓ {3}Find the flaky tests/m);
    expect(shown(true)).toMatch(/^▌ {4}○ {3}Backfill keys for refunds before March/m);
    // Finished lists stay on one line.
    expect(shown(true)).not.toContain("Read it again");
  });

  test("lists at most eight todos of a session, around the current one", () => {
    const many = Array.from({ length: 30 }, (_, place) => {
      const status = place < 20 ? "completed" : place === 20 ? "in_progress" : "pending";
      return [`Part ${place}.`, status] as const;
    });
    const data = boardData([{ ...(one[0] ?? idle[0]), track: trackOf("long", many) } as never]);
    const text = screenText(data, { more: true }, { columns: 80, rows: 24 });
    const parts = [...text.matchAll(/^▌ {4}\S+ +Part (\d+)\./gm)].map(([, place]) => Number(place));
    expect(parts).toEqual([18, 19, 20, 21, 22, 23, 24]);
    expect(text).toMatch(/^▌ {4}\+23 more$/m);
  });

  test("reports that there is nothing more to show", () => {
    const finished = team().filter(({ state }) => state === "finished");
    const data = boardData(finished);
    const size = { columns: 120, rows: 40 };
    const { state, action: act } = handleKey(newState(false), { name: "ctrl t" }, data, size);
    expect({ more: state.more, act }).toEqual({ more: false, act: undefined });
    expect(screenText(data, state, size)).toContain("Nothing more to show here.");
  });
});
