import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { until } from "../until.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { type Running, start } from "./running.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const run = (...args: string[]) => machine.run(["task", ...args]);
const tasks = () => machine.json(["task", "list", "--all"]) as Task[];
const add = (...subjects: string[]) => {
  const lines = subjects.map((subject) => JSON.stringify({ subject, maxAttempts: 2 }));
  expect(machine.run(["task", "add", "-"], { input: lines.join("\n") }).status).toBe(0);
};

/** Starts workers that run until they are stopped. */
function working(script: string, ...options: string[]): Running {
  return start(
    process.execPath,
    [PROGRAM, "task", "work", "--as", "ann", ...options, "--", "sh", "-c", script],
    { WAYMARK_HOME: machine.home, HOME: machine.root },
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}

/** The process ids that commands wrote to a file. */
const pidsIn = (file: string) =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];

describe("waymark task work", () => {
  test("finishes or fails each task by the exit code, with the last lines of the output", () => {
    add("Good", "Bad");
    expect(run("edit", "t1", "--label", "x", "--label", "y", "--description", "All").status).toBe(
      0,
    );
    const script = `
      read -r line; echo "$line" > "$WAYMARK_TASK_ID.json"
      echo "$WAYMARK_TASK_SUBJECT/$WAYMARK_TASK_LABELS/$WAYMARK_TASK_ATTEMPT/$WAYMARK_TASK_OWNER"
      [ "$WAYMARK_TASK_SUBJECT" = Good ] || { printf '\\033[31mtwo\\nproblems\\n' >&2; exit 3; }`;
    const { status, stdout, stderr } = run(
      ...["work", "--as", "ann", "--drain", "--retry-delay", "1ms", "--", "sh", "-c", script],
    );
    expect(stderr).toBe("");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ann · 1 worker · Ctrl\+C finishes running tasks, twice stops\n/);
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}t1 claimed {3}Good\n/);
    expect(stdout).toMatch(/ {2}t1 done {6}0s\n/);
    expect(stdout).toMatch(
      / {2}t2 failed {4}0s {2}exit 3, attempt 1 of 2, next in 0s\n {10}“problems”\n/,
    );
    expect(stdout).toMatch(/ {2}t2 failed {4}0s {2}exit 3, attempt 2 of 2, no attempts left\n/);
    expect(stdout).toMatch(
      /\nWorked \d+s: 1 done, 1 failed \(will retry\), 1 dead, 0 left in the queue\n$/,
    );
    const [good, bad] = tasks();
    expect(good).toMatchObject({ status: "done", owner: "ann", evidence: ["Good/x,y/1/ann"] });
    expect(bad).toMatchObject({ status: "failed", attempts: 2 });
    expect(bad?.reason).toBe("exit 3\nBad//2/ann\ntwo\nproblems");
    const given = JSON.parse(readFileSync(join(machine.cwd, "t1.json"), "utf8"));
    expect(given).toMatchObject({ id: "t1", description: "All", status: "claimed", epoch: 1 });
  });

  test("prints JSON lines, and nothing of a command that starts no shell", () => {
    add("One");
    const { status, stdout } = run(
      "work",
      "--once",
      "--json",
      "--as",
      "ann",
      "--",
      "echo",
      "$HOME; id",
    );
    expect(status).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { type: "claimed", worker: 1, task: { id: "t1" } },
      { type: "done", task: { id: "t1", evidence: ["$HOME; id"] } },
      { type: "ended", done: 1, ready: 0 },
    ]);
    expect(run("work", "--once", "--", "true").status).toBe(1);
  });

  test("reports a program that does not exist, and refuses bad options", () => {
    add("One");
    const { status } = run("work", "--once", "--", "no-such-program-anywhere");
    expect(status).toBe(1);
    expect(tasks()[0]?.reason).toMatch(/^exit 127\n.*no-such-program-anywhere/);
    for (const [args, message] of [
      [["--once", "--drain"], "--once and --drain cannot be combined."],
      [["--concurrency", "0"], 'Invalid --concurrency "0"'],
      [["--concurrency", "2000"], 'Invalid --concurrency "2000"'],
      [["--timeout", "30d"], 'Invalid --timeout "30d"'],
    ] as const) {
      const ran = run("work", ...args, "--", "true");
      expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(run("work").status).toBe(2);
    const outside = run("work", "--worktree", "--", "true");
    expect([outside.status, outside.stderr]).toEqual([
      1,
      expect.stringContaining("git repository"),
    ]);
  });

  test("runs each task in a worktree and branch of its own, which are kept", () => {
    const git = "git -c user.name=a -c user.email=a@a.test";
    const prepare = `git init -qb main && echo one > file && git add . && ${git} commit -qm Start`;
    expect(machine.bash(prepare).status).toBe(0);
    add("First", "Second");
    const script = `
      echo "$WAYMARK_TASK_ID" >> file
      [ "$WAYMARK_TASK_ID" = t1 ] && ${git} commit -qam "Do it"
      [ "$WAYMARK_TASK_ID/$WAYMARK_TASK_ATTEMPT" != t2/1 ] || exit 1
      pwd`;
    const { status, stdout } = run(
      ...["work", "--drain", "--worktree", "--concurrency", "2", "--retry-delay", "1ms"],
      ...["--as", "ann", "--", "sh", "-c", script],
    );
    expect(status).toBe(0);
    const [first, second] = tasks();
    const path = (id: string) => join(`${machine.cwd}.worktrees`, id);
    expect(first?.evidence).toEqual([`Branch wm/t1 in ${path("t1")}`, path("t1")]);
    expect(second).toMatchObject({ status: "done", attempts: 2 });
    expect(stdout).toContain("\n  t1  wm/t1  +1 −0\n");
    // The second attempt continued in the worktree of the first.
    expect(stdout).toContain("\n  t2  wm/t2  +2 −0\n");
    expect(stdout).toContain("worker 2\n");
    expect(machine.bash("git worktree list").stdout).toMatch(/\[wm\/t1\]\n.*\[wm\/t2\]\n$/);
    expect(machine.bash("git status --porcelain; cat file").stdout).toBe("one\n");
  });

  test("finishes the running task at the first Ctrl+C", async () => {
    add("One", "Two");
    const flag = join(machine.root, "go");
    const workers = working(`while [ ! -e '${flag}' ]; do sleep 0.05; done; echo ok`);
    await workers.untilPrinted("t1 claimed");
    workers.child.kill("SIGINT");
    await workers.untilPrinted("Stopping: 1 task is running. Press Ctrl+C again to stop it now.");
    writeFileSync(flag, "");
    const { code, stdout } = await workers.finished;
    expect(code).toBe(0);
    expect(String(stdout)).toContain("1 done, 0 failed (will retry), 0 dead, 1 left in the queue");
    expect(tasks().map(({ status }) => status)).toEqual(["done", "open"]);
  });

  test("ends the command and releases the task at the second Ctrl+C", async () => {
    add("One");
    const file = join(machine.root, "pids");
    // A child that ignores the request to end, and one in the background.
    const workers = working(
      `trap '' TERM; echo $$ >> '${file}'; sleep 600 & echo $! >> '${file}'; wait; sleep 600`,
    );
    await until(() => pidsIn(file).length === 2, "the command runs");
    workers.child.kill("SIGINT");
    await workers.untilPrinted("Stopping");
    workers.child.kill("SIGINT");
    const { signal } = await workers.finished;
    expect(signal).toBe("SIGINT");
    expect(pidsIn(file).filter(isRunning)).toEqual([]);
    expect(tasks()).toMatchObject([
      { status: "open", attempts: 0, reason: "The worker was stopped." },
    ]);
  });

  test("a killed worker takes its command with it, and another worker does the task", async () => {
    add("One");
    const file = join(machine.root, "pids");
    const workers = working(`echo $$ >> '${file}'; sleep 600`, "--lease", "300ms");
    await until(() => pidsIn(file).length === 1, "the command runs");
    workers.child.kill("SIGKILL");
    await workers.finished;
    await until(() => pidsIn(file).filter(isRunning).length === 0, "the command has ended");
    await until(() => tasks()[0]?.status === "open", "the lease expires");
    expect(run("work", "--once", "--as", "bob", "--", "echo", "done").status).toBe(0);
    expect(tasks()).toMatchObject([{ status: "done", owner: "bob", epoch: 2, attempts: 2 }]);
  });

  test("fails an attempt at its time limit", () => {
    add("Slow");
    expect(run("work", "--once", "--timeout", "200ms", "--", "sleep", "600").status).toBe(1);
    expect(tasks()[0]).toMatchObject({ status: "open", reason: "Stopped after 0s." });
  });
});

