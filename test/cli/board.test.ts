import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "../../src/home/open.ts";
import { FULL } from "../full.ts";
import { needs, ONLY_AT_FULL_SIZE } from "../skipped.ts";
import { until } from "../until.ts";
import { newBoards } from "./boards.ts";
import { claudeSession } from "./claude-session.ts";
import { describeOnTerminal } from "./tty.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const HOUR = 3_600_000;

const boards = newBoards();
const { board, write } = boards;

/** An agent that has worked for three hours and was active a moment ago. */
function shop(now: number) {
  const begun = now - 3 * HOUR - 20_000;
  return claudeSession(A, "/srv/shop")
    .prompt("Open the shop", begun)
    .todos(
      [
        ["Sweep the floor", "completed"],
        ["Fill the 棚 with 日本語 books", "in_progress"],
        ["Turn the sign", "pending"],
      ],
      begun,
    )
    .call("Bash", { command: "ls shelves" }, now - 4_000, "ok");
}

const fileOf = (session: string) => `.claude/projects/-srv-shop/${session}.jsonl`;

/** The screen without clock, seconds and spinner. */
function still(rows: readonly string[]): string {
  const text = rows
    .join("\n")
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠹")
    .replace(/\d\d:\d\d/g, "14:32")
    .replace(/ (?:\d|[1-5]\d)s\b/g, (time) => `${" ".repeat(time.length - 2)}0s`)
    .replace(/ +0s$/gm, (end) => `${" ".repeat(end.length - 3)} 0s`);
  return `${text}\n`;
}

async function propose(session: string): Promise<void> {
  const opened = openHome({ WAYMARK_HOME: boards.machine.home }, () => undefined);
  const list = (await opened.writing()).list({ session, agent: "main" }, { cwd: "/srv/shop" });
  await list.plan.propose(
    "# Close the shop\n\nAt six, not later.\n\n1. Count the money\n2. Close the door\n",
  );
  await opened.close();
}

