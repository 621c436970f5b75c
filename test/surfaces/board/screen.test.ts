import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BoardState, Place, Size } from "../../../src/surfaces/board/state.ts";
import { summaryLines } from "../../../src/surfaces/board/summary.ts";
import { pageOf } from "../../../src/surfaces/text/page.ts";
import { print } from "../../../src/surfaces/text/spans.ts";
import { cells } from "../../../src/surfaces/text/width.ts";
import { taskBoard } from "../../../src/tasks/rules/board.ts";
import { backlog, long, storyOf, taskOf } from "./backlog.ts";
import { keyOf, NOW, shot, team, trackOf, worldOf } from "./world.ts";

const SIZES: readonly Size[] = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

const world = worldOf(team());
const refunds = keyOf(world, "refunds");
const past = {
  key: refunds,
  step: 3,
  count: 9,
  at: NOW - 1_000_000,
  by: "agent" as const,
  words: "the agent: completed Add the idempotency_key column",
  track: trackOf("refunds", [["List every caller of refund()", "in_progress"]]),
};

const SCREENS: Readonly<Record<string, Partial<BoardState>>> = {
  overview: { selected: refunds },
  track: { place: "track", selected: refunds },
  plan: { place: "plan", selected: keyOf(world, "checkout") },
  search: { place: "search", search: "key", hit: 1 },
  history: { place: "history", selected: refunds },
  help: { place: "help" },
  note: { place: "track", selected: refunds, field: { kind: "note", text: "Ask the bank" } },
  tasks: { place: "tasks", task: "t40" },
  task: { place: "tasks", task: "t38", taskIsOpen: true, more: true },
  "task-field": {
    place: "tasks",
    task: "t32",
    field: { kind: "owner", text: "codex", task: taskOf(32, 0, "Make refunds", "claimed") },
  },
};

describe("screens", () => {
  for (const [name, state] of Object.entries(SCREENS))
    for (const size of SIZES) {
      const { columns, rows } = size;
      test(`${name} at ${columns}x${rows}`, async () => {
        const text = shot(
          { ...world, past, tasks: backlog(), detail: storyOf("t38") },
          state,
          size,
        );
        expect(text.split("\n").length).toBe(rows);
        expect(text.split("\n").filter((line) => cells(line) > columns)).toEqual([]);
        await expect(`${text}\n`).toMatchFileSnapshot(`goldens/${name}-${columns}x${rows}.txt`);
      });
    }

  test("of very many tasks the selected one is on the screen, and where it stands", () => {
    const text = shot(
      { ...world, tasks: long(5_000) },
      { place: "tasks", task: "t2600" },
      { columns: 80, rows: 24 },
    );
    expect(text).toMatch(/^› ○ +t2600 P3 {2}Part 2500 +ready$/m);
    expect(text).toMatch(/↑ \d+ more rows/);
    expect(text).toMatch(/↓ \d+ more rows/);
  });

  test("what the board answers is wrapped, and cut only after four lines", () => {
    const words = (count: number) => Array.from({ length: count }, (_, place) => `w${place}`);
    const said = (count: number) =>
      shot(world, { said: words(count).join(" ") }, { columns: 40, rows: 12 }).split("\n");
    const few = said(20).map((line) => line.trim());
    expect(
      few
        .slice(-3)
        .join(" ")
        .replace(/^.*?w0/, "w0"),
    ).toBe(words(20).join(" "));
    expect(said(200).at(-1)).toMatch(/^ w\d.*…$/);
    expect(said(200).slice(-4)[0]).toMatch(/^ w0 /);
  });

  test("until all of a task is read, what the board has of it is shown", () => {
    const open = { place: "tasks" as const, task: "t40", taskIsOpen: true };
    const text = shot({ ...world, tasks: backlog(), detail: storyOf("t38") }, open, {
      columns: 80,
      rows: 24,
    });
    expect(text).toContain("blocks t45");
    expect(text).not.toContain("HISTORY");
    expect(text).not.toContain("The second page of it.");
  });

  test("without any task it says where they come from", () => {
    const text = shot(world, { place: "tasks" }, { columns: 80, rows: 24 });
    expect(text.split("\n")[2]).toBe("  No task yet.");
  });

  test("the picture in the README is what is drawn", () => {
    const drawn = shot(world, { selected: refunds }, { columns: 80, rows: 24 });
    const picture = drawn
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n");
    expect(readFileSync("README.md", "utf8")).toContain(`\`\`\`\n${picture}\n\`\`\``);
  });

  test("in ASCII nothing of ours is anything else", async () => {
    const text = shot(world, { selected: refunds }, { columns: 80, rows: 24 }, { unicode: false });
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/overview-80x24-ascii.txt");
  });

  test("a board without anybody says what to do", async () => {
    const agents = [
      {
        name: "Claude Code",
        agentType: "claude-code",
        words: "installed, no session today",
        broken: false,
      },
      {
        name: "Gemini",
        agentType: "gemini",
        words: "its session folder cannot be read; run waymark doctor",
        broken: true,
      },
    ];
    const text = shot(worldOf([], { agents }), {}, { columns: 80, rows: 24 });
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/empty-80x24.txt");
  });

  test("what is smaller than a board can be says so", () => {
    expect(shot(world, {}, { columns: 39, rows: 12 }).split("\n")).toEqual([
      "waymark: too small",
      "needs 40x10",
      "this is 39x12",
    ]);
    expect(shot(world, {}, { columns: 40, rows: 9 })).toContain("this is 40x9");
  });

  test("the summary tells of each track once, the finished ones first", async () => {
    const page = pageOf({ width: 80, color: false, unicode: true, now: NOW, timeZone: "UTC" });
    const text = print(summaryLines(page, world), false);
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/summary-80.txt");
  });

  test("many tracks: the selected one is always on the screen", () => {
    const many = Array.from({ length: 300 }, (_, place) => ({
      ...(team()[0] as NonNullable<ReturnType<typeof team>[number]>),
      track: trackOf(`s${place}`, [["Work", "in_progress"]], {
        title: `Track number ${place}.`,
        openedAt: place,
      }),
    }));
    const crowd = worldOf(many);
    for (const number of [0, 7, 150, 298, 299])
      for (const more of [false, true])
        for (const size of SIZES) {
          const selected = keyOf(crowd, `s${number}`);
          expect(shot(crowd, { selected, more }, size)).toContain(`Track number ${number}.`);
        }
  });
});

