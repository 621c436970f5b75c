import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../../src/core/activity/activity.ts";
import type { TrackUsage } from "../../../src/core/activity/usage.ts";
import { pricesFrom } from "../../../src/core/cost/price.ts";
import { boardOf } from "../../../src/core/views/board.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { shownOf } from "../../../src/surfaces/terminal/find/shown.ts";
import { newState, rowsOf, type Size } from "../../../src/surfaces/terminal/state.ts";
import { boardData, NOW, screenText, team, trackOf, waitingTeam } from "./board-data.ts";

const prices = pricesFrom(new Map([["known", [{ input: 1, output: 10 }]]]));
const usage: TrackUsage = {
  parts: [
    {
      at: NOW,
      model: "known",
      usage: {
        input: 2_000_000,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        reasoning: 0,
        requests: 1,
      },
    },
  ],
  texts: {},
  focus: [],
};

const idle = (number: number): MergedTrack => ({
  track: trackOf(`idle-${number}`, [["Read", "pending"]], { title: `Quiet job ${number}.` }),
  hosted: true,
  state: "idle",
  findings: [],
  updatedAt: NOW - number * 60_000,
});

/** Eight sessions that need the user or work, and some that are idle or finished; each cost two dollars. */
const crowd = [...team(), ...waitingTeam(), ...[1, 2, 3].map(idle)].map((each) =>
  each.track.agent === "main" ? { ...each, usage } : each,
);
const data = boardData(crowd, { board: boardOf(crowd, { now: NOW, prices }) });
const SIZES: readonly Size[] = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

describe.each(SIZES)("the first screen at $columns x $rows", (size) => {
  test("says who needs the user, what is stuck, what is unproven and the cost", () => {
    for (const { key } of rowsOf(data.board)) {
      const text = screenText(data, { selected: key }, size);
      const [head = ""] = text.split("\n");
      expect(head).toContain("4 need you");
      expect(head).toMatch(/2 stuck/);
      expect(text).toMatch(/1 unproven|1 finished \(unproven\)/);
      expect(text).toContain("≈$26.00");
    }
  });

  test("names every session that needs the user, or is stuck", () => {
    const text = screenText(data, {}, size);
    const titles = [
      "Prepare the rele",
      "Serve the new API",
      "Refund every pay",
      "Move checkout",
      "Fix the flaky cart tes",
      "Upgrade staging to Postg",
    ];
    for (const title of titles) expect(text).toContain(title);
  });

  test("keeps its rows in place when the selection moves", () => {
    // Folded sessions have one line, which they share.
    const { rows } = shownOf(data.board, newState(false), NOW);
    const active = rows.filter(({ group }) => group === "needs you" || group === "working");
    const layouts = active.map(({ key }) =>
      screenText(data, { selected: key }, size)
        .split("\n")
        .filter((line) => /^▌[› ]( |[a-z]{2} )[A-Z]/.test(line))
        .map((line) => line.slice(3, 24)),
    );
    for (const layout of layouts) expect(layout).toEqual(layouts[0]);
  });

  test("shows the selected session although its group is folded", () => {
    for (const { key, title } of rowsOf(data.board)) {
      const text = screenText(data, { selected: key }, size);
      const line = text.split("\n").find((each) => each.startsWith("▌›"));
      expect(line).toContain(title.slice(0, 10));
    }
  });
});

describe("a row", () => {
  const working = (todo: string, command: string): MergedTrack => ({
    track: trackOf("one", [[todo, "in_progress"]], { title: "Build it", agentType: "codex" }),
    hosted: false,
    state: "working",
    findings: [],
    updatedAt: NOW,
    activity: {
      ...emptyActivity(),
      turn: "running",
      turnStartedAt: NOW - 60_000,
      lastAt: NOW,
      open: [{ name: "Bash", label: command, startedAt: NOW - 5_000, signature: "s" }],
    },
  });
  const stateLine = (each: MergedTrack, columns: number) =>
    screenText(boardData([each]), {}, { columns, rows: 24 })
      .split("\n")
      .find((line) => line.includes("⠹")) ?? "";

  test("has the running command beside the todo, also beside a long one", () => {
    expect(stateLine(working("Migrate", "npm run migrate:test"), 80)).toMatch(
      /^▌ {2}⠹ Migrate {2}\$ npm run migrate:test {2,}2m 14s/,
    );
    const long = stateLine(working("Migrate every table ".repeat(9), "npm run migrate:test"), 80);
    expect(long).toMatch(/… {2}\$ npm run migrate:test {2,}2m 14s/);
  });

  test("has no command if another tool runs", () => {
    expect(stateLine(working("Migrate", "Bash"), 80)).not.toContain("$");
    expect(stateLine(working("Migrate", "Bash id-1"), 80)).not.toContain("$");
  });

  test("takes one line if the session is idle or finished", () => {
    const lines = screenText(boardData(team()), {}, { columns: 80, rows: 40 }).split("\n");
    const at = (title: string) => lines.findIndex((line) => line.includes(title));
    expect(lines[at("Translate the release notes")]).toMatch(/1\/2 +qw 1 open 11m$/);
    expect(lines[at("Translate the release notes") + 1]).toBe("");
    expect(lines[at("Rewrite the quick start")]).toMatch(/2\/2 +cc ✓ 1 unproven 14:20$/);
    expect(lines[at("Rewrite the quick start") + 1]).toBe("");
  });

  test("does not cut its title while other columns have space", () => {
    for (let columns = 60; columns <= 200; columns += 5) {
      const title = "A title with fourty-four characters in total";
      const long = [...team().slice(3), { ...idle(1), track: trackOf("x", [], { title }) }];
      const text = screenText(boardData(long), {}, { columns, rows: 40 });
      const line = text.split("\n").find((each) => each.includes("A title")) ?? "";
      const [left = ""] = line.split("│");
      const cut = /^▌[› ] (.*?…)/.exec(left);
      // Gaps between columns have at most the cells of the longest count and bar.
      if (cut) expect([columns, / {9}/.test(left)]).toEqual([columns, false]);
    }
  });
});

test("previews the plan that waits for a decision", () => {
  const size = { columns: 120, rows: 30 };
  const right = screenText(boardData(team()), {}, size)
    .split("\n")
    .map((line) => line.split("│")[1] ?? "")
    .join("\n");
  for (const text of ["1  Add the new kit beside the old form,", "3  Delete the old form"])
    expect(right).toContain(text);
  expect(right).toContain("a approve  r reject  enter open");
});
