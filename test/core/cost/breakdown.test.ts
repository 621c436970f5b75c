import fc from "fast-check";
import { expect, test } from "vitest";
import type { UsagePart } from "../../../src/core/activity/usage.ts";
import { addUsage, NO_USAGE } from "../../../src/core/activity/usage.ts";
import { COST_GROUPS, costBreakdown, timeSpan } from "../../../src/core/cost/breakdown.ts";
import { addCosts, costOfSum } from "../../../src/core/cost/cost.ts";
import { pricesFrom } from "../../../src/core/cost/price.ts";
import { subtree, todoCosts, trackCosts } from "../../../src/core/cost/track-costs.ts";
import { trackKey } from "../../../src/core/text/ids.ts";
import { usageOf, usedTrack } from "./tracks.ts";

const prices = pricesFrom(
  new Map([["known", [{ input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 }]]]),
);
const QUARTER = 15 * 60_000;
const NOON = Date.parse("2026-11-18T12:00:00Z");

const part = (todo: string | undefined, input: number, at = NOON, model = "known"): UsagePart => ({
  at,
  model,
  usage: usageOf({ input }),
  ...(todo !== undefined && { todo }),
});

const SESSIONS = [
  usedTrack(
    { session: "one", agentType: "claude-code", cwd: "/src/api", title: "First" },
    {
      parts: [part("2", 3_000_000), part("10", 1_000_000), part(undefined, 500_000)],
      texts: { 2: "Read", 10: "Write" },
      focus: [{ at: NOON, todo: "2" }],
    },
  ),
  usedTrack(
    { session: "one", agent: "helper", parentAgent: "main", openedAt: NOON + 1 },
    { parts: [part(undefined, 2_000_000, NOON + QUARTER)], texts: {}, focus: [] },
  ),
  usedTrack(
    { session: "two", agentType: "codex", title: "Second" },
    {
      parts: [part("1", 7_000_000, NOON - 86_400_000, "other")],
      texts: { 1: "Try" },
      focus: [],
    },
  ),
];

const shown = (by: (typeof COST_GROUPS)[number], since?: number) => {
  const { rows, unattributed, total, unpricedModels } = costBreakdown(SESSIONS, {
    by,
    prices,
    since,
    timeZone: "UTC",
  });
  return {
    rows: rows.map(({ sum, ...names }) => [...Object.values(names), costOfSum(sum).cost]),
    unattributed: costOfSum(unattributed).cost,
    total: costOfSum(total),
    unpricedModels,
  };
};

test("attributes usage to todos, that of subagents to the todo of their parent", () => {
  expect(shown("todo")).toEqual({
    rows: [
      ["one", "2", "Read", "claude-code", 5],
      ["one", "10", "Write", "claude-code", 1],
      ["two", "1", "Try", "codex", null],
    ],
    unattributed: 0.5,
    total: { cost: 6.5, unpriced: 7_000_000 },
    unpricedModels: ["other"],
  });
});

test("breaks down by session, agent, project and day", () => {
  expect(shown("session").rows).toEqual([
    ["one", "First", "claude-code", "/src/api", 6.5],
    ["two", "Second", "codex", null],
  ]);
  expect(shown("agent").rows).toEqual([
    ["claude-code", 6.5],
    ["codex", null],
  ]);
  expect(shown("project")).toMatchObject({ rows: [["/src/api", 6.5]], unattributed: null });
  expect(shown("day").rows).toEqual([
    ["2026-11-17", null],
    ["2026-11-18", 6.5],
  ]);
});

test("counts from a time on, to the quarter of an hour", () => {
  expect(shown("session", NOON).total.cost).toBe(6.5);
  expect(shown("session", NOON + QUARTER - 1).total.cost).toBe(6.5);
  expect(shown("session", NOON + QUARTER).total.cost).toBe(2);
  expect(shown("session", NOON + 2 * QUARTER)).toMatchObject({ rows: [], total: { cost: 0 } });
});

