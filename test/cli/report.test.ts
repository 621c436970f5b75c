import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import { PROGRAM } from "./machine.ts";
import { start } from "./running.ts";
import { A, B, C, eachOnItsOwn, home, MINUTE, machine, run, writeSession } from "./user-machine.ts";

eachOnItsOwn();

const HOUR = 60 * MINUTE;
const ago = (ms: number) => Date.now() - ms;

interface Entry {
  readonly session: string;
  readonly text: string;
  readonly [field: string]: unknown;
}
interface Json {
  readonly since: string;
  readonly until: string;
  readonly headline: string;
  readonly finished: readonly Entry[];
  readonly unverified: readonly Entry[];
  readonly open: readonly Entry[];
  readonly stuck: readonly Entry[];
  readonly needsYou: readonly Entry[];
  readonly cost: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}
const json = (...args: string[]) => JSON.parse(run("report", ...args, "--json").stdout) as Json;

function threeSessions(): void {
  writeSession(
    A,
    claudeSession(A, "/srv/harbor")
      .prompt("Cache the rates", ago(5 * HOUR))
      .todos([["Write the cache", "in_progress"]], ago(5 * HOUR))
      .call("Bash", { command: "npm test" }, ago(4.5 * HOUR), "Tests  12 passed (12)")
      .todos([["Write the cache", "completed"]], ago(4 * HOUR))
      .end(ago(4 * HOUR))
      .text(),
  );
  writeSession(
    B,
    claudeSession(B, "/srv/harbor")
      .prompt("Rewrite the docs", ago(3 * HOUR))
      .todos(
        [
          ["Draft the page", "completed"],
          ["Read it again", "pending"],
        ],
        ago(2 * HOUR),
      )
      .call("Bash", { command: "npm run build" }, ago(90 * MINUTE))
      .text(),
  );
  writeSession(
    C,
    claudeSession(C, "/srv/harbor")
      .prompt("Last week", ago(200 * HOUR))
      .todos([["Old work", "completed"]], ago(200 * HOUR))
      .end(ago(200 * HOUR))
      .text(),
  );
}

test("reports the sessions of the window as JSON", () => {
  threeSessions();
  const report = json("--last", "12h");
  expect(Date.parse(report.until) - Date.parse(report.since)).toBe(12 * HOUR);
  expect(report.finished.map(({ text, level }) => [text, level])).toEqual([
    ["Write the cache", "verified"],
  ]);
  expect(report.unverified.map(({ text, session }) => [text, session])).toEqual([
    ["Draft the page", B],
  ]);
  expect(report.stuck).toMatchObject([
    { text: "Read it again", session: B, stuck: { kind: "stopped", on: "npm run build" } },
  ]);
  expect(report.headline).toBe(
    "The night got stuck: “Rewrite the docs” stopped in the middle of a turn.".replace(
      "night",
      /^The (\w+)/.exec(report.headline)?.[1] ?? "",
    ),
  );
  expect([report.open, report.needsYou]).toEqual([[], []]);
  expect(Object.keys(report.cost)).toEqual(
    expect.arrayContaining([
      "input",
      "output",
      "cacheRead",
      "cacheWrite",
      "reasoning",
      "requests",
      "cost",
      "currency",
    ]),
  );
});

test("covers the evening before by default, one session, or a time", () => {
  threeSessions();
  const start = new Date(json().since);
  expect([start.getUTCHours(), start.getUTCMinutes()]).toEqual([18, 0]);
  expect(ago(0) - start.getTime()).toBeLessThan(31 * HOUR);
  const old = json("--session", "cccc");
  expect(old.unverified.map(({ text }) => text)).toEqual(["Old work"]);
  expect(old.headline).toBe("Finished, but nothing is proven.");
  expect(json("--since", "1h").sessions).toEqual([]);
});

test("prints text, Markdown and HTML", () => {
  threeSessions();
  const [first] = run("report", "--last", "12h").stdout.split("\n");
  expect(first).toMatch(/^The \w+ got stuck: /);
  expect(run("report", "--last", "12h", "--format", "markdown").stdout).toMatch(
    /^# The \w+ got stuck/,
  );
  const html = run("report", "--last", "12h", "--format", "html").stdout;
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).toContain("Rewrite the docs");
});

