import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { CLAUDE, CODEX, fillHome, fixture, OPENCODE, writeOpencode } from "../sessions/home.ts";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  as,
  B,
  C,
  eachOnItsOwn,
  home,
  json,
  ls,
  MINUTE,
  machine,
  type Row,
  run,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

describe("ls", () => {
  test("prints the sessions of every agent as JSON", async () => {
    home.copy(
      "codex/rollout/simple.jsonl",
      `.codex/sessions/2026/11/15/rollout-2026-11-15T18-34-15-${CODEX}.jsonl`,
    );
    expect(ls()).toEqual([
      {
        session: CODEX,
        agent: "main",
        agentType: "codex",
        cwd: "/home/dev/demo",
        model: expect.any(String),
        title: "Speed it up",
        explanation: "Start with the query",
        mode: "work",
        state: "finished",
        progress: { completed: 2, total: 2, percent: 100, verified: 0 },
        current: null,
        next: null,
        finished: true,
        findings: [],
        version: expect.any(Number),
        openedAt: "2026-11-15T18:34:15.040Z",
        updatedAt: expect.stringMatching(/^2026-11-15T18:34:/),
      },
    ]);
  });

  test("lists the newest first and subagents with their parent, in JSON and as a table", async () => {
    fillHome(home);
    await writeOpencode(home);
    const rows = ls();
    const times = rows.map(({ updatedAt }) => Date.parse(String(updatedAt)));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(rows.filter(({ parent }) => parent !== undefined).length).toBe(5);
    expect(rows.length).toBe(12);
    const { stdout, stderr } = machine.run(["ls"], { env: { ...as(home), COLUMNS: "120" } });
    const [head, ...lines] = stdout.trimEnd().split("\n");
    const columns = ["AGENT", "PROJECT", "SESSION", "TITLE", "DONE", "COST", "STATE"];
    expect(head?.split(/\s+/)).toEqual(columns);
    // No agent works, so there is no NOW column.
    expect(lines).toHaveLength(7);
    expect(stderr).toBe("7 sessions, 5 subagents hidden. `waymark ls --all` lists all.\n");
    const all = machine.run(["ls", "--all"], { env: as(home) });
    expect(all.stdout.trimEnd().split("\n")).toHaveLength(13);
    expect(all.stderr).toBe("");
  });

  test("--home reads another home directory, without our lists and without writing an index", () => {
    fillHome(home);
    machine.run(["todo", "add", "Mine", "--session", "mine"]);
    const env = { CLAUDE_CONFIG_DIR: join(machine.root, "other"), CODEX_HOME: machine.root };
    const ran = machine.run(["ls", "--home", home.path, "--json"], { env });
    const rows = JSON.parse(ran.stdout) as Row[];
    expect(new Set(rows.map(({ agentType }) => agentType))).toEqual(
      new Set(["claude-code", "codex", "gemini", "qwen", "hermes"]),
    );
    expect(existsSync(join(machine.home, "index.json"))).toBe(false);
    expect(machine.run(["ls", "--home", join(home.path, "nowhere")])).toMatchObject({
      status: 2,
      stdout: "",
    });
  });

  test("honors the environment variables of agents for the own home directory", () => {
    home.copy("claude-code/todo-write/projects", "elsewhere/projects");
    const env = { ...as(home), CLAUDE_CONFIG_DIR: join(home.path, "elsewhere") };
    const rows = JSON.parse(machine.run(["ls", "--json"], { env }).stdout) as Row[];
    expect(new Set(rows.map(({ session }) => session))).toEqual(new Set([CLAUDE]));
  });

  test("writes an index, uses it, and discards it if it is damaged", () => {
    fillHome(home);
    const first = ls("--all");
    const file = join(machine.home, "index.json");
    expect(existsSync(file)).toBe(true);
    expect(ls("--all")).toEqual(first);
    writeFileSync(file, "{");
    expect(ls("--all")).toEqual(first);
    const stored = readFileSync(file, "utf8");
    for (const damage of [
      (line: string) => "\0".repeat(line.length),
      (line: string) => line.replaceAll('"activity":{', '"activity" {'),
      (line: string) => line.replaceAll('"text":"', '"text":"Not '),
    ]) {
      const [format, outlines, ...lines] = stored.split("\n");
      const damaged = [format, outlines, ...lines.slice(0, -1).map(damage), lines.at(-1)];
      expect(damaged.join("\n")).not.toBe(stored);
      writeFileSync(file, damaged.join("\n"));
      expect(ls("--all")).toEqual(first);
      expect(readFileSync(file, "utf8")).toBe(stored);
    }
  });

  test("warns if the index cannot be written and lists the same sessions", () => {
    fillHome(home);
    mkdirSync(join(machine.home, "index.json"), { recursive: true });
    const { status, stdout, stderr } = run("ls", "--json");
    expect({ status, rows: (JSON.parse(stdout) as Row[]).length }).toEqual({ status: 0, rows: 10 });
    expect(stderr).toMatch(/^waymark: the index of sessions cannot be saved \(.*\)\n$/);
  });

  test("creates no home directory", () => {
    expect(ls()).toEqual([]);
    expect(existsSync(machine.home)).toBe(false);
  });

  test("merges our list of a session with the activity from its transcript", () => {
    const now = Date.now();
    const session = claudeSession(A, machine.cwd)
      .prompt("Fix it", now - 10 * SECOND)
      .call("Bash", { command: "npm test" }, now - SECOND);
    writeSession(A, session.text());
    machine.tool("todos", { todos: [{ text: "Read it" }] }, "--session", A);
    const [row, ...others] = ls();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      session: A,
      agentType: "claude-code",
      state: "working",
      next: { text: "Read it" },
      cwd: machine.cwd,
    });
    expect(json("show", A)).toMatchObject({
      todos: [{ text: "Read it" }],
      activity: { turn: "running", open: [{ name: "Bash", label: "npm test" }] },
    });
    // A list that Waymark hosts can be changed, whichever agent runs the session.
    expect(run("todo", "done", "1", "--session", A)).toMatchObject({ status: 0 });
  });
});

