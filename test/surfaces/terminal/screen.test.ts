import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boardOf } from "../../../src/core/views/board.ts";
import type { AgentSummary } from "../../../src/core/wire.ts";
import { hintLine, LAST_HINTS, pagesOf } from "../../../src/surfaces/terminal/pages/pages.ts";
import type { BoardState, ScreenName, Size } from "../../../src/surfaces/terminal/state.ts";
import { summaryLines } from "../../../src/surfaces/terminal/summary.ts";
import { pageOf } from "../../../src/surfaces/text/draw/page.ts";
import { print } from "../../../src/surfaces/text/draw/spans.ts";
import { cells } from "../../../src/surfaces/text/draw/width.ts";
import { taskBoard } from "../../../src/tasks/rules/board.ts";
import { CODE_POINT } from "../../code-point.ts";
import { backlog, largeBacklog, taskOf, taskWithEvents } from "./backlog.ts";
import { boardData, keyOf, NOW, screenText, team, trackOf, waitingTeam } from "./board-data.ts";

const SIZES: readonly Size[] = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

const data = boardData(team());
const refunds = keyOf(data, "refunds");
const past = {
  key: refunds,
  step: 3,
  count: 9,
  at: NOW - 1_000_000,
  by: "agent" as const,
  summary: "the agent: completed Add the idempotency_key column",
  track: trackOf("refunds", [["List every caller of refund()", "in_progress"]]),
};

const sizeName = ({ columns, rows }: Size) => `${columns}x${rows}`;

/** Two agents whose todo list is off, and one whose folder cannot be read. */
function found(): readonly AgentSummary[] {
  const agent = (id: string, name: string, where: string, setup: string | null) => ({
    agent: id,
    name,
    where: [where],
    found: true,
    list: "off" as const,
    command: setup && `waymark setup ${setup}`,
  });
  return [
    agent("claude-code", "Claude Code", "~/.claude/projects", "claude"),
    {
      ...agent("codex", "Codex", "~/.codex/sessions", "codex"),
      where: ["~/.codex/sessions", "~/.codex/archived_sessions"],
    },
    {
      ...agent("gemini", "Gemini CLI", "~/.gemini/tmp", "gemini"),
      list: "unknown",
      problem: "~/.gemini/tmp cannot be read",
    },
    ...["opencode", "Qwen Code", "oh-my-pi", "OpenClaw", "Hermes", "Copilot CLI"].map((name) => ({
      ...agent(name, name, `~/.local/share/${name.toLowerCase()}`, null),
      found: false,
      list: "unknown" as const,
    })),
  ];
}

const PICKER = { query: "", index: 0, selected: [] } as const;
const PANE = { key: "1", program: "tmux", cwd: "/src/ledger-api" } as const;

const SCREENS: Readonly<Record<string, Partial<BoardState>>> = {
  overview: { selected: refunds },
  track: { screen: "track", selected: refunds },
  plan: { screen: "plan", selected: keyOf(data, "checkout") },
  search: { screen: "search", search: "refu" },
  "search-empty": { screen: "search", search: "refnud @codex" },
  chips: {
    selected: refunds,
    chip: "state",
    filters: { agent: [], project: [], state: ["working"] },
  },
  history: { screen: "history", selected: refunds },
  help: { screen: "help" },
  note: { screen: "track", selected: refunds, field: { kind: "note", text: "Ask the bank" } },
  tasks: { screen: "tasks", task: "t40" },
  task: { screen: "tasks", task: "t38", taskIsOpen: true, more: true },
  "task-field": {
    screen: "tasks",
    task: "t32",
    field: { kind: "subject", text: "Make", task: taskOf(32, 0, "Make refunds", "claimed") },
  },
  "picker-owner": {
    screen: "tasks",
    task: "t32",
    picker: { ...PICKER, kind: "owner", task: taskOf(32, 0, "Make refunds", "claimed") },
  },
  "picker-blocker": {
    screen: "tasks",
    task: "t38",
    picker: { ...PICKER, kind: "blockers", query: "re", task: taskOf(38, 0, "Alert", "open") },
  },
  held: {
    screen: "tracks",
    selected: refunds,
    held: [{ key: refunds, decision: "approve", title: "Checkout", until: NOW + 8_000 }],
  },
  "jump-choose": {
    screen: "tracks",
    selected: refunds,
    jump: {
      row: refunds,
      name: "Claude Code",
      isCopied: false,
      answer: {
        type: "choose",
        panes: [
          { ...PANE, label: "work:1.0", command: "claude", activeAt: NOW - 4_000 },
          { ...PANE, key: "2", label: "work:3.1", command: "claude -c", activeAt: NOW - 720_000 },
        ],
      },
    },
  },
  "jump-none": {
    screen: "tracks",
    selected: refunds,
    jump: {
      row: refunds,
      name: "Codex",
      isCopied: true,
      answer: {
        type: "none",
        asked: ["tmux", "kitty"],
        resume: {
          words: ["codex", "resume", "41ab-77c0"],
          cwd: "/src/ledger-web",
          line: "cd /src/ledger-web && codex resume 41ab-77c0",
        },
      },
    },
  },
  "jump-went": {
    screen: "tracks",
    selected: refunds,
    jump: {
      row: refunds,
      name: "Gemini CLI",
      asks: "terraform apply staging.tfplan",
      isCopied: false,
      answer: {
        type: "went",
        pane: { ...PANE, label: "work:2.1", title: "infra" },
        back: "prefix l",
      },
    },
  },
};