test("includes the lists of the own store, with cancelled and earlier todos", () => {
  machine.tool(
    "TodoWrite",
    { todos: [{ content: "Plan it", status: "completed", activeForm: "Planning" }] },
    "--session",
    "mine",
  );
  machine.tool(
    "TodoWrite",
    { todos: [{ content: "Build it", status: "in_progress", activeForm: "Building" }] },
    "--session",
    "mine",
  );
  const report = JSON.parse(machine.run(["report", "--json"]).stdout) as Json;
  expect(report.unverified.map(({ text }) => text)).toEqual(["Plan it"]);
  expect(report.open.map(({ text }) => text)).toEqual(["Build it"]);
});

test("matches commits of the directory to todos by time and files", () => {
  const cwd = machine.cwd;
  const commit = "git -c user.name=a -c user.email=a@b.example commit -qm";
  machine.bash(`git init -q . && echo a > cache.ts && git add . && ${commit} "rates: add a cache"`);
  writeSession(
    A,
    claudeSession(A, cwd)
      .prompt("Cache the rates", ago(HOUR))
      .todos([["Write the cache", "in_progress"]], ago(HOUR))
      .call(
        "Edit",
        { file_path: `${cwd}/cache.ts`, old_string: "", new_string: "a" },
        ago(MINUTE),
        "ok",
      )
      .todos([["Write the cache", "completed"]], ago(0))
      .end(ago(0))
      .text(),
  );
  const report = json("--last", "2h");
  expect(report.commits).toMatchObject([
    {
      subject: "rates: add a cache",
      todo: { session: A, text: "Write the cache", inferred: true },
    },
  ]);
  expect(report.unverified[0]?.commits).toMatchObject([{ inferred: true, files: ["cache.ts"] }]);
  expect(report.unreadLogs).toEqual([]);
});

test("refuses bad options and changes nothing", () => {
  const refusals: readonly (readonly [readonly string[], string])[] = [
    [["--since", "banana"], 'Invalid time "banana". Use ISO 8601, HH:MM or a duration such as 2h.'],
    [["--last", "soon"], 'Invalid --last "soon". Use a duration such as 90s, 5m or 1h30m.'],
    [["--since", "1h", "--last", "1h"], "Use --since or --last, not both."],
    [["--format", "pdf"], 'Invalid --format "pdf". Use text, markdown, html or json.'],
    [
      ["--format", "html", "--json"],
      "--json prints JSON. Leave out --format html, or leave out --json.",
    ],
  ];
  for (const [args, message] of refusals) {
    const { status, stderr, stdout } = run("report", ...args);
    expect([status, stdout, stderr.trim()]).toEqual([2, "", `waymark: ${message}`]);
  }
  const unknown = run("report", "--session", "nothing");
  expect([unknown.status, unknown.stderr.trim()]).toEqual([
    1,
    'waymark: No session matches "nothing". `waymark ls --all` lists them.',
  ]);
});

test("serve refuses bad times and targets of daily reports", () => {
  const refusals: readonly (readonly [readonly string[], string])[] = [
    [["--report", "8 am"], 'Invalid --report "8 am". Use a time such as 08:00.'],
    [["--report", "25:00"], 'Invalid --report "25:00". Use a time such as 08:00.'],
    [["--report-to", "x.html"], "--report-to needs --report HH:MM."],
    [
      ["--report", "08:00", "--report-to", "no/such/report.html"],
      '--report-to: The directory of "no/such/report.html" does not exist. Create it first.',
    ],
  ];
  for (const [args, message] of refusals) {
    const { status, stderr } = run("serve", "--port", "0", "--no-open", ...args);
    expect([status, stderr.trim()]).toEqual([2, `waymark: ${message}`]);
  }
});

test("serve writes the daily report that was due while it was not running", async () => {
  threeSessions();
  mkdirSync(machine.home, { recursive: true });
  const until = ago(20 * HOUR);
  writeFileSync(join(machine.home, "report.json"), JSON.stringify({ day: "2020-01-01", until }));
  const serving = start(
    process.execPath,
    [PROGRAM, "serve", "--port", "0", "--no-open", "--report", "00:00"],
    { HOME: home.path, WAYMARK_HOME: machine.home },
  );
  const path = await serving.finds(/^Report of .*: (.*)$/m);
  serving.child.kill("SIGINT");
  await serving.finished;
  expect(path.startsWith(join(machine.home, "reports", "waymark-"))).toBe(true);
  const html = readFileSync(path, "utf8");
  expect(html).toContain("Cache the rates");
  expect(html).not.toContain("Old work");
});
