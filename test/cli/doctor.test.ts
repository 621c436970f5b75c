import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { fillHome, writeOpencode } from "../sessions/home.ts";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  as,
  B,
  eachOnItsOwn,
  home,
  json,
  machine,
  type Row,
  run,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

describe("doctor", () => {
  interface Report {
    readonly agents: readonly Row[];
    readonly sqlite: unknown;
    readonly home: unknown;
    readonly attention: readonly string[];
  }
  const report = () => JSON.parse(run("doctor", "--json").stdout) as Report;

  test("reports agents, their versions and folders, and lists that are off", () => {
    fillHome(home);
    const { agents, sqlite, attention } = report();
    const of = (id: string) => agents.find((agent) => agent.id === id);
    expect(of("codex")).toEqual({
      id: "codex",
      name: "Codex",
      installed: true,
      program: null,
      looked: [
        { path: join(home.path, ".codex/sessions"), there: true },
        { path: join(home.path, ".codex/archived_sessions"), there: false },
      ],
      sessions: 1,
      files: 2,
      newest: expect.stringMatching(/^2026-11-15T/),
      version: "0.166.0",
      list: {
        state: "on",
        since: "0.152",
        why: "update_plan is off by default",
        setting: "[tools.update_plan] with enabled = true in its config.toml",
      },
      setup: { agent: "codex", setUp: null },
      skipped: {},
      skippedIn: [],
      skippedFiles: 0,
      unreadable: [],
    });
    expect(of("openclaw")).toMatchObject({ installed: false, sessions: 0, newest: null });
    expect(of("openclaw")).not.toHaveProperty("unproven");
    expect(of("goose")).toMatchObject({ unproven: "documentation only" });
    expect(sqlite).toEqual({
      driver: expect.stringMatching(/^(?:node|libsql)$/),
      version: expect.stringMatching(/^3\./),
      walFault: expect.any(Boolean),
    });
    expect(attention).toEqual([]);
    expect(run("doctor").status).toBe(0);
  });

  test("finds an installed agent without sessions and asks it for its version", () => {
    const program = home.write("bin/codex", "#!/bin/sh\necho codex-cli 0.166.0\n");
    chmodSync(program, 0o755);
    const env = { ...as(home), PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
    const { stdout, status } = machine.run(["doctor"], { env });
    expect(status).toBe(0);
    expect(stdout).toContain(
      [
        "AGENTS",
        "  warn  Codex 0.166.0  watched  0 sessions  todo list off",
        "        Off by default since 0.152: update_plan is off by default.",
        "        Run: waymark setup codex, or with --native to enable its own list",
        "        No sessions in ~/.codex/sessions, ~/.codex/archived_sessions",
        "  --    not installed: ",
      ].join("\n"),
    );
    expect(stdout).toContain("\nNo problems, 1 warning.\n");
  });

  test("counts refusals by reason, and reports pending and failed hook events", () => {
    run("todo", "add", "One", "--session", "demo");
    const twice = { todos: ["a", "b"].map((text) => ({ text, status: "in_progress" })) };
    for (const input of [twice, twice, { unknown: true }])
      machine.tool("todos", input, "--session", "demo");
    run("todo", "done", "99", "--session", "demo");
    run("task", "claim", "t9", "--as", "ann");
    machine.run(["hook", "claude", "PostToolUse"], { input: "no JSON" });
    const { stdout } = run("doctor");
    expect(stdout).toContain("  ok    refused    list changes: two_active 2, ");
    expect(stdout).toContain("invalid_input 1");
    expect(stdout).toContain("not_found 1");
    expect(stdout).toContain("  ok    refused    task changes: not_found 1\n");
    expect(stdout).toMatch(
      /warn {2}hooks {6}1 problem in \S+\/hook\.log, the last at \d\d:\d\d: claude PostToolUse: /,
    );
  });

  test("reports why Claude Code has no list and how to turn it on", () => {
    const now = Date.now();
    writeSession(A, claudeSession(A, "/srv").prompt("Go", now).end(now).text());
    const { stdout, status } = run("doctor");
    expect(status).toBe(0);
    expect(stdout).toContain(
      "        Off by default since 2.1.325: its default model gets neither TodoWrite nor the Task tools.\n        Run: waymark setup claude, or with --native to enable its own list\n",
    );
  });

  test("names unreadable records by file and line, also deep in a long file", () => {
    const now = Date.now();
    const session = claudeSession(A, "/srv").prompt("Go", now);
    for (let call = 0; call < 300; call++)
      session.call("Bash", { command: `echo ${call}` }, now, "x".repeat(1_000));
    const lines = session.end(now).text().split("\n");
    // The first is in the part that is only scanned; it names a list tool.
    const places = [200, 400, 500, 550];
    const compacted = {
      type: "system",
      subtype: "compact_boundary",
      sessionId: A,
      isSidechain: false,
    };
    lines.splice(99, 0, JSON.stringify({ ...compacted, timestamp: new Date(now).toISOString() }));
    for (const place of places) lines.splice(place - 1, 0, '{"name":"TodoWrite"');
    writeSession(A, lines.join("\n"));
    writeSession(
      B,
      claudeSession(B, "/srv")
        .call("TodoWrite", { todos: "none" }, now - 60_000)
        .text()
        .concat(
          JSON.stringify({
            type: "user",
            sessionId: B,
            timestamp: new Date(now - 60_000).toISOString(),
            message: {
              role: "user",
              content: [
                { type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: "no" },
              ],
            },
          }),
          "\n",
        ),
    );
    const path = (id: string) => join(home.path, `.claude/projects/-p/${id}.jsonl`);
    expect(report().agents.find(({ id }) => id === "claude-code")).toMatchObject({
      skipped: { bad_line: 4, list_rejected: 1 },
      skippedIn: expect.arrayContaining([
        {
          path: path(A),
          skipped: { bad_line: 4 },
          lines: places.map((line) => ({
            path: path(A),
            line,
            code: "bad_line",
            message: "not JSON",
          })),
        },
        { path: path(B), skipped: { list_rejected: 1 }, lines: [] },
      ]),
      skippedFiles: 2,
    });
    const { stdout } = run("doctor");
    expect(stdout).toContain(
      [
        "        Refused by the agent: 1 list write",
        "        Skipped: 4 invalid lines",
        `          ~/.claude/projects/-p/${A}.jsonl:200  not JSON`,
        `          ~/.claude/projects/-p/${A}.jsonl:400  not JSON`,
        `          ~/.claude/projects/-p/${A}.jsonl:500  not JSON`,
        "          and 1 more",
      ].join("\n"),
    );
    // `show` reads the whole file, so lines that a scan skips are counted too.
    expect(json("show", A)).toMatchObject({
      activity: { counts: { tools: 300 }, compactions: 1 },
      skipped: { bad_line: 4, lines: places.map((line) => ({ path: path(A), line })) },
    });
    expect(run("show", A).stdout).toContain(`${path(A)}:200  not JSON`);
  });

  test("needs attention for unreadable files and lists that were set aside", async () => {
    const path = await writeOpencode(home);
    writeFileSync(path, "x".repeat(10_000));
    mkdirSync(join(machine.home, "todos"), { recursive: true });
    const aside = join(machine.home, "todos", "s-agent-main.json.broken-1");
    writeFileSync(aside, "{");
    writeSession(A, "no json\n");
    const bad = join(home.path, `.claude/projects/-p/${A}.jsonl`);
    const { agents, home: kept, attention } = report();
    expect(attention).toEqual([
      `opencode: ${path} cannot be read (the file is damaged or not a database)`,
      `List damaged, moved aside: ${aside}`,
    ]);
    expect(kept).toMatchObject({ path: machine.home, there: true, setAside: [aside] });
    expect(agents.find(({ id }) => id === "claude-code")).toMatchObject({
      skipped: { bad_line: 1 },
      skippedIn: [
        {
          path: bad,
          skipped: { bad_line: 1 },
          lines: [{ path: bad, line: 1, code: "bad_line", message: "not JSON" }],
        },
      ],
      skippedFiles: 1,
    });
    const { status, stdout } = run("doctor");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ {2}fail {2}opencode .*\n {8}\S+opencode\.db: the file is damaged/m);
    expect(stdout).toMatch(/^ {2}fail {2}list {7}damaged, moved aside: \S+\.broken-1$/m);
    expect(stdout).toContain("\n2 problems, 1 warning.\n");
  });
});
