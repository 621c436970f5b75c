import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionSummary } from "../../src/core/views/summary.ts";
import * as measure from "../../src/surfaces/text/draw/width.ts";
import {
  type StatusLineOptions,
  statusLine,
  tmuxLine,
} from "../../src/surfaces/text/statusline.ts";
import { CODE_POINT } from "../code-point.ts";

const NOW = 1_800_000_000_200;
const MINUTE = 60_000;

const options = (more: Partial<StatusLineOptions> = {}): StatusLineOptions => ({
  now: NOW,
  width: 80,
  color: false,
  unicode: true,
  measure,
  session: "s",
  ...more,
});

const working: SessionSummary = {
  session: "s",
  agent: "main",
  agentType: "claude-code",
  title: "refunds",
  updatedAt: NOW,
  todos: "vvvvvrunoooo",
  finished: false,
  now: { text: "Adding the unique key on refunds", since: NOW - 2 * MINUTE - 5_000 },
  next: "Backfill keys of the last year",
  turn: "running",
  heardAt: NOW,
};
const elsewhere: SessionSummary = { ...working, session: "t", agentType: "codex", asks: true };

describe("the status line", () => {
  test("shows bar, count, current todo, elapsed time and next todo", () => {
    expect(statusLine([working], options())).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12 ⠹ Adding the unique key on refunds 2m · next Backfill keys…",
    );
    expect(statusLine([working], options({ unicode: false }))).toBe(
      "| [#####==>....] 7/12 Adding the unique key on refunds 2m, next Backfill keys...",
    );
  });

  test("turns the spinner with time", () => {
    const frames = [0, 100, 200].map(
      (later) => statusLine([working], options({ now: NOW + later }))[20],
    );
    expect(new Set(frames).size).toBe(3);
  });

  test("shows a request of another session", () => {
    expect(statusLine([working, elsewhere], options())).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12 Adding the unique key on refunds 2m ·  ◆ Codex: plan",
    );
    expect(statusLine([working, elsewhere], options({ width: 50 }))).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12 Adding the… ·  ◆ Codex: plan",
    );
  });

  test("shows the session's own plan request", () => {
    expect(statusLine([{ ...working, asks: true }], options())).toBe("▌ ▮▮▮▮▮▯▯▸···· 7/12  ◆ plan");
  });

  test("shows loops and stalls with the call", () => {
    const loop = { label: "npm test -- cart", count: 6 };
    expect(statusLine([{ ...working, todos: "vunooo", loop }], options())).toBe(
      "▌ ▮▯▸··· 2/6 ↻ looping npm test -- cart ×6",
    );
    const silent = {
      ...working,
      todos: "vvunoooo",
      heardAt: NOW - 6 * MINUTE,
      inside: "terraform apply",
    };
    expect(statusLine([silent], options())).toBe("▌ ▮▮▯▸···· 3/8 ◌ stalled 6m terraform apply");
    expect(statusLine([{ ...silent, turn: "ended" }], options())).toContain(
      "Adding the unique key",
    );
  });

  test("shows the evidence of a finished list, also in the format of older versions", () => {
    const finished = { ...working, finished: true, turn: "ended" as const };
    const line = (todos: string) => statusLine([{ ...finished, todos }], options());
    expect(line("vvvvvvru")).toBe("▌ ▮▮▮▮▮▮▯▯ 8/8 finished · 1 reported · 1 unverified");
    expect(line("vvvvvvvvu")).toBe("▌ ▮▮▮▮▮▮▮▮▯ 9/9 finished · 1 unverified");
    expect(line("vvvvvvvvc")).toBe("▌ ▮▮▮▮▮▮▮▮▯ 9/9 finished · 1 unverified");
    expect(line("rrr")).toBe("▌ ▯▯▯ 3/3 finished · nothing verified");
    expect(line("vvv")).toBe("▌ ▮▮▮ 3/3 finished");
    expect(line("ccc")).toBe("▌ ▯▯▯ 3/3 finished · nothing verified");
  });

  test("reports missing lists and sessions", () => {
    expect(statusLine([{ ...working, todos: "" }], options())).toBe("▌ no todos yet");
    expect(statusLine([working], options({ session: "other" }))).toBe("▌ no todos yet");
    expect(statusLine([], options({ session: undefined }))).toBe("▌ no todos yet");
    expect(statusLine([working], options({ session: undefined }))).toContain("7/12");
  });

  test("uses the colors of the agent and of the state", () => {
    const line = statusLine([{ ...working, todos: "vrno" }], options({ color: true, width: 24 }));
    expect(line).toBe(
      "\u001b[38;5;173m▌\u001b[0m \u001b[38;5;78m▮\u001b[0m\u001b[38;5;247m▯\u001b[0m\u001b[38;5;173m▸\u001b[0m\u001b[38;5;240m·\u001b[0m 2/4 \u001b[38;5;173m⠹\u001b[0m Adding the…",
    );
  });

  test("draws many todos as proportional runs", () => {
    const todos = `${"v".repeat(150)}${"u".repeat(49)}n${"o".repeat(100)}`;
    const line = statusLine([{ ...working, todos }], options());
    expect(line.split(" ")[1]).toBe("▮▮▮▮▮▮▮▮▮▮▮▮▯▯▯▸········");
    expect(line).toContain(" 199/300 ");
  });
});

