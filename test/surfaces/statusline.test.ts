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
  todos: "vvvvvccnoooo",
  finished: false,
  now: { text: "Adding the unique key on refunds", since: NOW - 2 * MINUTE - 5_000 },
  next: "Backfill keys of the last year",
  turn: "running",
  heardAt: NOW,
};
const elsewhere: SessionSummary = { ...working, session: "t", agentType: "codex", asks: true };

describe("the status line", () => {
  test("working: bar, count, what now and for how long, what next", () => {
    expect(statusLine([working], options())).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12 ⠹ Adding the unique key on refunds 2m · next Backfill keys…",
    );
    expect(statusLine([working], options({ unicode: false }))).toBe(
      "| [#####==>....] 7/12 Adding the unique key on refunds 2m, next Backfill keys...",
    );
  });

  test("the spinner turns with time", () => {
    const frames = [0, 100, 200].map(
      (later) => statusLine([working], options({ now: NOW + later }))[20],
    );
    expect(new Set(frames).size).toBe(3);
  });

  test("something needs a person elsewhere", () => {
    expect(statusLine([working, elsewhere], options())).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12 Adding the unique key on refunds 2m ·  ◆ Codex plan waits",
    );
    expect(statusLine([working, elsewhere], options({ width: 50 }))).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12 Adding… ·  ◆ Codex plan waits",
    );
  });

  test("its own plan waits", () => {
    expect(statusLine([{ ...working, asks: true }], options())).toBe(
      "▌ ▮▮▮▮▮▯▯▸···· 7/12  ◆ plan waits",
    );
  });

  test("looping and stalled, with the call", () => {
    const loop = { label: "npm test -- cart", count: 6 };
    expect(statusLine([{ ...working, todos: "vcnooo", loop }], options())).toBe(
      "▌ ▮▯▸··· 2/6 ↻ looping npm test -- cart ×6",
    );
    const silent = {
      ...working,
      todos: "vvcnoooo",
      heardAt: NOW - 6 * MINUTE,
      inside: "terraform apply",
    };
    expect(statusLine([silent], options())).toBe("▌ ▮▮▯▸···· 3/8 ◌ stalled 6m terraform apply");
    expect(statusLine([{ ...silent, turn: "ended" }], options())).toContain(
      "Adding the unique key",
    );
  });

  test("finished, and how much of it is proven", () => {
    const finished = { ...working, finished: true, turn: "ended" as const };
    const line = (todos: string) => statusLine([{ ...finished, todos }], options());
    expect(line("vvvvvvvvc")).toBe("▌ ▮▮▮▮▮▮▮▮▯ 9/9 finished · 1 only claimed");
    expect(line("vvv")).toBe("▌ ▮▮▮ 3/3 finished");
    expect(line("ccc")).toBe("▌ ▯▯▯ 3/3 finished · nothing verified");
  });

  test("no list, no session, nothing known", () => {
    expect(statusLine([{ ...working, todos: "" }], options())).toBe("▌ no list yet");
    expect(statusLine([working], options({ session: "other" }))).toBe("▌ no list yet");
    expect(statusLine([], options({ session: undefined }))).toBe("▌ no list yet");
    expect(statusLine([working], options({ session: undefined }))).toContain("7/12");
  });

  test("colours are the agent's and those of what is the matter", () => {
    const line = statusLine([{ ...working, todos: "vcno" }], options({ color: true, width: 24 }));
    expect(line).toBe(
      "\u001b[38;5;173m▌\u001b[0m \u001b[38;5;78m▮\u001b[0m\u001b[38;5;247m▯\u001b[0m\u001b[38;5;173m▸\u001b[0m\u001b[38;5;240m·\u001b[0m 2/4 \u001b[38;5;173m⠹\u001b[0m Adding the…",
    );
  });

  test("many todos are drawn in proportion", () => {
    const todos = `${"v".repeat(150)}${"c".repeat(49)}n${"o".repeat(100)}`;
    const line = statusLine([{ ...working, todos }], options());
    expect(line.split(" ")[1]).toBe("▮▮▮▮▮▮▮▮▮▮▮▮▯▯▯▸········");
    expect(line).toContain(" 199/300 ");
  });
});

describe("tmux", () => {
  test("who works, who is stuck, who waits, and the newest list", () => {
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

  test("a title is never a format of tmux", () => {
    const title = "#(rm -rf /) #[fg=red]";
    expect(tmuxLine([{ ...working, title }], options())).toBe("wm 1▸ ##(rm -rf /) ##[fg=red] 7/12");
  });
});

test("whatever the texts, it is one line that fits, without control characters", () => {
  const texts = fc.string({ unit: CODE_POINT, maxLength: 60 });
  const glance: fc.Arbitrary<SessionSummary> = fc.record({
    session: fc.constantFrom("s", "t"),
    agent: fc.constantFrom("main", "sub"),
    agentType: fc.oneof(fc.constant("codex"), texts),
    title: texts,
    cwd: texts,
    updatedAt: fc.constant(NOW),
    todos: fc
      .array(fc.constantFrom("v", "c", "n", "o"), { maxLength: 60 })
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
