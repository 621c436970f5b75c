import { describe, expect, test } from "vitest";
import type { WaitingKind } from "../../../src/core/activity/waiting.ts";
import type { Todo } from "../../../src/core/model.ts";
import { viewOf } from "../../../src/core/views/view.ts";
import { cells } from "../../../src/surfaces/text/draw/width.ts";
import {
  renderHistory,
  renderList,
  renderTracks,
  type TrackRow,
} from "../../../src/surfaces/text/index.ts";
import { cpuTime } from "../../cpu-time.ts";
import { at, NOW, optionsOf, sampleView, todoOf, trackOf } from "./fixture.ts";

const lines = (...all: readonly string[]) => all.join("\n");
const DAY = 86_400_000;

function many(count: number, done: number, current: boolean): Todo[] {
  return Array.from({ length: count }, (_, place) =>
    todoOf(`${place + 1}`, `Todo ${place + 1}`, {
      status: place < done ? "completed" : current && place === done ? "in_progress" : "pending",
    }),
  );
}

const lastLine = (todos: readonly Todo[], rest = {}) =>
  renderList(viewOf(trackOf(todos, rest), NOW, -1), optionsOf())
    .split("\n")
    .at(-1);

describe("the default style", () => {
  test("draws a short list without title, phases or agent", () => {
    expect(renderList(sampleView(), optionsOf({ width: 60 }))).toBe(
      lines(
        "▌ 3f0c9a52-8d1e-4a53-9c36-0b7d1f1a2e44",
        "  1 ✓   Sort every record                   unverified 14:10",
        "  2 ▸   Cut all stale record                          2m 14s",
        "        Cutting all stale data",
        "  3 ○   Measure the speed of reading",
        "",
        "  ▯▸·  1 of 3 · 1 unverified             2m 14s on this todo",
      ),
    );
  });

  test("reports a list without todos", () => {
    expect(renderList(viewOf(trackOf([]), NOW), optionsOf())).toBe("No todos yet.");
  });

  test("counts the evidence of a finished list", () => {
    const reported = todoOf("2", "Two", { status: "completed", evidence: ["out.log"] });
    expect(lastLine(many(1, 1, false))).toBe(
      "  ▯  1 of 1 · 1 unverified                            Finished, nothing verified",
    );
    expect(lastLine([...many(1, 1, false), reported])).toBe(
      "  ▯▯  2 of 2 · 1 reported · 1 unverified              Finished, nothing verified",
    );
  });

  test("draws verified todos with their command and time", () => {
    const check = { command: "npm test -- refunds", exitCode: 0, at: at("14:17") };
    const verified = todoOf("1", "One", { status: "completed", check });
    const unverified = todoOf("2", "Two", { status: "completed", finishedAt: at("14:20") });
    const todos = [verified, unverified, todoOf("3", "Three")];
    const view = viewOf(trackOf(todos), NOW, -1);
    const [, first, second, , , last] = renderList(view, optionsOf({ width: 60 })).split("\n");
    expect([first, second, last]).toEqual([
      `${"  1 ✓✓  One".padEnd(35)}npm test -- refunds 14:17`,
      "  2 ✓   Two                                 unverified 14:20",
      "  ▮▯·  2 of 3 · 1 verified · 1 unverified",
    ]);
    const ascii = renderList(view, optionsOf({ width: 60, unicode: false }));
    expect(ascii).toContain("[X]  One");
    expect(ascii).toContain("#=.");
    expect(lastLine([verified])).toBe(
      "  ▮  1 of 1 · 1 verified                                  Finished, all verified",
    );
    expect(lastLine([verified, unverified])).toBe(
      "  ▮▯  2 of 2 · 1 verified · 1 unverified                                Finished",
    );
    for (const style of ["boxed", "tree"] as const)
      expect(renderList(view, optionsOf({ style }))).toContain("✓✓ One");
    expect(renderList(view, optionsOf({ style: "checkbox" }))).toContain("One (verified)");
  });

  test("marks the list as read-only in plan mode", () => {
    expect(lastLine(many(2, 0, false), { mode: "plan" })).toBe(
      "  ··  0 of 2                                        plan mode, list is read-only",
    );
  });

  test("reports a list of cancelled todos", () => {
    expect(lastLine([todoOf("1", "One", { status: "cancelled" })])).toBe("  All todos cancelled");
  });

  test("draws one bar cell per todo up to 24, then proportional runs", () => {
    const bar = (count: number, done: number, current = true) =>
      lastLine(many(count, done, current))
        ?.trim()
        .split(" ")[0];
    expect([
      bar(24, 10),
      bar(48, 20),
      bar(300, 1),
      bar(300, 298),
      bar(300, 299, false),
      bar(300, 300, false),
    ]).toEqual([
      `${"▯".repeat(10)}▸${"·".repeat(13)}`,
      `${"▯".repeat(10)}▸${"·".repeat(13)}`,
      `▯▸${"·".repeat(22)}`,
      `${"▯".repeat(22)}▸·`,
      `${"▯".repeat(23)}·`,
      "▯".repeat(24),
    ]);
  });

  test("draws a cleared list as one line in every style", () => {
    const view = viewOf(
      trackOf([todoOf("1", "One", { status: "completed", finishedAt: at("14:00") })], {
        title: "Rename",
      }),
      NOW,
    );
    const styles = ["waymark", "boxed", "tree", "plan", "checkbox"] as const;
    expect(styles.map((style) => renderList(view, optionsOf({ style, width: 40 })))).toEqual(
      styles.map(() => "▌ Rename                Finished, 1 of 1"),
    );
    expect(renderList(view, optionsOf({ all: true, width: 40 }))).toBe(
      lines(
        "▌ Rename",
        "  1 ✓   One             unverified 14:00",
        "",
        "  ▯  1 of 1 · 1 unverified      Finished",
      ),
    );
  });

  test("adds the date to times of other days, in the given time zone", () => {
    const finished = [at("14:10"), at("14:10") - DAY, at("14:10") - 100 * DAY, Number.NaN];
    const todos = finished.map((finishedAt, place) =>
      todoOf(`${place}`, "Done", { status: "completed", finishedAt }),
    );
    const view = viewOf(trackOf([...todos, todoOf("9", "Open")]), NOW);
    const words = (timeZone: string) =>
      renderList(view, optionsOf({ timeZone }))
        .split("\n")
        .slice(1, 5)
        .map((line) => line.replace(/^.*Done +/, ""));
    expect(words("UTC")).toEqual([
      "unverified 14:10",
      "unverified 11 Mar 14:10",
      "unverified 2 Dec 2025 14:10",
      "unverified",
    ]);
    expect(words("Pacific/Auckland")).toEqual([
      "unverified 03:10",
      "unverified 12 Mar 03:10",
      "unverified 3 Dec 2025 03:10",
      "unverified",
    ]);
  });

  test("names open blockers, external ids and the reason", () => {
    const view = viewOf(
      trackOf([
        todoOf("1", "A", { status: "completed", finishedAt: NOW }),
        todoOf("2", "B", { status: "blocked", blockedBy: ["1"] }),
        todoOf("3", "C", { status: "blocked", blockedBy: ["1", "2", "T31"], blocker: "review" }),
        todoOf("4", "D", { status: "blocked", blocker: "the other team" }),
        todoOf("5", "E", { blockedBy: ["4"], owner: "writer" }),
      ]),
      NOW,
    );
    const words = renderList(view, optionsOf())
      .split("\n")
      .slice(2, 6)
      .map((line) => line.slice(9).trim());
    expect(words).toEqual([
      "blocked",
      "blocked by 2, T31: review",
      "the other team",
      "writer, blocked by 4",
    ]);
  });

  test("limits rows to those around the current todo and counts the others", () => {
    const view = viewOf(trackOf(many(30, 20, true), { title: "Long" }), NOW);
    expect(renderList(view, optionsOf({ maxRows: 4, width: 40 }))).toBe(
      lines(
        "▌ Long",
        "     ↑ 19 done",
        "  20 ✓   Todo 20              unverified",
        "  21 ▸   Todo 21",
        "  22 ○   Todo 22",
        "  23 ○   Todo 23",
        "     ↓ 7 more",
        "",
        `  ${"▯".repeat(8)}▸···  20 of 30 · 20 unverified`,
      ),
    );
  });

  test("cuts long notes unless everything is shown", () => {
    const notes = [Array.from({ length: 20 }, (_, place) => `line ${place + 1}`).join("\n")];
    const view = viewOf(trackOf([todoOf("1", "One", { status: "in_progress", notes })]), NOW);
    const edges = (all: boolean) =>
      renderList(view, optionsOf({ all }))
        .split("\n")
        .filter((line) => line.includes("│"));
    expect(edges(false)).toHaveLength(12);
    expect(edges(false).at(-1)).toBe("        │ … more");
    expect(edges(true)).toHaveLength(20);
  });

  test("adapts colors to the background", () => {
    const view = viewOf(trackOf(many(1, 0, false), { title: "T", agentType: "codex" }), NOW);
    const blaze = (background: "dark" | "light") =>
      renderList(view, optionsOf({ color: true, background })).slice(0, 11);
    expect([blaze("dark"), blaze("light")]).toEqual(["\u001b[38;5;80m▌", "\u001b[38;5;24m▌"]);
  });

  test("draws at least 20 columns", () => {
    expect(renderList(sampleView(), optionsOf({ width: 3 }))).toBe(
      renderList(sampleView(), optionsOf({ width: 20 })),
    );
  });

  test("bounds the work for very long texts", () => {
    const text = "長い文章".repeat(25_000);
    const todos = Array.from({ length: 500 }, (_, place) =>
      todoOf(`${place}`, text, {
        status: place === 0 ? "in_progress" : "blocked",
        blocker: text,
        notes: [text, "\u200d".repeat(100_000)],
      }),
    );
    const view = viewOf(trackOf(todos, { title: text }), NOW);
    const started = cpuTime();
    const output = renderList(view, optionsOf()).split("\n");
    expect(cpuTime() - started).toBeLessThan(10_000);
    // Title, 500 todos, three more lines of the current text, twelve lines of notes, a blank line and the bar.
    expect(output).toHaveLength(1 + 500 + 3 + 12 + 2);
  });
});

