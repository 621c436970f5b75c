import { describe, expect, test } from "vitest";
import type { TrackUsage, UsagePart } from "../../../src/core/activity/usage.ts";
import { pricesFrom } from "../../../src/core/cost/price.ts";
import { boardOf } from "../../../src/core/views/board.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import type { Size } from "../../../src/surfaces/terminal/state.ts";
import { cells } from "../../../src/surfaces/text/draw/width.ts";
import { boardData, keyOf, NOW, screenText, team } from "./board-data.ts";

const prices = pricesFrom(new Map([["known", [{ input: 1, output: 10 }]]]));

const part = (input: number, todo?: string, model = "known"): UsagePart => ({
  at: NOW,
  model,
  ...(todo !== undefined && { todo }),
  usage: { input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, requests: 1 },
});

const USAGE: Readonly<Record<string, readonly UsagePart[]>> = {
  refunds: [part(180_000, "1"), part(410_000, "2"), part(1_020_000, "4"), part(210_000)],
  a1: [part(2_020_000)],
  cart: [part(4_100_000, "1"), part(12_345, "1", "other")],
  staging: [part(2_310_000, "2")],
  notes: [part(311_000, "1", "other")],
};

/** Sessions with costs, with tokens of unknown price, and without usage. */
function spending(): readonly MergedTrack[] {
  return team().map((each) => {
    const { session, agent } = each.track;
    const parts = USAGE[agent === "main" ? session : agent];
    const usage: TrackUsage = { parts: parts ?? [], texts: {}, focus: [{ at: 0, todo: "4" }] };
    return parts ? { ...each, usage } : each;
  });
}

const data = { ...boardData(team()), board: boardOf(spending(), { now: NOW, prices }) };
const refunds = keyOf(data, "refunds");
const SIZES: readonly Size[] = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

describe.each(SIZES)("costs at $columns x $rows", (size) => {
  const fits = (text: string) =>
    expect(text.split("\n").filter((line) => cells(line) > size.columns)).toEqual([]);

  test("are a column of the overview, and their sum is in the header", async () => {
    const text = screenText(data, { selected: refunds }, size);
    fits(text);
    await expect(`${text}\n`).toMatchFileSnapshot(
      `goldens/cost-overview-${size.columns}x${size.rows}.txt`,
    );
  });

  test("are a column of the todos", async () => {
    const text = screenText(data, { screen: "track", selected: refunds }, size);
    fits(text);
    await expect(`${text}\n`).toMatchFileSnapshot(
      `goldens/cost-track-${size.columns}x${size.rows}.txt`,
    );
  });
});

test("counts subagents toward their parent, and says which cost is incomplete", () => {
  const [head = "", ...rows] = screenText(data, {}, { columns: 120, rows: 40 }).split("\n");
  expect(head).toContain("≈$10.25+");
  const rowOf = (title: string) => rows.find((line) => line.includes(title)) ?? "";
  expect(rowOf("Make refunds")).toContain("≈$3.84 ");
  expect(rowOf("Fix the flaky")).toContain("≈$4.10+");
  expect(rowOf("Translate")).toContain("311k tok");
  expect(rowOf("Rewrite the quick")).not.toContain("$");
});

test("draws ASCII", () => {
  const text = screenText(data, {}, { columns: 80, rows: 24 }, { unicode: false });
  expect(text).toContain("~$3.84");
  expect(text).not.toContain("≈");
});

test("shows no costs without prices", () => {
  const plain = { ...data, board: boardOf(spending(), { now: NOW }) };
  expect(screenText(plain, {}, { columns: 120, rows: 40 })).not.toContain("$3");
});
