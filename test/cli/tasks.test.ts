import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task, TaskEvent } from "../../src/tasks/model.ts";
import { until } from "../until.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { start } from "./running.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const run = (...args: string[]) => machine.run(["task", ...args]);
const task = (...args: string[]) => machine.json(["task", ...args]) as Task;
const tasks = (...args: string[]) => machine.json(["task", ...args]) as Task[];

const events = (...args: string[]) => machine.json(["task", "history", ...args]) as TaskEvent[];

function refused(...args: string[]) {
  const { status, stdout, stderr } = run(...args, "--json");
  const refusal = JSON.parse(stdout);
  expect(status).toBe(1);
  // The terminal has its own texts for these; task-refusal.test.ts has them.
  if (refusal.code === "held" || refusal.code === "blocked")
    expect(stderr).toMatch(/^waymark: t\d+ is .*\n$/);
  else expect(stderr).toBe(`waymark: ${refusal.message}\n`);
  return refusal;
}

describe("waymark task", () => {
  test("adds a task with all fields", () => {
    task("add", "First");
    const second = task(
      ...["add", "Second", "--description", "All about it", "--priority", "0"],
      ...["--label", "a", "--label", "b", "--blocked-by", "t1", "--parent", "1"],
      ...["--max-attempts", "5", "--as", "pat"],
    );
    const { createdAt, updatedAt, ...rest } = second;
    expect(rest).toEqual({
      id: "t2",
      subject: "Second",
      description: "All about it",
      status: "open",
      priority: 0,
      labels: ["a", "b"],
      parent: "t1",
      blockedBy: ["t1"],
      epoch: 0,
      attempts: 0,
      maxAttempts: 5,
      evidence: [],
      metadata: {},
      author: "pat",
    });
    expect(task("show", "t2")).toEqual({ ...second, waitsFor: ["t1"], blocks: [], children: [] });
    expect(tasks("list")).toEqual([task("show", "t1"), second].map(withoutTies));
  });

  test("adds all JSON lines or none", () => {
    const input = [
      '{"subject":"Ship","id":"s","blockedBy":["b"],"priority":1,"size":"XL"}',
      "",
      '{"title":"Build","id":"b","labels":["ci"]}',
    ].join("\n");
    const ran = machine.run(["task", "add", "-", "--json"], { input });
    expect({ status: ran.status, answer: JSON.parse(ran.stdout) }).toEqual({
      status: 0,
      answer: { added: 2, ids: ["t1", "t2"] },
    });
    const [ship, build] = tasks("list");
    expect(ship).toMatchObject({
      subject: "Ship",
      blockedBy: ["t2"],
      priority: 1,
      metadata: { size: "XL" },
    });
    expect(build).toMatchObject({ subject: "Build", labels: ["ci"], metadata: {} });

    for (const [bad, expected] of [
      ['{"subject":"fine"}\nnot json', "Line 2 is not JSON"],
      ['{"subject":"fine"}\n{"description":"x"}', "Line 2 has no subject."],
      ['{"subject":"fine"}\n\n{"subject":"x","priority":7}', "Line 3 has no priority from 0 to 4."],
      [
        '{"subject":"fine"}\n\n{"subject":"a\\u0000b"}',
        "Line 3: subject contains a control character",
      ],
      ['{"subject":"fine","blockedBy":["zzz"]}', 'No task has the id "zzz".'],
      [
        '{"subject":"a","id":"a","blockedBy":["a"]}',
        'This would create a dependency cycle: "a" -> "a".',
      ],
      [
        '{"subject":"a","id":"x","blockedBy":["y"]}\n{"subject":"b","id":"y","blockedBy":["x"]}',
        'This would create a dependency cycle: "x" -> "y" -> "x".',
      ],
      [
        '{"subject":"a","id":"x","parent":"y"}\n{"subject":"b","id":"y","parent":"x"}',
        'This would create a parent cycle: "x" -> "y" -> "x".',
      ],
      [
        '{"subject":"a","id":"x"}\n{"subject":"b","id":"x"}\n{"subject":"c","blockedBy":["x"]}',
        "Line 2: id x is used twice. Nothing was changed.",
      ],
      ["no\n{}", "Line 1 is not JSON"],
      ["no\n{}", "1 more line is invalid."],
    ] as const) {
      const wrong = machine.run(["task", "add", "-"], { input: bad });
      expect(wrong.status).toBe(1);
      expect(wrong.stderr).toContain(expected);
    }
    expect(tasks("list")).toHaveLength(2);
    expect(machine.run(["task", "add", "-"], { input: "\n" }).stderr).toContain("has no tasks");
  });

  test("claims, renews and completes; refusals name the owner", () => {
    task("add", "One");
    const claimed = task("claim", "--as", "ann", "--lease", "90s");
    expect(claimed).toMatchObject({ id: "t1", epoch: 1, owner: "ann", lease: 90_000 });
    expect(claimed.leaseUntil).toBe(
      new Date(Date.parse(String(claimed.claimedAt)) + 90_000).toISOString(),
    );
    expect(refused("claim", "--as", "bob")).toMatchObject({ code: "none_ready" });
    expect(refused("claim", "t1", "--as", "bob")).toMatchObject({ code: "held", holder: "ann" });
    expect(refused("done", "t1", "--as", "bob", "--epoch", "1")).toMatchObject({
      code: "stale_epoch",
      holder: "ann",
    });
    expect(task("renew", "t1", "--as", "ann", "--epoch", "1", "--lease", "1h")).toMatchObject({
      lease: 3_600_000,
    });
    const done = task(
      ...["done", "t1", "--as", "ann", "--epoch", "1", "--evidence", "npm test"],
      ...["--evidence", "https://ci/1"],
    );
    expect(done).toMatchObject({ status: "done", evidence: ["npm test", "https://ci/1"] });
  });

  test("frees a task whose lease expired, and refuses a late write of its owner", async () => {
    task("add", "One");
    task("claim", "--as", "ann", "--lease", "50ms");
    await expect
      .poll(() => tasks("ready").map(({ id, lapsed }) => [id, lapsed?.owner]))
      .toEqual([["t1", "ann"]]);
    expect(task("claim", "--as", "bob")).toMatchObject({ id: "t1", epoch: 2, owner: "bob" });
    expect(refused("done", "t1", "--as", "ann", "--epoch", "1")).toMatchObject({
      code: "stale_epoch",
      holder: "bob",
    });
    expect(run("history", "t1").stdout).toContain("claimed by bob, epoch 2, taken from ann");
  });

  test("retries a failed task up to its limit; reopens it", () => {
    task("add", "One", "--max-attempts", "2");
    task("claim", "--as", "ann");
    expect(run("fail", "t1", "--as", "ann", "--epoch", "1", "--reason", "x").stdout).toBe(
      "t1 is ready to retry (attempt 1 of 2 failed)\n",
    );
    task("claim", "--as", "bob");
    expect(run("fail", "t1", "--as", "bob", "--epoch", "2", "--reason", "y").stdout).toBe(
      "t1 failed after 2 of 2 attempts\n",
    );
    expect(refused("claim", "t1", "--as", "cy")).toMatchObject({ code: "closed" });
    expect(run("reopen", "t1").stdout).toBe("Reopened t1\n");
    expect(run("cancel", "t1", "--reason", "no need").stdout).toBe("Cancelled t1\n");
    expect(task("show", "t1")).toMatchObject({ status: "cancelled", reason: "no need" });
  });

  test("releases, hands over and assigns tasks", () => {
    task("add", "One");
    task("claim", "--as", "ann");
    expect(task("release", "t1", "--as", "ann", "--epoch", "1", "--reason", "r")).toMatchObject({
      status: "open",
      reason: "r",
      attempts: 0,
    });
    task("claim", "--as", "ann");
    expect(
      run("assign", "t1", "--to", "bob", "--as", "ann", "--epoch", "2", "--lease", "1m").stdout,
    ).toBe("Assigned t1 to bob (epoch 3)\n");
    expect(task("assign", "t1", "--to", "cy")).toMatchObject({
      owner: "cy",
      epoch: 4,
      lease: 60_000,
    });
    expect(refused("renew", "t1", "--as", "bob", "--epoch", "3")).toMatchObject({
      code: "stale_epoch",
      holder: "cy",
    });
  });

  test("blocks, unblocks, shows dependencies and refuses cycles", () => {
    for (const subject of ["A", "B", "C"]) task("add", subject);
    expect(run("block", "t3", "t1", "t2").stdout).toBe("t3 is blocked by t1, t2\n");
    expect(machine.json(["task", "dep", "t3"])).toEqual({
      id: "t3",
      blockedBy: ["t1", "t2"],
      waitsFor: ["t1", "t2"],
      blocks: [],
    });
    expect(refused("block", "t1", "t3")).toMatchObject({
      code: "cycle",
      cycle: ["t1", "t3", "t1"],
    });
    expect(refused("claim", "t3", "--as", "x")).toMatchObject({
      code: "blocked",
      blockers: ["t1", "t2"],
    });
    run("claim", "t1", "--as", "me");
    run("done", "t1", "--as", "me");
    expect(run("unblock", "t3", "t2").stdout).toBe("t3 is blocked by t1\n");
    expect(tasks("ready").map(({ id }) => id)).toEqual(["t2", "t3"]);
    expect(machine.json(["task", "graph", "--all"])).toEqual({
      tasks: [
        { id: "t1", subject: "A", status: "done", owner: "me" },
        { id: "t2", subject: "B", status: "open" },
        { id: "t3", subject: "C", status: "open" },
      ],
      edges: [{ from: "t1", to: "t3" }],
    });
  });

  test("escapes subjects in the graph for Graphviz", () => {
    task("add", 'say "hi" \\ bye');
    task("add", "B", "--blocked-by", "t1");
    expect(run("graph", "--dot").stdout).toBe(
      [
        "digraph tasks {",
        "  rankdir=LR;",
        "  node [shape=box];",
        '  t1 [label="t1 say \\"hi\\" \\\\ bye", class="open"];',
        '  t2 [label="t2 B", class="open"];',
        "  t1 -> t2;",
        "}",
        "",
      ].join("\n"),
    );
  });

  test("edits all fields", () => {
    task("add", "A", "--label", "x", "--description", "old");
    const edited = task(
      ...["edit", "t1", "--subject", "B", "--description", "", "--priority", "4", "--label", "y"],
      ...["--remove-label", "x", "--meta", "size=3", "--meta", "who=ann", "--meta", 'l=["a"]'],
    );
    expect(edited).toMatchObject({
      subject: "B",
      priority: 4,
      labels: ["y"],
      metadata: { size: 3, who: "ann", l: ["a"] },
    });
    expect(edited.description).toBeUndefined();
    expect(task("edit", "t1", "--meta", "size=").metadata).toEqual({ who: "ann", l: ["a"] });
  });

  test("repeats no change with the same key, and prints the same", () => {
    const first = run("add", "One", "--key", "k", "--json");
    const again = run("add", "One", "--key", "k", "--json");
    expect(again.stdout).toBe(first.stdout);
    expect(again.stderr).toBe("This key was used before, so nothing was changed.\n");
    const claimed = run("claim", "--as", "ann", "--key", "c", "--json");
    expect(run("claim", "--as", "ann", "--key", "c", "--json").stdout).toBe(claimed.stdout);
    expect(tasks("list")).toHaveLength(1);
    expect(refused("cancel", "t1", "--key", "c")).toMatchObject({ code: "key_used" });
  });

  test("filters the list", () => {
    for (const [subject, label] of [
      ["A", "x"],
      ["B", "y"],
      ["C", "x"],
    ] as const)
      task("add", subject, "--label", label);
    task("claim", "t1", "--as", "ann");
    run("done", "t3", "--force");
    const ids = (...args: string[]) => tasks("list", ...args).map(({ id }) => id);
    expect(ids()).toEqual(["t1", "t2"]);
    expect(ids("--all")).toEqual(["t1", "t2", "t3"]);
    expect(ids("--status", "claimed")).toEqual(["t1"]);
    expect(ids("--owner", "ann")).toEqual(["t1"]);
    expect(ids("--label", "x")).toEqual(["t1"]);
    expect(ids("--label", "x", "--all")).toEqual(["t1", "t3"]);
    expect(ids("--label", "x", "--status", "done")).toEqual(["t3"]);
    expect(ids("--limit", "1")).toEqual(["t1"]);
    const { stdout, stderr } = run("list", "--owner", "nobody");
    expect(stdout).toBe("No tasks.\n");
    expect(stderr).toBe(
      "No match among 3 tasks: 1 open, 1 claimed, 1 done, 0 failed, 0 cancelled. Use --all to list all.\n",
    );
  });

  test("prints what to do without tasks, and creates no home directory", () => {
    expect(run("list")).toEqual({
      status: 0,
      stdout: "No tasks.\n",
      stderr: "Add one with `waymark task add SUBJECT`.\n",
    });
    expect(run("ready").stderr).toBe("Add one with `waymark task add SUBJECT`.\n");
    expect(run("ready", "--json").stdout).toBe("[]\n");
    expect(run("history").status).toBe(1);
    expect(refused("show", "t1")).toMatchObject({ code: "not_found", id: "t1" });
    expect(existsSync(machine.home)).toBe(false);
  });

  test("prints the history with sequence numbers", () => {
    task("add", "A");
    task("claim", "--as", "ann");
    const events = machine.json(["task", "history"]) as TaskEvent[];
    expect(
      events.map(({ seq, type, task: id, by, via, actor }) => [seq, type, id, by, via, actor]),
    ).toEqual([
      [1, "added", "t1", "user", "cli", undefined],
      [2, "claimed", "t1", "agent", "cli", "ann"],
    ]);
    expect(machine.json(["task", "history", "--limit", "1"])).toEqual([events[1]]);
  });

  test.each([
    [["claim"], "Missing --as OWNER"],
    [["done", "t1", "--epoch", "1"], "Missing --as OWNER"],
    [["fail", "t1", "--as", "x", "--epoch", "1"], "Missing --reason TEXT"],
    [["claim", "--as", "x", "--lease", "soon"], 'Invalid --lease "soon". Use a duration'],
    [
      ["claim", "t1", "--as", "x", "--count", "2"],
      "--label and --count cannot be combined with TASK",
    ],
    [["add", "x", "--priority", "9"], 'Invalid --priority "9". Use 0'],
    [["add", "-", "--priority", "1"], "--priority cannot be combined with -"],
    [["list", "--status", "opn"], "Did you mean open?"],
    [["edit", "t1"], "Nothing to change"],
    [["assign", "t1"], "Missing --to OWNER"],
    [["assign", "t1", "--to", "x", "--as", "y"], "--as and --epoch go together"],
    [["graph", "--dot", "--json"], "cannot be combined"],
    [["block", "t1"], "Missing BLOCKER"],
    [
      ["claim", "--as", "x", "--lease", "99999d"],
      'Invalid --lease "99999d". Use a duration of at most 30d.',
    ],
    [["renew", "t1", "--as", "x", "--epoch", "1", "--lease", "31d"], "at most 30d"],
    [["assign", "t1", "--to", "x", "--lease", "721h"], "at most 30d"],
  ] as const)("%j is refused as usage", (args, expected) => {
    const { status, stderr } = machine.run(["task", ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(expected);
  });

  test("rejects an invalid store URL", () => {
    const { status, stderr } = run("list", "--store", "mysql://x");
    expect(status).toBe(2);
    expect(stderr).toContain('Invalid store "mysql://x"');
  });

  test("lists a task that failed by an expired lease in the history", () => {
    task("add", "One", "--max-attempts", "1");
    task("claim", "--as", "ann", "--lease", "1ms");
    task("add", "Two");
    const expected = "failed, lease expired: ann was inactive in attempt 1 of 1.";
    expect(run("history", "t1").stdout.trimEnd().split("\n").at(-1)).toContain(expected);
    const { leaseUntil: at = 0 } = events("t1").find(({ type }) => type === "claimed")?.set ?? {};
    const parked = {
      at,
      type: "failed",
      task: "t1",
      by: "system",
      via: "lease",
      set: {
        status: "failed",
        owner: "ann",
        reason: "ann was inactive in attempt 1 of 1.",
        finishedAt: at,
      },
      derived: true,
    };
    expect(events("t1").at(-1)).toEqual(parked);
    expect(events().map(({ seq, type }) => [seq, type])).toEqual([
      [1, "added"],
      [2, "claimed"],
      [undefined, "failed"],
      [3, "added"],
    ]);
    task("reopen", "t1");
    expect(events("t1").map(({ type }) => type)).toEqual(["added", "claimed", "reopened"]);
  });

  test("prints counts with the right plural", () => {
    task("add", "One");
    expect(run("list", "--label", "none").stderr).toContain("No match among 1 task: 1 open");
    task("add", "Two");
    expect(run("list", "--label", "none").stderr).toContain("No match among 2 tasks: 2 open");
  });

  test("finds tasks by their owner, or the last owner of closed ones", () => {
    for (const subject of ["Held", "Done", "Released"]) task("add", subject);
    for (const id of ["t1", "t2", "t3"]) task("claim", id, "--as", "ann");
    task("done", "t2", "--as", "ann", "--epoch", "1");
    task("release", "t3", "--as", "ann", "--epoch", "1");
    expect(tasks("list", "--owner", "ann").map(({ subject }) => subject)).toEqual(["Held"]);
    expect(tasks("list", "--owner", "ann", "--all").map(({ subject }) => subject)).toEqual([
      "Held",
      "Done",
    ]);
    expect(run("list", "--help").stdout.replace(/\s+/g, " ")).toContain(
      "Only tasks of this owner; for closed tasks, the last",
    );
  });

  test("streams changes of other processes", async () => {
    task("add", "A");
    const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
    const watch = start(process.execPath, [PROGRAM, "task", "watch", "--json"], env);
    try {
      // Prints nothing at the start, and existing tasks are not changes: tasks are added until one is printed.
      let isHeard = false;
      void watch.untilPrinted("probe").then(() => {
        isHeard = true;
      });
      await until(() => isHeard || !task("add", "probe"), "an added task that is printed");
      task("add", "B");
      task("claim", "t1", "--as", "ann");
      await watch.untilPrinted('"claimed"');
    } finally {
      watch.child.kill("SIGINT");
    }
    const events = (await watch.finished).stdout
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as TaskEvent);
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, place) => (seqs[0] ?? 0) + place));
    expect(events.slice(-2).map(({ type, task: id }) => [type, id])).toEqual([
      ["added", `t${seqs.at(-2) ?? 0}`],
      ["claimed", "t1"],
    ]);
  });
});