test("rows and unattributed add up to the total, for every group", () => {
  const count = fc.nat(9_999_999);
  const parts = fc.array(
    fc.record(
      {
        at: fc.integer({ min: 0, max: 100 }).map((index) => index * QUARTER * 50),
        todo: fc.constantFrom("1", "2", "12"),
        model: fc.constantFrom("known", "other"),
        usage: fc.record({
          input: count,
          output: count,
          cacheRead: count,
          cacheWrite: count,
          reasoning: count,
          requests: count,
        }),
      },
      { requiredKeys: ["at", "usage"] },
    ),
  );
  const track = fc
    .record(
      {
        session: fc.constantFrom("a", "b", "c"),
        agent: fc.constantFrom("main", "x", "y"),
        parentAgent: fc.constantFrom("main", "x", "y", "gone"),
        agentType: fc.constantFrom("codex", "claude-code"),
        cwd: fc.constantFrom("/p", "/q"),
        openedAt: fc.nat(QUARTER * 5000),
      },
      { requiredKeys: ["session", "agent"] },
    )
    .chain((each) =>
      fc
        .record({ parts, focus: fc.constant([{ at: QUARTER * 100, todo: "2" }]) })
        .map((usage) => usedTrack(each, { ...usage, texts: { 1: "One", 2: "Two" } })),
    );
  const tracks = fc.uniqueArray(track, {
    selector: ({ track: { session, agent } }) => session + agent,
  });
  fc.assert(
    fc.property(tracks, fc.constantFrom(...COST_GROUPS), (all, by) => {
      const { rows, unattributed, total } = costBreakdown(all, { by, prices, timeZone: "UTC" });
      expect(rows.reduce((sum, row) => addCosts(sum, row.sum), unattributed)).toEqual(total);
      const every = all.flatMap(({ usage }) => usage?.parts ?? []);
      expect(total.usage).toEqual(every.reduce((sum, each) => addUsage(sum, each.usage), NO_USAGE));
      const costs = [...trackCosts(all, prices).values()].map(({ own }) => own.nanos);
      expect(costs.reduce((sum, nanos) => sum + nanos, 0)).toBe(total.nanos);
    }),
  );
});

test("sums the subagents of a track", () => {
  const costs = trackCosts(SESSIONS, prices);
  const costOf = (agent: string) => {
    const cost = costs.get(trackKey({ session: "one", agent }));
    return [cost?.own.nanos, cost?.withSubagents.nanos].map((nanos = 0) => nanos / 1e9);
  };
  expect(costOf("main")).toEqual([4.5, 6.5]);
  expect(costOf("helper")).toEqual([2, 2]);
  const [main] = SESSIONS;
  const family = SESSIONS.filter(({ track }) => track.session === "one");
  if (!main) throw new Error("no track");
  expect(subtree(main, family)).toHaveLength(2);
  const todos = todoCosts("main", family, prices);
  expect([...todos].map(([id, { nanos }]) => [id, nanos / 1e9])).toEqual([
    ["2", 5],
    ["10", 1],
  ]);
});

test("a session is named after its main agent, or else the one without a parent", () => {
  const used = { parts: [part(undefined, 1)], texts: {}, focus: [] };
  const child = usedTrack(
    { session: "s", agent: "child", parentAgent: "top", title: "Child" },
    used,
  );
  const top = usedTrack({ session: "s", agent: "top", title: "Top" }, used);
  const main = usedTrack({ session: "s", agent: "main", title: "Main" }, used);
  const titleOf = (...tracks: (typeof main)[]) =>
    costBreakdown(tracks, { by: "session", prices }).rows.map(({ text }) => text);
  expect(titleOf(child, top)).toEqual(["Top"]);
  expect(titleOf(child, top, main)).toEqual(["Main"]);
  expect(titleOf(child)).toEqual(["Child"]);
});

test("a subtree has the subagents below a track, and ends with parents in a circle", () => {
  const of = (agent: string, parentAgent?: string) =>
    usedTrack({ session: "s", agent, ...(parentAgent !== undefined && { parentAgent }) });
  const [main, a, b, c] = [of("main"), of("a", "main"), of("b", "a"), of("c", "main")];
  const agents = (tracks: readonly (typeof main)[]) => tracks.map(({ track }) => track.agent);
  expect(agents(subtree(a, [main, a, b, c]))).toEqual(["a", "b"]);
  expect(agents(subtree(main, [main, a, b, c]))).toEqual(["main", "a", "b", "c"]);
  const [x, y] = [of("x", "y"), of("y", "x")];
  expect(agents(subtree(c, [c, x, y]))).toEqual(["c"]);
  expect(trackCosts([x, y], prices).size).toBe(0);
});

test("todos of a list with other ids follow those with numbers", () => {
  const used = {
    parts: [part("transcript-1", 1), part("10", 1), part("9", 1)],
    texts: { 9: "Nine", 10: "Ten", "transcript-1": "Other" },
    focus: [],
  };
  const { rows } = costBreakdown([usedTrack({ session: "s" }, used)], { by: "todo", prices });
  expect(rows.map(({ text }) => text)).toEqual(["Nine", "Ten", "Other"]);
});

test("the time of some tracks is from the first that was opened to the last activity", () => {
  const track = (openedAt: number, updatedAt: number) => {
    const used = usedTrack({ session: "s", openedAt }, undefined);
    return { ...used, updatedAt };
  };
  expect(timeSpan([])).toEqual({ from: 0, until: 0 });
  expect(timeSpan([track(0, 5)])).toEqual({ from: 0, until: 5 });
  expect(timeSpan([track(7, 9), track(0, 20), track(3, 8)])).toEqual({ from: 3, until: 20 });
});
