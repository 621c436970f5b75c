import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forTerminal } from "../../../src/core/text/escape.ts";
import { cells } from "../../../src/surfaces/text/draw/width.ts";
import {
  renderTask,
  renderTaskGraph,
  renderTaskHistory,
  renderTasks,
} from "../../../src/surfaces/text/tasks/index.ts";
import type { TaskEvent, TaskRow } from "../../../src/tasks/model.ts";
import { CODE_POINT } from "../../code-point.ts";

const NOW = Date.UTC(2026, 10, 15, 14, 30);
const MINUTE = 60_000;

function row(id: string, subject: string, more: Partial<TaskRow> = {}): TaskRow {
  return {
    id,
    subject,
    status: "open",
    priority: 2,
    labels: [],
    blockedBy: [],
    waitsFor: [],
    epoch: 0,
    attempts: 0,
    maxAttempts: 3,
    evidence: [],
    metadata: {},
    createdAt: NOW - 90 * MINUTE,
    updatedAt: NOW - 5 * MINUTE,
    ...more,
  };
}

const ROWS: readonly TaskRow[] = [
  row("t1", "Agree on the format of the ledger", {
    status: "done",
    owner: "ann",
    finishedAt: NOW - 30 * MINUTE,
    evidence: ["docs/ledger.md"],
  }),
  row("t2", "Write the parser of the ledger file", {
    status: "claimed",
    priority: 0,
    labels: ["core", "parser"],
    blockedBy: ["t1"],
    owner: "codex-2",
    epoch: 3,
    attempts: 2,
    lease: 5 * MINUTE,
    leaseUntil: NOW + 4 * MINUTE + 12_000,
    parent: "t6",
    description: "Two passes.\n\nMind the empty file: it is no error and has no entries at all.",
    reason: "The build breaks on Windows.",
    author: "pat",
    ref: "bd-12",
    metadata: { size: 3 },
  }),
  row("t3", "Test it with the files of last year", { blockedBy: ["t2"], waitsFor: ["t2"] }),
  row("t4", "Publish", { blockedBy: ["t2", "t3"], waitsFor: ["t2", "t3"], priority: 4 }),
  row("t5", "Look at the slow query", {
    lapsed: { owner: "gemini", at: NOW - MINUTE },
    labels: ["db"],
    priority: 1,
  }),
  row("t6", "Bring in last year's books", {
    status: "failed",
    owner: "ann",
    attempts: 3,
    reason: "no access",
    finishedAt: NOW - 26 * 60 * MINUTE,
  }),
  row("t7", "Keep a second copy", { status: "cancelled", finishedAt: NOW - 1_000 }),
];

const EVENTS: readonly TaskEvent[] = [
  {
    seq: 1,
    at: NOW - 26 * 60 * MINUTE,
    type: "added",
    task: "t2",
    by: "user",
    via: "cli",
    set: { subject: "Write the parser" },
  },
  {
    seq: 2,
    at: NOW - 20 * MINUTE,
    type: "claimed",
    task: "t2",
    by: "agent",
    via: "mcp",
    actor: "ann",
    set: { owner: "ann", epoch: 1 },
  },
  {
    seq: 3,
    at: NOW - 18 * MINUTE,
    type: "renewed",
    task: "t2",
    by: "system",
    via: "observation",
    actor: "ann",
    set: { leaseUntil: NOW - 13 * MINUTE },
  },
  {
    seq: 4,
    at: NOW - 9 * MINUTE,
    type: "claimed",
    task: "t2",
    by: "agent",
    via: "mcp",
    actor: "codex-2",
    set: { owner: "codex-2", epoch: 2 },
  },
  {
    seq: 5,
    at: NOW - 8 * MINUTE,
    type: "retried",
    task: "t2",
    by: "agent",
    via: "mcp",
    actor: "codex-2",
    set: { status: "open", reason: "The build breaks", owner: null },
  },
  {
    seq: 6,
    at: NOW - 7 * MINUTE,
    type: "edited",
    task: "t2",
    by: "user",
    via: "cli",
    set: { priority: 0, labels: ["core"] },
  },
  {
    seq: 7,
    at: NOW - 6 * MINUTE,
    type: "assigned",
    task: "t2",
    by: "user",
    via: "cli",
    set: { owner: "codex-2", epoch: 3 },
  },
  {
    seq: 8,
    at: NOW - MINUTE,
    type: "done",
    task: "t2",
    by: "agent",
    via: "cli",
    actor: "codex-2",
    set: { status: "done", evidence: ["npm test"] },
  },
];