test("lists what each agent does, what is next, and which one stalls", () => {
  const now = Date.now();
  writeSession(
    A,
    claudeSession(A, "/srv/ledger-api")
      .prompt("Make refunds idempotent", now - 5 * MINUTE)
      .todos(
        [
          ["Find callers", "completed"],
          ["Add the key", "in_progress"],
          ["Write docs", "pending"],
        ],
        now - 2 * MINUTE,
      )
      .call("Bash", { command: "npm run migrate" }, now - SECOND)
      .text(),
  );
  writeSession(
    B,
    claudeSession(B, "/srv/infra")
      .prompt("Upgrade staging", now - 20 * MINUTE)
      .todos([["Plan it", "in_progress"]], now - 10 * MINUTE)
      .call("Bash", { command: "terraform apply" }, now - 6 * MINUTE - 10 * SECOND)
      .text(),
  );
  writeSession(
    C,
    claudeSession(C, "/srv/docs")
      .prompt("Rewrite the start", now - 60 * MINUTE)
      .todos([["Write", "completed"]], now - 50 * MINUTE)
      .end(now - 45 * MINUTE)
      .text(),
  );
  const table = (columns: string) => {
    const { status, stdout } = machine.run([], { env: { ...as(home), COLUMNS: columns } });
    expect(status).toBe(0);
    return stdout.split("\n").slice(0, 4);
  };
  expect(table("80")).toEqual([
    "AGENT       PROJECT    SESSION  TITLE                   DONE  STATE",
    expect.stringMatching(
      /^Claude Code ledger-api aaaaaaaa Make refunds idempotent {2}1\/3 {2}▸ 2m \ds$/,
    ),
    "Claude Code infra      bbbbbbbb Upgrade staging          0/1  ◌ stalled 6m",
    "Claude Code docs       cccccccc Rewrite the start        1/1  finished",
  ]);
  // A wide terminal has columns for the current and the next todo.
  expect(table("120").map((line) => line.slice(32))).toEqual([
    "TITLE                   NOW         NEXT       DONE  STATE",
    expect.stringMatching(/^Make refunds idempotent Add the key Write docs {2}1\/3 {2}▸ 2m \ds$/),
    "Upgrade staging         Plan it                 0/1  ◌ stalled 6m",
    "Rewrite the start                               1/1  finished",
  ]);
  expect(table("100")[0]).toBe(
    "AGENT       PROJECT    SESSION  TITLE                   NOW         DONE  STATE",
  );
  expect(
    ls().map(({ session, state, current, next, findings }) => [
      session,
      state,
      (current as { text: string } | null)?.text,
      (next as { text: string } | null)?.text,
      (findings as { kind: string; message: string }[]).map(({ kind }) => kind),
    ]),
  ).toEqual([
    [A, "working", "Add the key", "Write docs", []],
    [B, "stalled", "Plan it", undefined, ["stalled"]],
    [C, "finished", undefined, undefined, []],
  ]);
  // The call that does not return.
  const shown = run("show", "bbbb").stdout;
  expect(shown).toMatch(/^state {6}stalled: no output for 6m 1\ds, in terraform apply$/m);
  expect(shown).toMatch(/running terraform apply {2}6m 1\ds$/m);
});

