import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claudeSession } from "../cli/claude-session.ts";
import { type Machine, newMachine } from "../cli/machine.ts";
import { serveProgram } from "../servers/mcp/clients.ts";
import { fixture } from "../sessions/home.ts";
import { type Claude, startClaude } from "./claude.ts";

const SESSION = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";
const MINUTE = 60_000;

let machine: Machine;
let claude: Claude | undefined;
beforeEach(() => {
  machine = newMachine();
});
afterEach(async () => {
  await claude?.end();
  claude = undefined;
  machine.remove();
});

function put(file: string, text: string): string {
  const whole = join(machine.root, file);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

interface Listed {
  readonly todos: readonly {
    readonly text: string;
    readonly status: string;
    readonly evidence?: { readonly state: string };
  }[];
}
const listed = () => (machine.json(["todos", "--session", SESSION]) as Listed).todos;

test("doctor reports that Codex has no list; setup adds one and --remove restores the files", async () => {
  const config = '# mine\nmodel = "gpt-5.5"   # the good one\n\n[tui]\nnotifications = false\n';
  const file = put(".codex/config.toml", config);
  const program = put("programs/codex", "#!/bin/sh\necho codex-cli 0.166.0\n");
  chmodSync(program, 0o755);
  const env = { PATH: [dirname(program), process.env.PATH].join(delimiter) };
  const advice = machine.run(["doctor"], { env }).stdout;
  expect(advice).toContain("Codex 0.166.0");
  expect(advice).toContain("Off by default since 0.152");
  expect(advice).toContain("Run: waymark setup codex");

  const asked = machine.run(["setup", "codex"], { env });
  expect(asked.stdout).toContain("[mcp_servers.waymark]");
  expect(readFileSync(file, "utf8")).toBe(config);
  expect(machine.run(["setup", "codex", "--yes"], { env }).status).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("[mcp_servers.waymark]");
  expect(machine.run(["doctor"], { env }).stdout).toMatch(/^ {2}ok {4}Codex 0\.166\.0 {2}set up /m);

  const thread = "01a1e182-5360-78c3-a8d2-d26a842f17e3";
  const { client, ended } = serveProgram([], {
    home: machine.root,
    env: { WAYMARK_HOME: machine.home },
  });
  await client.initialize("2025-06-18", "codex-mcp-client");
  const meta = { sessionId: thread, threadId: thread, callId: "call_1" };
  await client.call({ todos: [{ text: "Read it", status: "in_progress" }] }, "todos", meta);
  client.end();
  await ended;
  expect(machine.json(["ls"])).toContainEqual(
    expect.objectContaining({
      session: thread,
      agentType: "codex",
      progress: expect.objectContaining({ total: 1 }),
    }),
  );

  expect(machine.run(["setup", "codex", "--remove", "--yes"], { env }).status).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(config);
});

test("the model gets exactly the open todos after compaction and on the next day", async () => {
  claude = await startClaude(machine, SESSION);
  claude.tell("SessionStart", { source: "startup" });
  claude.tell("UserPromptSubmit", { prompt: "Rebuild the importer" });
  await claude.call({
    todos: [
      { text: "Read the format" },
      { text: "Write the importer" },
      { text: "Import the old files" },
    ],
  });
  await claude.call({ finish: ["1"], start: "2" });
  machine.run(["todo", "note", "2", "Mind the empty file", "--session", SESSION]);
  await claude.call({});
  for (const source of ["compact", "resume"]) {
    const received = claude.tell("SessionStart", { source });
    expect(received).toContain('[>] "Write the importer"');
    expect(received).toContain("Mind the empty file");
    expect(received.indexOf("Write the importer")).toBeLessThan(
      received.indexOf("Import the old files"),
    );
    expect(received).not.toContain("Read the format");
  }
});

test("fifteen lines give a custom agent a list, reminders, recovery and an Ink view", () => {
  const ran = (file: string) =>
    spawnSync(process.execPath, [`examples/${file}`], { encoding: "utf8" });
  const { stdout, stderr } = ran("ai-sdk.mjs");
  expect(stderr).toBe("");
  expect(stdout).toContain("reminder (stale):");
  expect(stdout).toContain("reminder (recovery):");
  expect(ran("ink.mjs").stdout).toMatch(/\d of \d|\d\/\d/);
});

test("a completed todo is unverified until a check passes; the agent is asked once", async () => {
  claude = await startClaude(machine, SESSION);
  claude.tell("SessionStart", { source: "startup" });
  await claude.call({
    todos: ["Fix the parser", "Fix the lexer", "Write it down"].map((text) => ({ text })),
  });
  await claude.call({ start: "1" });
  claude.use("Edit", { file_path: "/srv/parser.ts", old_string: "a", new_string: "b" });
  const answers = [
    await claude.call({ finish: ["1"], start: "2" }),
    await claude.call({ finish: ["2"], start: "3" }),
    await claude.call({ finish: ["3"] }),
  ];
  const steps = [1, 2, 3].map((n) => claude?.use("Read", { file_path: `/srv/${n}.ts` }) ?? "");
  const asked = [...answers, ...steps].filter((text) => /evidence|check/i.test(text));
  expect(asked).toHaveLength(1);
  expect(machine.run(["todos", "--session", SESSION]).stdout).toContain("unverified");
  claude.use(
    "Bash",
    { command: "npm test" },
    { stdout: "12 passed", stderr: "", interrupted: false },
  );
  const { stdout } = machine.run(["show", SESSION]);
  expect(stdout).toContain("3 verified");
  expect(stdout).toContain("npm test");
  expect(machine.run(["todos", "--session", SESSION]).stdout).not.toContain("unverified");
  expect(listed().map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
});

test("in CI the log grows line by line, the summary lists open todos, and the step fails", () => {
  const stream = put("codex.jsonl", fixture("codex/exec/simple.jsonl"));
  const open = put("open.jsonl", fixture("codex/exec/interrupted.jsonl"));
  const summary = join(machine.root, "summary.md");
  const pipe = (file: string) =>
    machine.bash(`cat "${file}" | waymark pipe --tee --summary "${summary}" --fail-open`);
  const done = pipe(stream);
  expect(done.status).toBe(0);
  expect(done.stdout).toBe(readFileSync(stream, "utf8"));
  expect(done.stderr).not.toContain("\u001b[");
  const left = pipe(open);
  expect(left.status).toBe(1);
  expect(readFileSync(summary, "utf8")).toMatch(/left open/i);
});

test("endless polling is reported as looping after ten calls and as critical after twenty", () => {
  const now = Date.now();
  const written = claudeSession(SESSION, "/srv/shop").prompt(
    "Wait for the build",
    now - 30 * MINUTE,
  );
  written.todos([["Wait for the build", "in_progress"]], now - 29 * MINUTE);
  const poll = (count: number, from: number) => {
    for (let n = 0; n < count; n++)
      written.call("BashOutput", { bash_id: "b1" }, now - (from - n) * 1_000, "still building");
    put(`.claude/projects/-srv-shop/${SESSION}.jsonl`, written.text());
  };
  const found = () => {
    const rows = machine.json(["ls"]) as {
      session: string;
      findings: { level: string; count: number; message: string }[];
    }[];
    return rows.find(({ session }) => session === SESSION)?.findings ?? [];
  };
  poll(9, 60);
  expect(found()).toEqual([]);
  poll(1, 50);
  expect(found()).toEqual([expect.objectContaining({ level: "warning", count: 10 })]);
  poll(10, 40);
  expect(found()).toEqual([expect.objectContaining({ level: "critical", count: 20 })]);
  expect(machine.run(["show", SESSION]).stdout).toContain("BashOutput");
});

test("history shows the list at a time, durations, rewording and removals with their author", () => {
  const night = Date.UTC(2026, 10, 14, 1, 0);
  const at = (minutes: number) => night + minutes * MINUTE;
  const written = claudeSession(SESSION, "/srv/shop").prompt("Move the shop", at(0));
  written.todos(
    [
      ["Pack the books", "in_progress"],
      ["Sell the shelf", "pending"],
    ],
    at(1),
  );
  written.todos(
    [
      ["Pack the books", "completed"],
      ["Sell the old shelf", "in_progress"],
    ],
    at(51),
  );
  written.todos(
    [
      ["Pack the books", "completed"],
      ["Sell the old oak shelf", "in_progress"],
    ],
    at(62),
  );
  written.todos([["Pack the books", "completed"]], at(70));
  put(`.claude/projects/-srv-shop/${SESSION}.jsonl`, written.end(at(71)).text());
  const then = machine.run(["todos", "--session", SESSION, "--at", "2026-11-14T02:00:00Z"]).stdout;
  expect(then).toContain("Sell the old shelf");
  expect(then).not.toContain("oak");
  const { stdout } = machine.run(["history", "--session", SESSION]);
  expect(stdout).toContain("Sell the old oak shelf");
  expect(stdout).toMatch(/50m/);
  expect(stdout).toMatch(/Sell the shelf/);
  const rows = machine.json(["history", "--session", SESSION]);
  expect(JSON.stringify(rows)).toContain('"removed"');
});