describeOnTerminal("the board on a terminal", () => {
  test.each([
    [40, 12],
    [80, 24],
    [200, 50],
  ])("%ix%i: draws the sessions and restores the terminal", async (columns, rows) => {
    boards.home.write(fileOf(A), shop(Date.now()).text());
    const tty = board(columns, rows);
    await tty.shows("Open the shop");
    await tty.until(
      (lines) => /enter open.*\? help +q quit/.test(lines.at(-1) ?? ""),
      "everything",
    );
    const lines = tty.screen();
    await expect(still(lines)).toMatchFileSnapshot(`goldens/board-${columns}x${rows}.txt`);
    expect(tty.isOther()).toBe(true);
    const row = lines.findIndex((line) => line.includes("棚"));
    const column = (lines[row] ?? "").indexOf("棚");
    expect([row > 0, tty.widthAt(row, column)]).toEqual([true, 2]);
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const left = tty.scrollback().join("\n");
    expect(left).toContain("ended with 0\nas it was");
    expect(left.match(/Open the shop/g)?.length).toBe(1);
    expect(left).toContain("Your agents keep running.");
    expect(tty.isOther()).toBe(false);
    expect(tty.raw().endsWith("\x1b[?25l")).toBe(false);
    expect(tty.raw().lastIndexOf("\x1b[?1000l")).toBeGreaterThan(
      tty.raw().lastIndexOf("\x1b[?1000h"),
    );
  });

  test(
    "shows what an agent appends, and writes only changed rows",
    async () => {
      const session = shop(Date.now());
      const path = boards.home.write(fileOf(A), session.text());
      const tty = board(80, 24);
      await tty.shows("1/3");
      await tty.until((lines) => lines.at(-1)?.includes("enter open") === true, "everything");
      const from = tty.raw().length;
      const until = Date.now() + (FULL ? 60_000 : 5_000);
      let count = 0;
      while (count < 3 || Date.now() < until) {
        const old = session.text().length;
        session.call("Bash", { command: `echo ${++count}` }, Date.now(), "ok");
        // The list has another length each time: repeating it would be a loop.
        const done = Array.from({ length: 1 + (count % 9) }, (_, place): [string, string] => [
          `Shelf ${place}`,
          "completed",
        ]);
        session.todos([...done, [`Fill shelf ${count}.`, "in_progress"]], Date.now());
        appendFileSync(path, session.text().slice(old));
        await tty.shows(`Fill shelf ${count}.`);
      }
      const written = tty.raw().slice(from);
      expect(written).not.toMatch(/\x1b\[[0-3]?J/);
      expect(written).not.toContain("WORKING");
      tty.type("q");
      expect(await tty.finished).toBe(0);
    },
    FULL ? 120_000 : 60_000,
  );

  test("plays the demo", {
    ...needs(ONLY_AT_FULL_SIZE),
    timeout: 90_000,
  }, async () => {
    const tty = board(80, 24, {}, "demo --speed 2");
    await tty.shows("◆ plan");
    await tty.shows("◌ stalled  no output for");
    await tty.shows("↻ looping  npm test -- cart");
    await tty.shows("✓✓ finished");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(tty.text()).toContain("ended with 0\nas it was");
  });

  test("follows resizes, down to a size that is too small", async () => {
    boards.home.write(fileOf(A), shop(Date.now()).text());
    const tty = board(80, 24);
    await tty.shows("Next: Turn the sign");
    tty.resize(120, 40);
    await tty.shows("Activity");
    tty.resize(40, 12);
    await tty.until(
      (lines) =>
        lines.some((line) => line.startsWith("▌›cc Open the shop")) &&
        !lines.join("\n").includes("Next:"),
      "one line",
    );
    tty.resize(30, 8);
    await tty.shows("current 30x8");
    tty.resize(80, 24);
    await tty.shows("Next: Turn the sign");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("opens a todo from the filter and adds a note to its list", async () => {
    write("yard", [
      ["Rake the leaves", "in_progress"],
      ["Water the roses", "pending"],
    ]);
    const tty = board(80, 24);
    await tty.shows("Rake the leaves");
    tty.type("/");
    tty.type("roses");
    await tty.until(([head = ""]) => head.includes("0 of 1 session · 1 todo"), "the todo");
    tty.type("\r");
    await tty.shows("› ○   Water the roses");
    tty.type("mThe red ones first\r");
    await tty.shows("│ The red ones first");
    tty.type(" ");
    await tty.shows("✓   Water the roses");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const { todos } = boards.machine.json(["todos", "--session", "yard"]) as {
      todos: { text: string; status: string; notes?: string[] }[];
    };
    expect(todos.map(({ text, status, notes }) => [text, status, notes])).toEqual([
      ["Rake the leaves", "in_progress", undefined],
      ["Water the roses", "completed", ["The red ones first"]],
    ]);
  });

  test("moves the selection with the mouse wheel", async () => {
    write("first", [["Rake the leaves", "in_progress"]]);
    write("second", [["Water the roses", "in_progress"]]);
    const tty = board(80, 24);
    const selected = (text: string) => (lines: readonly string[]) =>
      lines.some((line) => line.startsWith("▌›") && line.includes(text));
    await tty.until(selected("Water the roses"), "the newer one selected");
    tty.type("\x1b[<65;10;5M");
    await tty.until(selected("Rake the leaves"), "the one below selected");
    tty.type("\x1b[<64;10;5M");
    await tty.until(selected("Water the roses"), "the one above selected");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("shows the running command on the row and a waiting plan in the preview", async () => {
    const session = shop(Date.now()).call("Bash", { command: "npm run stock" }, Date.now());
    boards.home.write(fileOf(A), session.text());
    await propose("evening");
    const tty = board(120, 40);
    await tty.shows("$ npm run stock");
    await tty.until(
      (lines) => lines.some((line) => /│ +1 {2}Count the money/.test(line)),
      "the steps of the plan",
    );
    await tty.shows("a approve  r reject  enter open");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("selects with a click, opens with a double click, and restores the mouse", async () => {
    write("first", [["Rake the leaves", "in_progress"]]);
    write("second", [["Water the roses", "in_progress"]]);
    const tty = board(80, 24);
    const rowOf = (text: string) => tty.screen().findIndex((line) => line.includes(text));
    const click = (row: number) => `\x1b[<0;10;${row + 1}M\x1b[<0;10;${row + 1}m`;
    const isSelected = (text: string) => (lines: readonly string[]) =>
      lines.some((line) => line.startsWith("▌›") && line.includes(text));
    await tty.until(isSelected("Water the roses"), "the newer one selected");
    tty.type(click(rowOf("Rake the leaves")));
    await tty.until(isSelected("Rake the leaves"), "the clicked one selected");
    const row = rowOf("Water the roses");
    tty.type(click(row) + click(row));
    await tty.until(
      (lines) => lines.some((line) => /^› \S+ +Water the roses/.test(line)),
      "its list",
    );
    const modes = () => ["\x1b[?1000h", "\x1b[?1000l"].map((mode) => tty.raw().lastIndexOf(mode));
    const isOn = () => (modes()[0] ?? 0) > (modes()[1] ?? 0);
    expect(isOn()).toBe(true);
    // Ctrl+Z stops the program, and the shell continues it.
    tty.type("\x1a");
    await until(() => !isOn(), "the mouse to be released");
    process.kill(tty.pid(), "SIGCONT");
    await until(isOn, "the mouse to be taken again");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(isOn()).toBe(false);
  });

  test.each([
    ["--no-mouse", {}],
    ["", { WAYMARK_NO_MOUSE: "1" }],
  ])("leaves the mouse to the terminal: %s", async (args, env) => {
    write("first", [["Rake the leaves", "in_progress"]]);
    const tty = board(80, 24, env, args);
    await tty.shows("Rake the leaves");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(tty.raw()).not.toMatch(/\x1b\[\?100[0-6][hl]/);
  });

  test("filters as you type, keeps the filter as a chip, and says what to do without a match", async () => {
    boards.home.write(fileOf(A), shop(Date.now()).text());
    write("done", [["Lock the door", "completed"]]);
    write("yard", [["Rake the leaves", "in_progress"]]);
    const tty = board(80, 24);
    const shows = (...texts: readonly string[]) =>
      tty.until(
        (lines) =>
          ["Open the shop", "Lock the door", "Rake the leaves"].every(
            (text) => lines.join("\n").includes(text) === texts.includes(text),
          ),
        `only ${texts.join(" and ")}`,
      );
    await shows("Open the shop", "Lock the door", "Rake the leaves");
    await tty.until(([head = ""]) => head.includes("1 finished (unproven)"), "the counts");
    tty.type("/ots");
    await shows("Open the shop");
    await tty.until(([head = ""]) => head.startsWith("/ ots"), "the filter line");
    // The matching letters are underlined.
    expect(tty.raw()).toMatch(/\x1b\[(?:[\d;]+;)?4;[\d;]*mO\x1b\[0m/);
    tty.type("\t");
    await tty.until((lines) => / ots × .*1 of 3 shown/.test(lines[1] ?? ""), "the chip");
    await shows("Open the shop");
    tty.type("\x1b");
    await shows("Open the shop", "Lock the door", "Rake the leaves");
    tty.type("/leavse");
    await tty.shows("No session, todo or task matches leavse.");
    await tty.shows("leaves finds 1 session: press tab to search that.");
    tty.type("\t");
    await shows("Rake the leaves");
    tty.type("\x15@claude");
    await shows("Open the shop");
    tty.type("\x15is:unproven");
    await shows("Lock the door");
    tty.type("\x1b");
    await shows("Open the shop", "Lock the door", "Rake the leaves");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("filters with chips, sorts, and keeps the selected session", async () => {
    boards.home.write(fileOf(A), shop(Date.now()).text());
    write("done", [["Lock the door", "completed"]]);
    const tty = board(80, 24);
    const chips = (text: string) =>
      tty.until((lines) => lines[1]?.includes(text) === true, `the chip ${text}`);
    const selected = (text: string) =>
      tty.until(
        (lines) => lines.some((line) => line.startsWith("▌›") && line.includes(text)),
        `${text} selected`,
      );
    await tty.shows("Lock the door");
    await tty.shows("Open the shop");
    await chips(" today ×   agent   project   state   sort: needs you");
    tty.type("f\x1b[C\x1b[C\x1b[B");
    await chips(" working × ");
    await tty.until((lines) => !lines.join("\n").includes("Lock the door"), "only the shop");
    tty.type("\x1b[B");
    await chips(" finished × ");
    await selected("Lock the door");
    tty.type("x\x1b");
    await chips(" state   sort: needs you");
    await selected("Lock the door");
    tty.type("s");
    await chips("sort: recent");
    await tty.shows("MOST RECENT FIRST");
    await selected("Lock the door");
    tty.type("s");
    await chips("sort: cost");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("ingests pending hook events without another command", async () => {
    const tty = board(80, 24);
    await tty.shows("No sessions yet");
    const spool = join(boards.machine.home, "spool");
    mkdirSync(spool, { recursive: true });
    const todos = [{ content: "Sweep the yard", status: "in_progress", activeForm: "Sweeping" }];
    const event = {
      session_id: A,
      cwd: "/srv/yard",
      hook_event_name: "PostToolUse",
      tool_name: "TodoWrite",
      tool_input: { todos },
      tool_response: { oldTodos: [], newTodos: todos },
    };
    writeFileSync(join(spool, `${A}.PostToolUse.claude.1-a`), JSON.stringify(event));
    await tty.shows("Sweep the yard");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("undoes a decision on a plan, and delivers one at once when the board ends", async () => {
    await propose("evening");
    const stateOf = () =>
      (boards.machine.json(["show", "evening"]) as { plan: { state: string } }).plan.state;
    const tty = board(80, 24);
    await tty.shows("◆ plan");
    tty.type("a");
    await tty.shows("Approving the plan of");
    tty.type("u");
    await tty.shows("Taken back. The agent still waits.");
    expect(stateOf()).toBe("proposed");
    tty.type("rToo late\r");
    await tty.shows("Rejecting the plan of");
    expect(stateOf()).toBe("proposed");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(stateOf()).toBe("rejected");
    expect(tty.text()).toContain("Plan rejected.");
  });

  test("approves a plan; its steps become todos", async () => {
    await propose("evening");
    const tty = board(80, 24);
    await tty.shows("◆ plan");
    tty.type("\r");
    await tty.shows("On approval  the 2 steps become its todos");
    tty.type("a");
    await tty.shows("in 10s");
    await tty.shows("plan approved");
    tty.type("p");
    await tty.shows("○   Count the money");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const shown = boards.machine.json(["show", "evening"]) as {
      plan: { state: string };
      todos: unknown[];
    };
    expect([shown.plan.state, shown.todos.length]).toEqual(["approved", 2]);
  });

  test("rejects a plan with a reason", async () => {
    await propose("evening");
    const tty = board(80, 24);
    await tty.shows("◆ plan");
    tty.type("r");
    await tty.shows("Reason to reject");
    tty.type("Not on a Monday\r");
    await tty.shows("Plan rejected.");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    const { plan } = boards.machine.json(["show", "evening"]) as {
      plan: { state: string; comment?: string };
    };
    expect(plan.state).toBe("rejected");
    expect(JSON.stringify(plan)).toContain("Not on a Monday");
  });

  test("shows more with Ctrl+T and remembers it", async () => {
    for (let place = 0; place < 10; place++)
      write(`done-${place}`, [[`Finished job ${place}.`, "completed"]]);
    write("now", [["Work on it", "in_progress"]]);
    const tty = board(80, 16);
    await tty.shows("FINISHED  10 sessions  ✓ 10 unproven");
    await tty.until((lines) => lines.at(-1)?.includes("ctrl+t show todos") === true, "the hint");
    tty.type("\x14");
    await tty.until(
      (lines) => lines.filter((line) => line.includes("Finished job")).length > 5,
      "all",
    );
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(JSON.parse(readFileSync(join(boards.machine.home, "board.json"), "utf8"))).toEqual({
      more: true,
    });
    const again = board(80, 16);
    await again.until((lines) => lines.at(-1)?.includes("ctrl+t hide todos") === true, "the hint");
    await again.until(
      (lines) => lines.filter((line) => line.includes("Finished job")).length > 5,
      "all",
    );
    again.type("q");
    expect(await again.finished).toBe(0);
  });

  test("opens the list in the user's editor and returns to the board", async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const editor = `sed -i s/leaves/gravel/`;
    const tty = board(80, 24, { EDITOR: editor });
    await tty.shows("Rake the leaves");
    tty.type("e");
    await tty.shows("Rake the gravel");
    expect(tty.isOther()).toBe(true);
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("steps through the history of a list", async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    write("yard", [
      ["Rake the leaves", "completed"],
      ["Water the roses", "in_progress"],
    ]);
    const tty = board(80, 24);
    await tty.shows("1/2");
    tty.type("\rh");
    await tty.shows("2 of 2");
    tty.type("[");
    await tty.until((lines) => {
      const screen = lines.join("\n");
      return (
        screen.includes("the agent: added Rake the leaves") &&
        !screen.includes("▸   Water the roses")
      );
    }, "the list after its first change");
    tty.type("\x1b");
    await tty.shows("Water the roses");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("escapes hostile text in every color mode", async () => {
    const evil = "\x1b[2J\x1b]0;owned\x07\u202e日本\u0007 evil";
    const begun = Date.now() - 10_000;
    boards.home.write(
      fileOf(A),
      claudeSession(A, "/srv/\x1b[31mred")
        .prompt(evil, begun)
        .todos([[evil, "in_progress"]], begun)
        .text(),
    );
    for (const env of [{}, { NO_COLOR: "1" }, { WAYMARK_ASCII: "1" }]) {
      const tty = board(80, 24, env);
      await tty.shows("evil");
      const before = tty.raw();
      tty.type("\r");
      await tty.shows("0 of 1");
      tty.type("q");
      expect(await tty.finished).toBe(0);
      const raw = tty.raw();
      expect(before).not.toContain("\x1b]0;");
      expect(raw).not.toContain("\x1b]0;");
      expect(/\x1b\[[\d;]*(?:38;5|48;5)/.test(raw)).toBe(!("NO_COLOR" in env));
      expect(tty.scrollback().join("\n")).toContain("as it was");
    }
  });

  test("prints the table without a terminal and with --plain", {
    tags: ["slow-terminal"],
  }, async () => {
    write("yard", [["Rake the leaves", "in_progress"]]);
    const piped = boards.machine.run([]);
    expect(piped.stdout.split("\n")[0]).toMatch(/^AGENT|^SESSION|^ *PROJECT/);
    const tty = board(80, 24, {}, "--plain");
    expect(await tty.finished).toBe(0);
    expect(tty.isOther()).toBe(false);
    expect(tty.scrollback().join("\n")).toContain("Rake the leaves");
    expect(tty.raw()).not.toContain("\x1b[?1049h");
  });
});