test("reports a loop with its call and count", () => {
  const now = Date.now();
  const session = claudeSession(A, "/srv/web")
    .prompt("Wait for the build", now - 60 * MINUTE)
    .todos([["Wait", "in_progress"]], now - 59 * MINUTE);
  const poll = (n: number) =>
    session.call("BashOutput", { bash_id: "b1" }, now - (40 - n) * SECOND, "still building");
  for (let n = 1; n <= 10; n++) poll(n);
  const path = writeSession(A, session.text());
  const findings = () => ls()[0]?.findings;
  expect(findings()).toEqual([
    {
      kind: "known_poll_no_progress",
      level: "warning",
      label: "BashOutput b1",
      count: 10,
      message: "BashOutput b1, 10 times, nothing changed",
    },
  ]);
  expect(run("ls").stdout).toContain("↻ looping");
  for (let n = 11; n <= 20; n++) poll(n);
  writeFileSync(path, session.text());
  expect(findings()).toMatchObject([{ level: "critical", count: 20 }]);
});

test("shows the list at a past time, and how long each todo took", () => {
  const night = Date.parse("2026-11-14T00:00:00Z");
  const at = (hours: number, minutes: number) => night + (hours * 60 + minutes) * MINUTE;
  writeSession(
    A,
    claudeSession(A, machine.cwd)
      .prompt("Move the data", at(1, 0))
      .todos(
        [
          ["Copy", "in_progress"],
          ["Compare", "pending"],
        ],
        at(1, 5),
      )
      .todos(
        [
          ["Copy", "completed"],
          ["Compare", "in_progress"],
        ],
        at(1, 55),
      )
      .todos(
        [
          ["Copy", "completed"],
          ["Compare both sides", "in_progress"],
        ],
        at(2, 30),
      )
      .todos([["Copy", "completed"]], at(3, 0))
      .end(at(3, 1))
      .text(),
  );
  expect(json("todos", "--session", "aaaaaaaa", "--at", "2026-11-14T02:00:00Z")).toMatchObject({
    session: A,
    todos: [
      { text: "Copy", status: "completed" },
      { text: "Compare", status: "in_progress" },
    ],
  });
  const history = json("history", "--session", A) as unknown as Row[];
  expect(
    history.map(({ text, from, to, change, after }) => [text, from, to, change, after]),
  ).toEqual([
    ["Copy", null, "in_progress", "added", undefined],
    ["Compare", null, "pending", "added", undefined],
    ["Copy", "in_progress", "completed", "moved", 50 * MINUTE],
    ["Compare", "pending", "in_progress", "moved", 50 * MINUTE],
    ["Compare both sides", "in_progress", "in_progress", "reworded", undefined],
    ["Compare both sides", "in_progress", null, "removed", undefined],
  ]);
  // The same in the directory of the session, without naming it.
  const here = run("history");
  expect(here).toMatchObject({ status: 0, stderr: `session ${A}, agent main\n` });
  expect(here.stdout).toContain("in_progress -> completed  50m 0s");
  expect(run("todos", "--all").stdout).toContain("Copy");
});

