import { expect, test } from "vitest";
import { pricesFrom } from "../../../src/core/cost/price.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { sessionFamilies } from "../../../src/surfaces/metrics/sessions.ts";
import { metricsText } from "../../../src/surfaces/metrics/text-format.ts";
import { usageOf } from "../../core/cost/tracks.ts";
import { todo, trackOf } from "../../core/track-of.ts";
import { parseMetrics, valueIn } from "./parse.ts";

const merged = (
  { session, agent = "main", agentType }: { session: string; agent?: string; agentType?: string },
  rest: Partial<MergedTrack> = {},
): MergedTrack => ({
  track: trackOf(
    [
      todo("1", { status: "completed", check: { command: "npm test", exitCode: 0, at: 1 } }),
      todo("2", { status: "completed" }),
      todo("3"),
    ],
    {},
    { session, agent, ...(agentType !== undefined && { agentType }) },
  ),
  hosted: false,
  state: "working",
  findings: [],
  updatedAt: 1,
  ...rest,
});
const prices = pricesFrom(new Map([["priced", [{ input: 2, output: 10 }]]]));
const metrics = (tracks: readonly MergedTrack[]) =>
  parseMetrics(`${metricsText(sessionFamilies(tracks, prices))}\n`);

test("counts sessions by their main agent, and todos and findings of all agents", () => {
  const stalled = {
    kind: "stalled",
    level: "warning",
    label: "x",
    count: 1,
    message: "x",
  } as const;
  const found = metrics([
    merged({ session: "a", agentType: "codex" }, { state: "stalled", findings: [stalled] }),
    merged({ session: "a", agent: "sub", agentType: "codex" }),
    merged({ session: "b" }),
  ]);
  expect(valueIn(found, "waymark_sessions", { agent: "codex", state: "stalled" })).toBe(1);
  expect(valueIn(found, "waymark_sessions", { agent: "codex", state: "working" })).toBe(0);
  expect(valueIn(found, "waymark_sessions", { agent: "unknown", state: "working" })).toBe(1);
  expect(
    valueIn(found, "waymark_findings", { agent: "codex", kind: "stalled", level: "warning" }),
  ).toBe(1);
  expect(valueIn(found, "waymark_todos", { agent: "codex", status: "completed" })).toBe(4);
  expect(valueIn(found, "waymark_todos", { agent: "codex", status: "pending" })).toBe(2);
  expect(valueIn(found, "waymark_todos_completed", { agent: "codex", evidence: "verified" })).toBe(
    2,
  );
  expect(
    valueIn(found, "waymark_todos_completed", { agent: "codex", evidence: "unverified" }),
  ).toBe(2);
});

test("adds up tokens and cost by model, with what has no price beside them", () => {
  const used = (model: string): Pick<MergedTrack, "usage"> => ({
    usage: {
      parts: [
        { at: 0, model, usage: usageOf({ input: 1_000_000, output: 100_000, cacheRead: 7 }) },
      ],
      texts: {},
      focus: [],
    },
  });
  const found = metrics([
    merged({ session: "a", agentType: "codex" }, used("priced")),
    merged({ session: "b", agentType: "codex" }, used("priced")),
    merged({ session: "c", agentType: "codex" }, used("strange")),
  ]);
  const labels = { agent: "codex", model: "priced" };
  expect(valueIn(found, "waymark_tokens", { ...labels, type: "input" })).toBe(2_000_000);
  expect(valueIn(found, "waymark_tokens", { ...labels, type: "cache_read" })).toBe(14);
  expect(valueIn(found, "waymark_cost_dollars", labels)).toBe(6);
  expect(valueIn(found, "waymark_tokens_unpriced", labels)).toBe(14);
  const strange = { agent: "codex", model: "strange" };
  expect(valueIn(found, "waymark_cost_dollars", strange)).toBe(0);
  expect(valueIn(found, "waymark_tokens_unpriced", strange)).toBe(1_100_007);
});

test("leaves out other machines, and archived sessions where they do not cost", () => {
  const usage = {
    parts: [{ at: 0, model: "priced", usage: usageOf({ input: 5 }) }],
    texts: {},
    focus: [],
  };
  const found = metrics([
    merged({ session: "far" }, { machine: "build", usage }),
    merged({ session: "old" }, { archived: { at: 1 } as never, usage }),
  ]);
  expect(found.has("waymark_sessions")).toBe(false);
  expect(found.has("waymark_todos")).toBe(false);
  expect(valueIn(found, "waymark_sessions_archived")).toBe(1);
  expect(
    valueIn(found, "waymark_tokens", { agent: "unknown", model: "priced", type: "input" }),
  ).toBe(5);
});