describe("tables", () => {
  test("report empty lists", () => {
    expect([renderTracks([], optionsOf()), renderHistory([], optionsOf())]).toEqual([
      "No sessions yet.",
      "No history yet.",
    ]);
  });

  test("show the most urgent state first", () => {
    const loop = (level: "warning" | "critical") => ({
      kind: "generic_repeat" as const,
      level,
      label: "npm test",
      count: 12,
      message: "npm test, 12 times, same result",
    });
    const now = optionsOf().now;
    const asked = (kind: WaitingKind) => ({ kind, text: "", since: now - 1_000 });
    const base = { ...viewOf(trackOf([]), now), id: "s1" };
    const heardAt = now - 250_000;
    const rows: readonly TrackRow[] = [
      { ...base, title: "waits", state: "idle", planWaits: true, heardAt },
      { ...base, title: "asks", state: "needs_you", waiting: asked("permission"), heardAt },
      { ...base, title: "wants", state: "needs_you", waiting: asked("question"), heardAt },
      { ...base, title: "may ask", state: "working", waiting: asked("maybe"), heardAt },
      { ...base, title: "loops", state: "looping", findings: [loop("critical")], heardAt },
      { ...base, title: "stalls", state: "stalled", heardAt },
      { ...base, title: "works", state: "working", heardAt },
      { ...base, title: "failed", state: "idle", failed: true, heardAt },
      { ...base, title: "rests", state: "idle", heardAt },
      { ...base, title: "is over", state: "ended", heardAt },
    ];
    const states = (unicode: boolean) =>
      renderTracks(rows, optionsOf({ unicode, width: 80 }))
        .split("\n")
        .map((line) => line.replace(/^.*?(?:STATE|- {2})/, ""));
    expect(states(true)).toEqual([
      "",
      "◆ plan",
      "◆ permission",
      "◆ question",
      "▸ waiting?",
      "↻ looping",
      "◌ stalled 4m",
      "▸ working",
      "✗ failed",
      "idle 4m",
      "ended 4m",
    ]);
    expect(states(false)).toEqual([
      "",
      "* plan",
      "* permission",
      "* question",
      "> waiting?",
      "@ looping",
      "~ stalled 4m",
      "> working",
      "X failed",
      "idle 4m",
      "ended 4m",
    ]);
  });

  test("drop the project, then the agent's name, then the state if narrow", () => {
    const view = sampleView({
      title: "Fix the flaky cart tests",
      agentType: "hermes",
      cwd: "/a/web",
    });
    const heads = [80, 60, 48, 36, 20].map(
      (width) => renderTracks([view], optionsOf({ width })).split("\n")[0],
    );
    expect(heads).toEqual([
      "AGENT  PROJECT TITLE                    DONE  STATE",
      "AGENT  PROJECT TITLE                    DONE  STATE",
      "AGENT  TITLE                    DONE  STATE",
      "   TITLE              DONE  STATE",
      "TITLE           DONE",
    ]);
  });

  test("cut the session id if very narrow", () => {
    const view = {
      ...sampleView({ title: "Fix the flaky cart tests" }),
      id: "a-session-of-24-letters-x",
    };
    for (const width of [40, 30, 24, 20])
      for (const line of renderTracks([view], optionsOf({ width })).split("\n"))
        expect(cells(line), line).toBeLessThanOrEqual(width);
    expect(renderTracks([view], optionsOf({ width: 20 })).split("\n")[0]).toBe(
      "SESSION  TITLE  DONE",
    );
  });

  test("show how long the previous status lasted in a history", () => {
    const row = { by: "agent", via: "TodoWrite", todo: "3", text: "Write" } as const;
    expect(
      renderHistory(
        [
          { ...row, at: at("10:00"), from: "pending", to: "in_progress" },
          { ...row, at: at("10:01"), from: "in_progress", to: "in_progress", change: "edited" },
          { ...row, at: at("10:03") + 5_000, from: "in_progress", to: "completed" },
        ],
        optionsOf(),
      ),
    ).toBe(
      lines(
        "12 Mar 2026",
        "10:00 3 ▸   Write  pending -> in_progress           agent  TodoWrite",
        "10:01 3 ▸   Write  edited                           agent  TodoWrite",
        "10:03 3 ✓   Write  in_progress -> completed  3m 5s  agent  TodoWrite",
      ),
    );
  });
});