describe("show", () => {
  test("prints one session in full as JSON and as text", () => {
    fillHome(home);
    home.write(
      `.claude/projects/-home-dev-demo/${CLAUDE}.jsonl`,
      `${fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`)}broken\n`,
    );
    const shown = json("show", CLAUDE.slice(0, 8));
    expect(Object.keys(shown).sort()).toEqual(
      [
        ...["activity", "agent", "agentType", "children", "current", "cwd", "findings", "finished"],
        ...["history", "list", "mode", "model", "next", "openedAt", "plan", "progress", "remarks"],
        ...["revision", "session", "skipped", "state", "title", "todos", "updatedAt", "version"],
        ...["changedFiles", "usage", "usageByTodo", "usageUnattributed", "usageWithSubagents"],
      ].sort(),
    );
    expect(shown).toMatchObject({
      session: CLAUDE,
      agent: "main",
      state: "finished",
      plan: null,
      progress: { completed: 3, total: 3, percent: 100, verified: 0 },
      todos: [{ text: "Write the parser" }, { text: "Add tests" }, { text: "Update the docs" }],
      activity: {
        turn: "completed",
        open: [],
        recent: [{ name: "Task", ok: true }],
        counts: { turns: 1, writes: 2, rejected: 0 },
      },
      findings: [],
      skipped: { bad_line: 1 },
    });
    const { children, skipped } = shown as unknown as {
      children: Row[];
      skipped: { files: string[] };
    };
    // In order of appearance.
    expect(children.map(({ agent, parent }) => [agent, parent])).toEqual([
      ["a4431c4", "main"],
      ["a189b90b0a09a3340", "main"],
    ]);
    expect(skipped.files[0]).toBe(
      join(home.path, `.claude/projects/-home-dev-demo/${CLAUDE}.jsonl`),
    );
    const { stdout, status } = run("show", CLAUDE);
    expect(status).toBe(0);
    for (const part of ["Subagents", "Skipped: 1 invalid line", "Activity, turn completed"])
      expect(stdout).toContain(part);
  });

  test("prints a proposed plan", () => {
    home.copy("claude-code/plans/rejected.jsonl", `.claude/projects/-p/${CLAUDE}.jsonl`);
    expect(json("show", CLAUDE)).toMatchObject({
      plan: { state: "rejected", text: expect.any(String), at: expect.any(String) },
    });
    expect(run("show", CLAUDE).stdout).toContain("Plan, rejected");
  });

  test("reads a session and its history from the database of opencode", async () => {
    await writeOpencode(home);
    const history = json("history", "--session", OPENCODE) as unknown as Row[];
    expect(history.map(({ text, from, to }) => [text, from, to])).toEqual([
      ["Sketch the schema", null, "in_progress"],
      ["Sketch the schema", "in_progress", "completed"],
      ["Write the migration", null, "in_progress"],
    ]);
  });
});

describe("a prefix of a session id", () => {
  beforeEach(() => {
    const now = Date.now();
    for (const session of [A, B, `bbbbbbbb-9${B.slice(10)}`])
      writeSession(
        session,
        claudeSession(session, "/srv")
          .prompt("Go", now)
          .todos([[session, "pending"]], now)
          .text(),
      );
  });

  test("selects the only match, or lists several", () => {
    expect(json("todos", "--session", "aaaa")).toMatchObject({ session: A });
    expect(run("show", "bbbb")).toEqual({
      status: 1,
      stdout: "",
      stderr: `waymark: "bbbb" matches 2 sessions: ${B}, bbbbbbbb-9${B.slice(10)}. Use more characters of the id.\n`,
    });
    expect(run("todos", "--session", "zzzz")).toMatchObject({ status: 1 });
    const ids = run("ls").stdout.match(/bbbbbbbb-\d/g);
    expect(ids?.sort()).toEqual(["bbbbbbbb-2", "bbbbbbbb-9"]);
  });

  test("is completed by shells from the sessions seen last", () => {
    run("ls");
    const { stdout } = run("completion", "--words", "sessions");
    expect(stdout.trimEnd().split("\n").sort()).toEqual([A, B, `bbbbbbbb-9${B.slice(10)}`]);
  });

  test("is accepted for generated ids only, not for names", () => {
    expect(run("todo", "add", "Ten", "--session", "demo-10")).toMatchObject({ status: 0 });
    expect(run("todo", "add", "One", "--session", "demo-1")).toMatchObject({ status: 0 });
    expect(json("todos", "--session", "demo-1")).toMatchObject({ todos: [{ text: "One" }] });
    expect(json("todos", "--session", "demo-10")).toMatchObject({ todos: [{ text: "Ten" }] });
  });
});

test("refuses to change the list of an external agent and says what to do", () => {
  const now = Date.now();
  const text = claudeSession(A, machine.cwd)
    .prompt("Go", now)
    .todos([["Read", "pending"]], now)
    .text();
  const path = writeSession(A, text);
  const refused = {
    status: 1,
    stdout: "",
    stderr: `waymark: Only Claude Code can change the list of session ${A}. Ask the agent to, or start a list of your own with \`waymark todo add TEXT --session NAME\`.\n`,
  };
  expect(run("todo", "done", "1", "--session", A)).toEqual(refused);
  expect(run("todo", "done", "1", "--session", "aaaaaaaa")).toEqual(refused);
  expect(run("todo", "add", "x", "--session", A)).toEqual(refused);
  expect(run("todo", "add", "x", "--session", "aaaaaaaa")).toEqual(refused);
  expect(run("todo", "done", "1")).toEqual(refused);
  expect(run("todo", "export", "--session", A)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^- \[ \] Read /),
  });
  expect(json("todos", "--session", A)).toMatchObject({ todos: [{ text: "Read" }] });
  expect(existsSync(path)).toBe(true);
});