describe("screens", () => {
  for (const [name, state] of Object.entries(SCREENS))
    for (const size of SIZES) {
      const { columns, rows } = size;
      test(`${name} at ${columns}x${rows}`, async () => {
        const text = screenText(
          { ...data, historyStep: past, tasks: backlog(), detail: taskWithEvents("t38") },
          state,
          size,
        );
        expect(text.split("\n").length).toBe(rows);
        expect(text.split("\n").filter((line) => cells(line) > columns)).toEqual([]);
        await expect(`${text}\n`).toMatchFileSnapshot(`goldens/${name}-${columns}x${rows}.txt`);
      });
    }

  describe.each(SIZES)("requests at $columns x $rows", (size) => {
    const waits = boardData(waitingTeam());

    test("come first, with the request and where to answer", async () => {
      const text = screenText(waits, { selected: keyOf(waits, "push") }, size);
      const lines = text.split("\n");
      expect(lines.filter((line) => cells(line) > size.columns)).toEqual([]);
      expect(text).toContain("git push origin main");
      // Only this size has group headings and a third line per row.
      if (size.rows >= 16) {
        expect(lines.find((line) => /^ {2}[A-Z]/.test(line))).toMatch(/^ {2}NEEDS YOU/);
        expect(text).toContain("Answer in the Claude Code terminal.");
      }
      await expect(`${text}\n`).toMatchFileSnapshot(`goldens/requests-${sizeName(size)}.txt`);
    });

    test("are shown on the session screen", async () => {
      const selected = keyOf(waits, "port");
      const text = screenText(waits, { screen: "track", selected }, size);
      await expect(`${text}\n`).toMatchFileSnapshot(`goldens/request-${sizeName(size)}.txt`);
      const flat = text.replace(/\s+/g, " ");
      for (const part of ["Which port", "Answer in the Codex terminal."])
        expect(flat).toContain(part);
    });

    test("are cut after three lines on the session screen", () => {
      const [first] = waitingTeam();
      if (!first?.waiting) throw new Error("the first session waits");
      const text = `rm ${"a-long-path ".repeat(200)}`;
      const long = boardData([{ ...first, waiting: { ...first.waiting, text } }]);
      const rows = screenText(long, { screen: "track" }, size).split("\n");
      const asked = rows.filter((line) => line.includes("a-long-path"));
      expect(asked.length).toBe(3);
      expect(asked[2]).toMatch(/…$/);
      expect(asked.filter((line) => cells(line) > size.columns)).toEqual([]);
    });
  });

  test("keeps the selected task visible among thousands", () => {
    const text = screenText(
      { ...data, tasks: largeBacklog(5_000) },
      { screen: "tasks", task: "t2600" },
      { columns: 80, rows: 24 },
    );
    expect(text).toMatch(/^› ○ +t2600 P3 {2}Part 2500 +ready$/m);
    expect(text).toMatch(/↑ \d+ more rows/);
    expect(text).toMatch(/↓ \d+ more rows/);
  });

  test("wraps messages, and cuts them after four lines", () => {
    const words = (count: number) => Array.from({ length: count }, (_, place) => `w${place}`);
    const printed = (count: number) =>
      screenText(data, { message: words(count).join(" ") }, { columns: 40, rows: 12 }).split("\n");
    const few = printed(20).map((line) => line.trim());
    expect(
      few
        .slice(-4, -1)
        .join(" ")
        .replace(/^.*?w0/, "w0"),
    ).toBe(words(20).join(" "));
    expect(printed(200).at(-2)).toMatch(/^ w\d.*…$/);
    expect(printed(200).slice(-5)[0]).toMatch(/^ w0 /);
    // The key hints stay below the message.
    expect(printed(200).at(-1)).toMatch(/ \? help {2}q quit $/);
  });

  test("shows the board's copy of a task until its details are loaded", () => {
    const open = { screen: "tasks" as const, task: "t40", taskIsOpen: true };
    const text = screenText({ ...data, tasks: backlog(), detail: taskWithEvents("t38") }, open, {
      columns: 80,
      rows: 24,
    });
    expect(text).toContain("blocks t45");
    expect(text).not.toContain("HISTORY");
    expect(text).not.toContain("The second page of it.");
  });

  test("explains tasks if there are none", () => {
    const text = screenText(data, { screen: "tasks" }, { columns: 80, rows: 24 });
    expect(text.split("\n")[2]).toBe("  No tasks yet.");
  });

  test("matches the screen in the guide", () => {
    const drawn = screenText(data, { selected: refunds }, { columns: 80, rows: 24 });
    const picture = drawn
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n");
    expect(readFileSync("docs/guides/see-your-agents.md", "utf8")).toContain(
      `\`\`\`\n${picture}\n\`\`\``,
    );
  });

  test("draws with ASCII only if Unicode is off", async () => {
    const text = screenText(
      data,
      { selected: refunds },
      { columns: 80, rows: 24 },
      { unicode: false },
    );
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/overview-80x24-ascii.txt");
  });

  test.each(SIZES)(
    "an empty board at $columns x $rows says where it looks and what to run",
    async (size) => {
      const text = screenText(boardData([], { agents: found() }), {}, size);
      expect(text.split("\n").filter((line) => cells(line) > size.columns)).toEqual([]);
      // Commands must be complete, to be copied.
      for (const command of ["waymark demo", "waymark setup codex"])
        expect(text).toContain(command);
      await expect(`${text}\n`).toMatchFileSnapshot(`goldens/empty-${sizeName(size)}.txt`);
    },
  );

  test.each(SIZES)("never cuts a command on the empty board at $columns x $rows", (size) => {
    const program = "node bin/waymark.js";
    const agents = found().map((agent) => ({ ...agent, found: false }));
    const text = screenText(boardData([], { agents, program }), {}, size);
    expect(text).not.toMatch(/waymark\.js [a-z]*…/);
    expect(text).toContain(`${program} demo`);
  });

  test("does not report a todo list as off if its state is unknown", () => {
    const unsure = found().map((agent) => ({ ...agent, list: "unknown" as const }));
    const text = screenText(boardData([], { agents: unsure }), {}, { columns: 80, rows: 24 });
    expect(text).not.toContain("list off");
    expect(text).not.toContain("waymark setup codex");
  });

  test("names agents whose todo list is off, with the setup command", () => {
    const program = "node bin/waymark.js";
    const agents = found().map((agent) => ({
      ...agent,
      command: agent.command?.replace("waymark", program) ?? null,
    }));
    const lineOf = (size: Size, some: readonly AgentSummary[]) =>
      screenText(boardData(team(), { agents: some, program }), {}, size)
        .split("\n")[1]
        ?.trim();
    const [codex] = agents.filter(({ agent }) => agent === "codex");
    if (!codex) throw new Error("no Codex");
    for (const size of SIZES) {
      expect(lineOf(size, [codex])).toMatch(
        size.columns < 70
          ? /^! (?:List off: cx|L.*…|.*) +node bin\/waymark\.js setup codex$/
          : /^! Todo list off: Codex +node bin\/waymark\.js setup codex$/,
      );
      expect(lineOf(size, agents)).toMatch(/^! .* node bin\/waymark\.js setup$/);
    }
    expect(lineOf({ columns: 80, rows: 24 }, agents)).toContain("Claude Code, Codex");
    expect(lineOf({ columns: 80, rows: 24 }, [])).not.toContain("list off");
  });

  test("reports terminals that are too small", () => {
    expect(screenText(data, {}, { columns: 39, rows: 12 }).split("\n")).toEqual([
      "Terminal too small",
      "minimum 40x10",
      "current 39x12",
      " q quit ",
    ]);
    expect(screenText(data, {}, { columns: 40, rows: 9 })).toContain("current 40x9");
  });

  const demo = { position: 14_000, length: 64_000, over: false };
  const over = { ...demo, position: 64_000, over: true };

  test.each(SIZES)("shows the demo badge on every screen at $columns x $rows", async (size) => {
    const recorded = {
      ...data,
      historyStep: past,
      tasks: backlog(),
      detail: taskWithEvents("t38"),
      demo,
    };
    for (const [name, state] of Object.entries(SCREENS)) {
      if (state.field) continue;
      expect([name, screenText(recorded, state, size)]).toEqual([
        name,
        expect.stringContaining(" DEMO "),
      ]);
    }
    const text = screenText(recorded, { selected: refunds }, size);
    await expect(`${text}\n`).toMatchFileSnapshot(`goldens/demo-${sizeName(size)}.txt`);
  });

  test.each(SIZES)("draws the end card of the demo at $columns x $rows", async (size) => {
    const agents = found();
    const ended = boardData(team(), { demo: over, agents, hasPage: true });
    const text = screenText(ended, {}, size);
    expect(text.split("\n").filter((line) => cells(line) > size.columns)).toEqual([]);
    for (const part of [" DEMO ", "The demo is over.", "waymark setup claude", "r replay"])
      expect(text).toContain(part);
    await expect(`${text}\n`).toMatchFileSnapshot(`goldens/demo-end-${sizeName(size)}.txt`);
    expect(screenText(ended, { endCardClosed: true }, size)).toContain("Move checkout");
  });

  test.each(SIZES)("never cuts a command on the end card at $columns x $rows", (size) => {
    const program = "node /home/someone/projects/tools/waymark/bin/waymark.js";
    const text = screenText(boardData(team(), { demo: over, agents: [], program }), {}, size);
    const flat = text.replace(/[\s│]/g, "");
    expect(flat).toContain(`${program} setup`.replaceAll(" ", ""));
    expect(text).toContain("npm link");
  });

  test.each([40, 80, 120])("fits the summary of the demo into %i columns", (width) => {
    const page = pageOf({ width, color: false, unicode: true, now: NOW, timeZone: "UTC" });
    for (const program of ["waymark", "node bin/waymark.js"])
      for (const shown of [data, { ...data, demo: over }]) {
        const text = print(summaryLines(page, { ...shown, program }), false);
        expect(text.split("\n").filter((line) => cells(line) > width)).toEqual([]);
        expect(text.includes(`${program} setup`)).toBe("demo" in shown);
      }
  });

  test("lists each session once in the summary, finished ones first", async () => {
    const page = pageOf({ width: 80, color: false, unicode: true, now: NOW, timeZone: "UTC" });
    const text = print(summaryLines(page, data), false);
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/summary-80.txt");
  });

  test("counts every session that needs the user in the summary", () => {
    const page = pageOf({ width: 80, color: false, unicode: true, now: NOW, timeZone: "UTC" });
    const text = print(summaryLines(page, boardData(waitingTeam())), false);
    expect(text).toContain("3 sessions are waiting for you.");
    expect(text).not.toContain("plan");
    const [, ...others] = waitingTeam();
    expect(print(summaryLines(page, boardData(others)), false)).toContain("2 sessions are");
  });

  test("keeps the selected session visible among many", () => {
    const many = Array.from({ length: 300 }, (_, place) => ({
      ...(team()[0] as NonNullable<ReturnType<typeof team>[number]>),
      track: trackOf(`s${place}`, [["Work", "in_progress"]], {
        title: `Track number ${place}.`,
        openedAt: place,
      }),
    }));
    const crowd = boardData(many);
    for (const number of [0, 7, 150, 298, 299])
      for (const more of [false, true])
        for (const size of SIZES) {
          const selected = keyOf(crowd, `s${number}`);
          expect(screenText(crowd, { selected, more }, size)).toContain(`Track number ${number}.`);
        }
  });
});