describe("the queue", () => {
  test("is paused and resumed, with the reason for refused claims", () => {
    add("One");
    const paused = machine.run(["task", "pause", "--reason", "database maintenance"], {
      env: { USER: "ann" },
    });
    expect(paused.stdout).toMatch(
      /^The queue is paused by ann since \d\d:\d\d \(database maintenance\)\. Claimed tasks continue; nothing new is claimed\.\n$/,
    );
    const refused = run("claim", "--as", "bob");
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/The queue has been paused by "ann" since .*"database maintenance"/),
    ]);
    expect(run("work", "--once", "--", "true").status).toBe(1);
    expect(run("queue").stdout).toBe(paused.stdout);
    expect(machine.json(["task", "resume"])).toEqual({ paused: null, aging: null });
    expect(run("claim", "--as", "bob").status).toBe(0);
  });

  test("lets waiting count as priority", () => {
    expect(run("queue", "--aging", "4h").stdout).toBe(
      "The queue is running. Waiting 4h 0m counts as one priority.\n",
    );
    expect(machine.json(["task", "queue"])).toEqual({ paused: null, aging: 14_400_000 });
    expect(run("queue", "--aging", "off").stdout).toBe("The queue is running.\n");
    expect(run("queue", "--aging", "soon").status).toBe(2);
  });

  test("delays tasks and retries, and retries failed ones", () => {
    expect(run("add", "Later", "--not-before", "2h", "--deadline", "3d").status).toBe(0);
    const [later] = tasks();
    const from = Date.parse(String(later?.notBefore)) - Date.parse(String(later?.createdAt));
    expect(from).toBeGreaterThan(7_190_000);
    expect(run("ready").stdout).toBe("No tasks are ready.\n");
    expect(run("list").stdout).toMatch(/Later .*ready in 1h 59m/);
    expect(run("show", "t1").stdout).toMatch(/not before .*deadline /);
    expect(run("claim", "t1", "--as", "ann").stderr).toMatch(/t1 cannot be claimed before /);
    expect(run("edit", "t1", "--not-before", "now", "--deadline", "").status).toBe(0);
    for (const attempt of [1, 2, 3]) {
      expect(run("claim", "t1", "--as", "ann").status).toBe(0);
      const last = ["--as", "ann", "--epoch", String(attempt), "--reason", "no"];
      const failed = run("fail", "t1", ...last, ...(attempt === 1 ? ["--retry-in", "5m"] : []));
      expect(failed.status).toBe(0);
      if (attempt > 1) continue;
      expect(failed.stdout).toBe("t1 is ready to retry in 5m 0s (attempt 1 of 3 failed)\n");
      expect(run("list").stdout).toMatch(/attempt 2 of 3, in 4m/);
      expect(run("edit", "t1", "--not-before", "").status).toBe(0);
    }
    expect(tasks()[0]?.status).toBe("failed");
    expect(run("retry", "t1").stdout).toBe("t1 is ready again: Later\n");
    expect(tasks()[0]).toMatchObject({ status: "open", attempts: 0 });
    expect(run("retry", "t1").stderr).toContain("t1 is open, not failed.");
    expect(run("retry", "--all").stdout).toBe("Retried 0 tasks.\n");
    expect(run("retry").status).toBe(2);
    expect(run("add", "Bad", "--not-before", "soon").status).toBe(2);
  });
});