test("reads the list of a very long session from its end, without writing an index", () => {
  const now = Date.now();
  const path = writeSession(A, claudeSession(A, "/srv").prompt("Go", now).text());
  const filler = `${JSON.stringify({ type: "progress", text: "x".repeat(1_000_000) })}\n`;
  for (let n = 0; n < 66; n++) appendFileSync(path, filler);
  const end = claudeSession(A, "/srv").todos(
    [
      ["Read", "completed"],
      ["Write", "in_progress"],
    ],
    now,
  );
  appendFileSync(path, end.text() + filler.repeat(3));
  expect(json("todos", "--session", A)).toMatchObject({
    session: A,
    todos: [
      { text: "Read", status: "completed" },
      { text: "Write", status: "in_progress" },
    ],
  });
  expect(existsSync(machine.home)).toBe(false);
  // The same list as by reading the whole file.
  expect(ls()[0]).toMatchObject({ session: A, current: { text: "Write" } });
  expect(json("todos", "--session", A)).toMatchObject({ progress: { completed: 1, total: 2 } });
});

describe("hostile text", () => {
  const EVIL =
    "\u001b[31mred\u001b]0;title\u0007\u001b]52;c;eA==\u001b\\\u009b2J\rover\u202eabc\u2066\u200f\u007fend";
  const ACTS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

  test("is printed without control characters", () => {
    const now = Date.now();
    writeSession(
      A,
      claudeSession(A, `/srv/${EVIL}`)
        .prompt(EVIL, now - MINUTE)
        .todos(
          [
            [EVIL, "in_progress"],
            [EVIL, EVIL],
          ],
          now - MINUTE,
        )
        .call(EVIL, { command: EVIL }, now, EVIL)
        .call("Bash", { command: EVIL }, now)
        .text(),
    );
    const commands = [
      [],
      ["ls"],
      ["ls", "--json"],
      ["show", A],
      ["show", A, "--json"],
      ["todos", "--session", A],
      ["history", "--session", A],
      ["doctor"],
      ["doctor", "--json"],
    ];
    for (const args of commands) {
      const { stdout, stderr, status } = run(...args);
      expect(`${args.join(" ")}: ${status}`).toBe(`${args.join(" ")}: 0`);
      expect(`${stdout}${stderr}`).not.toMatch(ACTS);
      expect(stdout.length).toBeGreaterThan(0);
    }
  });
});