describe("waymark task import and export", () => {
  const write = (name: string, content: string) => {
    const path = join(machine.cwd, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  };
  const bring = (...args: string[]) => machine.json(["task", "import", ...args]);
  const subjects = () =>
    tasks("list", "--all").map(({ subject, blockedBy, status }) => [subject, blockedBy, status]);

  test.each([
    [
      "beads",
      ".beads/issues.jsonl",
      '{"id":"bd-2","title":"B","status":"open","dependencies":[{"depends_on_id":"bd-1","type":"blocks"}]}\n{"id":"bd-1","title":"A","status":"closed","dependencies":[]}\n',
    ],
    [
      "Task Master",
      ".taskmaster/tasks/tasks.json",
      '{"master":{"tasks":[{"id":2,"title":"B","status":"pending","dependencies":[1]},{"id":1,"title":"A","status":"done"}]}}',
    ],
  ])("imports %s from a project folder, once", (_, name, content) => {
    write(name, content);
    expect(bring(".")).toEqual({ read: 2, added: 2, known: 0, skipped: [] });
    expect(subjects()).toEqual([
      ["A", [], "done"],
      ["B", ["t1"], "open"],
    ]);
    expect(bring(".")).toEqual({ read: 2, added: 0, known: 2, skipped: [] });
  });

  test("imports folders of Backlog.md and Claude Code", () => {
    write(
      "backlog/tasks/task-2 - B.md",
      "---\nid: task-2\ntitle: B\ndependencies: [task-1]\n---\n",
    );
    write("backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: A\nstatus: Done\n---\n");
    expect(bring(".")).toEqual({ read: 2, added: 2, known: 0, skipped: [] });
    write("team/1.json", '{"id":"1","subject":"C","status":"pending","blockedBy":[]}');
    write("team/2.json", "{");
    expect(bring("team")).toEqual({
      read: 1,
      added: 1,
      known: 0,
      skipped: [{ where: "2.json", why: "is not JSON" }],
    });
    expect(subjects()).toEqual([
      ["A", [], "done"],
      ["B", ["t1"], "open"],
      ["C", [], "open"],
    ]);
  });

  test("imports a checklist after a dry run", () => {
    write("plan.md", "- [ ] A\n- [x] B\n");
    expect(run("import", "plan.md", "--dry-run").stdout).toBe("Would add 2 tasks\n");
    expect(existsSync(machine.home)).toBe(false);
    expect(run("import", "plan.md").stdout).toBe("Added 2 tasks\n");
    expect(run("import", "plan.md").stdout).toBe("Added 0 tasks, 2 imported before\n");
  });

  test("imports an export on another machine", () => {
    task("add", "A", "--label", "x");
    task("add", "B", "--blocked-by", "t1");
    const other = join(machine.root, "other");
    const script = `waymark task export | WAYMARK_HOME='${other}' waymark task import - --from jsonl --json`;
    expect(JSON.parse(machine.bash(script).stdout)).toMatchObject({ added: 2 });
    const { stdout } = machine.run(["task", "list", "--json"], { env: { WAYMARK_HOME: other } });
    const strip = (list: Task[]) => list.map(({ ref, updatedAt, ...rest }) => rest);
    expect(strip(JSON.parse(stdout))).toEqual(strip(tasks("list", "--all")));
    expect(run("export", "--format", "markdown").stdout).toBe(
      '- [ ] A <!-- {"priority":"2","ref":"t1"} -->\n- [ ] B <!-- {"priority":"2","blockedBy":["t1"],"ref":"t2"} -->\n',
    );
  });

  test("reports invalid paths", () => {
    expect(run("import", "nowhere").stderr).toContain("Cannot read nowhere: no such file.");
    expect(run("import", "-").stderr).toContain("Standard input needs --from");
    write("empty.md", "words only\n");
    expect(run("import", "empty.md")).toMatchObject({ status: 1 });
  });
});

function withoutTies(given: Task): Task {
  const { waitsFor, blocks, children, ...rest } = given as Task & Record<string, unknown>;
  return rest as unknown as Task;
}

test("doctor reports task counts, expired leases and unknown owners", async () => {
  const other = newMachine();
  expect(JSON.parse(other.run(["doctor", "--json"]).stdout)).not.toHaveProperty("tasks");
  for (const subject of ["One", "Two", "Three"]) other.run(["task", "add", subject]);
  other.run(["todo", "add", "Mine", "--session", "s"]);
  other.run(["task", "claim", "t1", "--as", "s"]);
  other.run(["task", "claim", "t2", "--as", "somebody"]);
  other.run(["task", "claim", "t3", "--as", "gone", "--lease", "1ms"]);
  const checkup = JSON.parse(other.run(["doctor", "--json"]).stdout);
  expect(checkup.tasks).toEqual({
    store: other.home,
    counts: { open: 1, claimed: 2, done: 0, failed: 0, cancelled: 0, ready: 1, delayed: 0 },
    lapsed: [{ id: "t3", owner: "gone" }],
    strangers: [{ id: "t2", owner: "somebody" }],
  });
  const { stdout } = other.run(["doctor"]);
  expect(stdout).toContain(
    "  warn  tasks      1 open, 2 claimed; 1 ready; in ~/home\n        Lease expired: t3 (gone)\n",
  );
  expect(stdout).toContain("Owner without a session on this machine: t2 (somebody).");
  const broken = other.run(["doctor"], { env: { WAYMARK_STORE: "mysql://u:secret@h/d" } });
  expect([broken.status, broken.stdout]).toEqual([
    1,
    expect.stringMatching(/^ {2}fail {2}tasks {6}cannot be read\n {8}Invalid store/m),
  ]);
  other.remove();
});