describe("tmux", () => {
  test("counts working, stuck and waiting sessions, and shows the newest list", () => {
    const loop = { label: "x", count: 10 };
    const all: readonly SessionSummary[] = [
      working,
      { ...working, session: "b", loop },
      { ...working, session: "c", heardAt: NOW - 2 * MINUTE },
      { ...working, session: "d" },
      { ...elsewhere, session: "e" },
    ];
    expect(tmuxLine(all, options({ width: 30 }))).toBe("wm 4▸ 2! ◆1 refunds 7/12");
    expect(tmuxLine(all, options({ width: 30, unicode: false }))).toBe("wm 4> 2! *1 refunds 7/12");
    expect(tmuxLine(all, options({ width: 30, color: true }))).toBe(
      "wm 4#[fg=colour247]▸#[default]#[fg=colour210] 2!#[default]#[fg=colour111] ◆1#[default]#[fg=colour247] refunds 7/12#[default]",
    );
    expect(tmuxLine(all, options({ width: 14 }))).toBe("wm 4▸ 2! ◆1 r…");
    expect(tmuxLine([], options())).toBe("wm");
  });

  test("escapes tmux formats in titles", () => {
    const title = "#(rm -rf /) #[fg=red]";
    expect(tmuxLine([{ ...working, title }], options())).toBe("wm 1▸ ##(rm -rf /) ##[fg=red] 7/12");
  });
});

test("prints one line that fits, without control characters, for any text", () => {
  const texts = fc.string({ unit: CODE_POINT, maxLength: 60 });
  const glance: fc.Arbitrary<SessionSummary> = fc.record({
    session: fc.constantFrom("s", "t"),
    agent: fc.constantFrom("main", "sub"),
    agentType: fc.oneof(fc.constant("codex"), texts),
    title: texts,
    cwd: texts,
    updatedAt: fc.constant(NOW),
    todos: fc
      .array(fc.constantFrom("v", "r", "u", "c", "n", "o"), { maxLength: 60 })
      .map((all) => all.sort().join("")),
    finished: fc.boolean(),
    now: fc.record({ text: texts, since: fc.integer() }),
    next: texts,
    turn: fc.constantFrom("none" as const, "running" as const, "ended" as const),
    heardAt: fc.integer({ min: 0, max: NOW * 2 }),
    inside: texts,
    loop: fc.record({ label: texts, count: fc.nat() }),
  });
  fc.assert(
    fc.property(
      fc.array(glance, { maxLength: 5 }),
      fc.integer({ min: 1, max: 120 }),
      fc.boolean(),
      (all, width, unicode) => {
        for (const line of [
          statusLine(all, options({ width, unicode })),
          tmuxLine(all, options({ width, unicode })),
        ]) {
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
          expect(measure.cells(line.replaceAll("##", "#"))).toBeLessThanOrEqual(width);
        }
      },
    ),
    { numRuns: 500 },
  );
});