const HOSTILE = [
  "\x1b[2J\x1b]0;owned\x07",
  "日本語のとても長いテキストです。".repeat(9),
  "👩‍👩‍👧‍👦".repeat(20),
  "a\u0301".repeat(90),
  "\u202eright to left\u202c",
  "line\nbreak\r\n\ttab",
  "x".repeat(5_000),
  "\u0000\u009b31m",
  "ᄀ".repeat(60),
];

describe("any text stays in its cells", () => {
  const places: readonly Place[] = ["tracks", "track", "plan", "search", "history", "tasks"];
  test("on every page, at every size", () => {
    const text = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: "binary", maxLength: 60 }),
    );
    fc.assert(
      fc.property(
        fc.tuple(text, text, text, text),
        fc.constantFrom(...places),
        fc.integer({ min: 40, max: 200 }),
        fc.integer({ min: 10, max: 50 }),
        fc.boolean(),
        fc.boolean(),
        ([title, todo, note, project], place, columns, rows, unicode, isOpen) => {
          const [first] = team();
          if (!first) throw new Error("nobody");
          const track = trackOf(
            "s",
            [
              [todo, "in_progress", { notes: [note], activeText: title, phase: note }],
              [note, "pending"],
            ],
            {
              title,
              cwd: `/srv/${project}`,
              agentType: project,
            },
          );
          const plan = {
            id: "p",
            text: `${note}\n1. ${todo}`,
            state: "proposed" as const,
            at: NOW,
          };
          const hostile = worldOf([{ ...first, track, plan }]);
          const key = keyOf(hostile, "s");
          const then = { ...past, key, words: title, track };
          const task = taskOf(1, 2, title, "claimed", {
            owner: todo,
            description: note,
            labels: [project],
            reason: note,
            evidence: [todo],
            ref: project,
            author: title,
            metadata: { [title]: note },
            leaseUntil: NOW + 9_000,
          });
          const set = { owner: todo, subject: title, epoch: 1, evidence: [note] };
          const events = (["added", "claimed", "done"] as const).map((type, seq) => ({
            seq,
            at: NOW,
            type,
            task: "t1",
            by: "agent" as const,
            via: note,
            actor: project,
            set,
          }));
          const detail = { task: { ...task, waitsFor: [] }, blocks: [], children: [], events };
          const drawn = shot(
            { ...hostile, past: then, tasks: taskBoard([task], NOW), detail },
            {
              place,
              selected: key,
              search: todo,
              task: "t1",
              taskIsOpen: isOpen,
              field: isOpen ? undefined : { kind: "subject", text: title, task },
            },
            { columns, rows },
            { unicode },
          );
          const lines = drawn.split("\n");
          expect(lines.length).toBe(rows);
          expect(Math.max(...lines.map(cells))).toBeLessThanOrEqual(columns);
          expect(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(drawn)).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });
});

test("a list without an agent has its whole project where there is room", () => {
  const alone = trackOf("alone", [["Write", "pending"]], { cwd: "/srv/project-one" });
  const joined = {
    track: alone,
    hosted: true,
    state: "idle",
    findings: [],
    updatedAt: NOW,
  } as const;
  for (const columns of [60, 80, 120])
    expect(shot(worldOf([joined]), {}, { columns, rows: 20 })).toContain("project-one");
});