const VARIANTS = [
  { name: "120", width: 120, color: false, unicode: true },
  { name: "80", width: 80, color: false, unicode: true },
  { name: "80-ansi", width: 80, color: true, unicode: true },
  { name: "40", width: 40, color: false, unicode: true },
  { name: "40-ascii", width: 40, color: false, unicode: false },
] as const;

const options = (variant: { width: number; color: boolean; unicode: boolean }) => ({
  ...variant,
  now: NOW,
  timeZone: "UTC",
});

describe.each(VARIANTS)("tasks on $name columns", ({ name, ...variant }) => {
  const page = options(variant);
  const [, claimed] = ROWS;
  if (!claimed) throw new Error("no row");
  it.each([
    ["list", renderTasks(ROWS, page)],
    ["card", renderTask({ task: claimed, blocks: ["t3", "t4"], children: [] }, page)],
    ["graph", renderTaskGraph(ROWS, page)],
    ["history", renderTaskHistory(EVENTS, page)],
  ])("%s", async (what, drawn) => {
    await expect(`${drawn}\n`).toMatchFileSnapshot(`goldens/tasks-${what}-${name}.txt`);
    if (variant.color) return;
    for (const line of drawn.split("\n")) {
      expect(cells(line)).toBeLessThanOrEqual(variant.width);
      expect(line).toBe(line.trimEnd());
    }
  });
});

it("cuts the owner of a claim and keeps the time that is left", () => {
  const claimed = row("t1", "Write the parser", {
    status: "claimed",
    owner: "01a1f0a5-a03d-7af1-abe1-fd8f1d0ce7f0",
    leaseUntil: NOW + 4 * MINUTE + 12_000,
  });
  const text = renderTasks([claimed], { now: NOW, width: 80, color: false, unicode: true });
  expect(text).toContain("  01a1f0a5-a03…, 4m 12s left");
});

describe("tasks as text", () => {
  it("report empty lists", () => {
    const page = options(VARIANTS[0]);
    expect([renderTasks([], page), renderTaskGraph([], page), renderTaskHistory([], page)]).toEqual(
      ["No tasks.", "No tasks.", "No history yet."],
    );
  });

  it("keep hostile text within any width", () => {
    const unit = fc.oneof(
      fc.constantFrom("\u001b[2J", "\u202e", "\n", "\u0007", "a\u0301", "👩‍👩‍👧‍👦", "漢", " "),
      fc.string({ unit: CODE_POINT, maxLength: 3 }),
    );
    const text = fc.string({ unit, maxLength: 30 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 20, max: 140 }),
        fc.boolean(),
        (one, two, width, unicode) => {
          const page = { width, color: false, unicode, now: NOW, timeZone: "UTC" };
          const rows = [
            row("t1", one, { labels: [two], owner: two, status: "claimed", leaseUntil: NOW }),
            row("t2", two, {
              blockedBy: ["t1"],
              waitsFor: ["t1"],
              description: one,
              reason: two,
              evidence: [one],
            }),
          ];
          const drawn = [
            renderTasks(rows, page),
            renderTaskGraph(rows, page),
            ...rows.map((task) => renderTask({ task, blocks: [], children: [] }, page)),
          ];
          for (const line of drawn.flatMap((each) => each.split("\n"))) {
            expect(cells(line)).toBeLessThanOrEqual(width);
            expect(forTerminal(line)).toBe(line);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