describe("the key bar", () => {
  const LETTERS_ARE_TEXT = [
    "search",
    "search-empty",
    "note",
    "task-field",
    "picker-owner",
    "picker-blocker",
  ];

  test("drops help and quit last, at every width", () => {
    const hint = fc.tuple(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 14 }));
    fc.assert(
      fc.property(
        fc.array(
          hint.filter(([key]) => key !== "?" && key !== "q"),
          { maxLength: 12 },
        ),
        fc.integer({ min: 20, max: 200 }),
        fc.boolean(),
        (hints, width, isDemo) => {
          const look = { width, color: false, unicode: true, now: NOW };
          const pages = pagesOf(look, 0, isDemo ? " DEMO " : undefined);
          const text = print([hintLine(pages, [...hints, ...LAST_HINTS])], false);
          expect(text.endsWith(" ? help  q quit ")).toBe(true);
          expect(cells(text)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  test("is on every screen, below messages", () => {
    const full = {
      ...data,
      historyStep: past,
      tasks: backlog(),
      detail: taskWithEvents("t38"),
      hasPage: true,
    };
    for (const [name, state] of Object.entries(SCREENS))
      for (let columns = 40; columns <= 200; columns += 7)
        for (const printed of [undefined, "Approved. ".repeat(30)]) {
          const last = screenText(full, { ...state, message: printed }, { columns, rows: 12 })
            .split("\n")
            .at(-1);
          const wanted = LETTERS_ARE_TEXT.includes(name) ? "" : " q quit ";
          expect([name, columns, last]).toEqual([name, columns, expect.stringContaining(wanted)]);
        }
  });

  test("includes the key of the web page", () => {
    const size = { columns: 80, rows: 24 };
    const last = (hasPage: boolean) =>
      screenText({ ...data, hasPage }, {}, size)
        .split("\n")
        .at(-1);
    expect(last(true)).toContain(" w page ");
    expect(last(true)).toContain("enter open");
    expect(last(false)).not.toContain(" w page ");
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

describe("hostile text stays within the screen", () => {
  const places: readonly ScreenName[] = ["tracks", "track", "plan", "search", "history", "tasks"];
  test("on every screen, at every size", () => {
    const text = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: CODE_POINT, maxLength: 60 }),
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
          const hostile = boardData([{ ...first, track, plan }]);
          const key = keyOf(hostile, "s");
          const then = { ...past, key, summary: title, track };
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
          const drawn = screenText(
            { ...hostile, historyStep: then, tasks: taskBoard([task], NOW), detail },
            {
              screen: place,
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

test("shows the full project of a list without an agent", () => {
  const alone = trackOf("alone", [["Write", "pending"]], { cwd: "/srv/project-one" });
  const joined = {
    track: alone,
    hosted: true,
    state: "idle",
    findings: [],
    updatedAt: NOW,
  } as const;
  for (const columns of [60, 80, 120])
    expect(screenText(boardData([joined]), {}, { columns, rows: 20 })).toContain("project-one");
});

describe("the agent's last list write", () => {
  const size = { columns: 100, rows: 24 };
  const refused = { at: NOW, why: "todos[0].content is empty." };
  const explanation = "The schema must change first.";
  const track = trackOf("shop", [["Read", "in_progress"]], { refused, explanation });
  const one = { track, hosted: true, state: "working" as const, findings: [], updatedAt: NOW };
  const warned = boardData([one]);

  test("shows a refused write on the overview and the session screen", () => {
    const words = "List update refused: todos[0].content is empty.";
    expect(screenText(warned, {}, size)).toContain(words);
    const inside = { screen: "track" as const, selected: keyOf(warned, "shop") };
    expect(screenText(warned, inside, size)).toContain(words);
    const { refused: _, ...accepted } = track;
    expect(screenText(boardData([{ ...one, track: accepted }]), {}, size)).not.toContain("refused");
  });

  test("shows the explanation above the todos", () => {
    const inside = { screen: "track" as const, selected: keyOf(warned, "shop") };
    const lines = screenText(warned, inside, size).split("\n");
    const printed = lines.findIndex((line) => line.includes(explanation));
    expect(printed).toBeGreaterThan(0);
    expect(lines.findLastIndex((line) => line.includes("Read"))).toBeGreaterThan(printed);
  });
});

describe("closed todos", () => {
  const size = { columns: 100, rows: 24 };
  const track = trackOf("shop", [
    ["Read", "completed"],
    ["Write", "in_progress"],
  ]);
  const one = { track, hosted: true, state: "working" as const, findings: [], updatedAt: NOW };
  const inside = (clearDelay?: number) => {
    const board = boardOf([one], { now: NOW, clearDelay });
    const shown = boardData([one], { board });
    return screenText(shown, { screen: "track", selected: keyOf(shown, "shop") }, size);
  };

  test("are hidden only after a configured delay", () => {
    expect(inside()).toContain("Read");
    expect(inside(60 * 60)).toContain("Read");
    expect(inside(60)).not.toContain("Read");
    expect(inside(60)).toContain("1 of 2");
  });
});