describe("figures and retention", () => {
  test("are printed as text, JSON and Prometheus metrics", () => {
    add("One", "Two", "Three");
    expect(run("edit", "t1", "--label", 'a "b"').status).toBe(0);
    expect(run("work", "--once", "--as", "ann", "--", "true").status).toBe(0);
    expect(run("claim", "t2", "--as", "bob").status).toBe(0);
    const { stdout } = run("stats");
    expect(stdout).toContain("Queue    1 ready, 0 delayed, 0 blocked, 1 claimed, 0 dead\n");
    expect(stdout).toMatch(/\nDone {5}1 in 1d 0h \(0\.0 per hour\), 0 failed attempts\n/);
    expect(stdout).toMatch(
      /\nLABEL {3}ready claimed {4}done {2}failed {2}oldest\na "b" {7}0 {7}0 {7}1 /,
    );
    expect(stdout).toMatch(/\nOWNER .*\nbob {9}0 {7}1 {7}0 {7}0 {7}-\nann /);
    expect(machine.json(["task", "stats", "--since", "1h"])).toMatchObject({
      counts: { ready: 1, claimed: 1 },
      done: 1,
      queue: { paused: null },
    });
    const metrics = run("stats", "--format", "prometheus").stdout;
    expect(metrics).toContain('\nwaymark_tasks{state="ready"} 1\n');
    expect(metrics).toContain('\nwaymark_tasks_by_label{label="a \\"b\\"",state="done"} 1\n');
    expect(metrics).toMatch(/\nwaymark_task_running_seconds\{quantile="0\.95"\} [\d.]+\n/);
    for (const line of metrics.trim().split("\n"))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.+\})? -?[\d.e+-]+)$/);
    expect(run("stats", "--format", "xml").status).toBe(2);
  });

  test("delete old tasks", () => {
    const old = { subject: "Old", status: "done", finishedAt: "2020-01-01T00:00:00Z" };
    const lines = [old, { subject: "New" }].map((line) => JSON.stringify(line)).join("\n");
    expect(machine.run(["task", "add", "-"], { input: lines }).status).toBe(0);
    expect(run("prune").status).toBe(2);
    expect(run("prune", "--keep", "30d").stdout).toBe("Deleted 1 task.\n");
    expect(tasks().map(({ id }) => id)).toEqual(["t2"]);
    expect(machine.json(["task", "prune", "--keep", "30d"])).toEqual({ removed: 0 });
  });
});
