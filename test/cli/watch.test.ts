import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../until.ts";
import { claudeSession } from "./claude-session.ts";
import { PROGRAM } from "./machine.ts";
import { type Running, start } from "./running.ts";
import {
  A,
  as,
  B,
  C,
  eachOnItsOwn,
  home,
  MINUTE,
  machine,
  type Row,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

describe("watch, without a terminal", () => {
  const watch = (...args: string[]) =>
    start(process.execPath, [PROGRAM, "watch", ...args], {
      ...as(home),
      WAYMARK_HOME: machine.home,
    });

  const PROBE = "probe";
  /**
   * Resolves when the program watches. It prints nothing at the start and does not report existing state, so another
   * session is changed until a change is printed.
   */
  async function isWatching(running: Running): Promise<void> {
    let isHeard = false;
    void running.untilPrinted(PROBE).then(() => {
      isHeard = true;
    });
    const session = claudeSession(C, `/srv/${PROBE}`).prompt("Go", Date.now());
    const path = writeSession(C, session.text());
    await until(
      () => {
        if (isHeard) return true;
        const before = session.text().length;
        session.todos([[`${PROBE} ${before}`, "in_progress"]], Date.now());
        appendFileSync(path, session.text().slice(before));
        return false;
      },
      "a change that is printed",
      { interval: 200 },
    );
  }
  /** The output without the probe. */
  const linesOf = (stdout: Buffer) =>
    stdout
      .toString()
      .trimEnd()
      .split("\n")
      .filter((line) => !line.includes(PROBE));

  test("prints one line per change with its agent; Ctrl+C ends it quietly", async () => {
    const now = Date.now();
    const session = claudeSession(A, "/srv/shop").prompt("Go", now - MINUTE / 2);
    const path = writeSession(A, session.text());
    const old = session.text().length;
    const running = watch();
    try {
      await isWatching(running);
      session
        .todos(
          [
            ["Read", "in_progress"],
            ["Write", "pending"],
          ],
          now,
        )
        .todos(
          [
            ["Read", "completed"],
            ["Write", "in_progress"],
          ],
          now + SECOND,
        );
      appendFileSync(path, session.text().slice(old));
      await running.untilPrinted("▸  Write");
      const before = session.text().length;
      session.end(now + 2 * SECOND);
      appendFileSync(path, session.text().slice(before));
      await running.untilPrinted("turn ended with 1 open");
      // A session that starts during the watch.
      writeSession(
        B,
        claudeSession(B, "/srv/other")
          .prompt("Go", now)
          .todos([["New", "pending"]], now)
          .text(),
      );
      await running.untilPrinted("list: 1 todo");
    } finally {
      running.child.kill("SIGINT");
    }
    const { stdout, stderr, signal } = await running.finished;
    expect({ stderr, signal }).toEqual({ stderr: "", signal: "SIGINT" });
    const lines = linesOf(stdout);
    expect(lines.map((line) => line.slice(10))).toEqual([
      "Claude Code shop  list: 2 todos",
      "Claude Code shop  ▸  Read",
      "Claude Code shop  ✓  Read  1s, unverified",
      "Claude Code shop  ▸  Write",
      "Claude Code shop  turn ended with 1 open",
      "Claude Code other  list: 1 todo",
    ]);
    for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d {2}/);
  });

  test("reports stalled, resumed and looping once each", async () => {
    const now = Date.now();
    const session = claudeSession(A, "/srv/shop")
      .prompt("Go", now - 9 * MINUTE)
      .call("Bash", { command: "sleep 999" }, now - 6 * MINUTE);
    const path = writeSession(A, session.text());
    const running = watch();
    try {
      await running.untilPrinted("stalled: no output for 6m ");
      const before = session.text().length;
      for (let n = 0; n < 12; n++) session.call("Read", { file_path: "/a" }, Date.now(), "same");
      appendFileSync(path, session.text().slice(before));
      await running.untilPrinted("looping: ");
      await running.untilPrinted("resumed");
      // Another session stalls in two seconds: by then the findings were checked again.
      const silent = Date.now() - 5 * MINUTE + 2 * SECOND;
      writeSession(
        B,
        claudeSession(B, "/srv/other")
          .prompt("Go", silent)
          .call("Bash", { command: "sleep 111" }, silent)
          .text(),
      );
      await running.untilPrinted("in sleep 111");
    } finally {
      running.child.kill("SIGTERM");
    }
    const { stdout } = await running.finished;
    const printed = linesOf(stdout)
      .map((line) => line.slice(10))
      .filter((line) => line.startsWith("Claude Code shop"));
    expect(printed.filter((line) => line.includes("stalled"))).toEqual([
      expect.stringMatching(/stalled: no output for 6m \d+s, in sleep 999/),
    ]);
    expect(printed.filter((line) => line.includes("resumed"))).toEqual([
      "Claude Code shop  resumed",
    ]);
    expect(printed.filter((line) => line.includes("looping"))).toEqual([
      "Claude Code shop  !  looping: Read /a, 12 times, same result  warning",
    ]);
  });

  test("reports the first hosted list that is created during the watch", async () => {
    const running = watch();
    try {
      await isWatching(running);
      machine.run(["todo", "add", "First", "--session", "mine"]);
      await running.untilPrinted("list: 1 todo");
      machine.run(["todo", "done", "1", "--session", "mine"]);
      await running.untilPrinted("✓  First");
    } finally {
      running.child.kill("SIGINT");
    }
    const { stdout, stderr } = await running.finished;
    expect([linesOf(stdout).length, stderr]).toEqual([2, ""]);
  });

  test("follows only the named session, and prints once that it does not exist yet", async () => {
    const running = watch("longses");
    try {
      await running.untilPrinted('No session matches "longses" yet');
      machine.run(["todo", "add", "Of another", "--session", "longsession-abcdef"]);
      machine.run(["todo", "add", "Of this one", "--session", "longses"]);
      await running.untilPrinted("list: 1 todo");
      machine.run(["todo", "start", "1", "--session", "longsession-abcdef"]);
      machine.run(["todo", "start", "1", "--session", "longses"]);
      await running.untilPrinted("▸  Of this one");
    } finally {
      running.child.kill("SIGINT");
    }
    const { stdout, stderr } = await running.finished;
    expect(stdout.toString()).not.toMatch(/another|longsession/);
    expect(stderr).toBe('No session matches "longses" yet; waiting for it to start.\n');
  });

  test("reports a change to a hosted list once, and other changes from the transcript", async () => {
    const fixture = readFileSync("test/fixtures/claude-code/mcp/file-2.1.325.jsonl", "utf8");
    const session = /"sessionId":"([^"]+)"/.exec(fixture)?.[1] ?? "";
    const path = join(home.path, `.claude/projects/-p/${session}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    const other = join(dirname(path), `${A}.jsonl`);
    const running = watch();
    try {
      await isWatching(running);
      machine.tool("todos", { todos: [{ text: "Write the parser" }] }, "--session", session);
      await running.untilPrinted("list: 1 todo");
      const now = new Date().toISOString();
      writeFileSync(path, fixture.replace(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, now));
      await running.untilPrinted("list refused: No todo 9.");
      writeFileSync(
        other,
        claudeSession(A, "/srv")
          .prompt("Go", Date.now())
          .todos([["Theirs", "in_progress"]], Date.now())
          .text(),
      );
      await running.untilPrinted("Theirs");
    } finally {
      running.child.kill("SIGINT");
    }
    const { stdout } = await running.finished;
    const printed = linesOf(stdout);
    expect(printed.filter((line) => /list: \d/.test(line)).map((line) => line.slice(10))).toEqual([
      "Waymark project  list: 1 todo",
      "Claude Code srv  list: 1 todo",
    ]);
    expect(printed.join()).not.toContain("Write the parser");
  });

  test("--json prints the same events as pipe, including hosted lists", async () => {
    machine.run(["todo", "add", "First", "--session", "mine"]);
    machine.run(["todo", "done", "1", "--session", "mine"]);
    const now = Date.now();
    const path = join(home.path, `.claude/projects/-p/${A}.jsonl`);
    const events = watch("--json");
    try {
      await isWatching(events);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        claudeSession(A, "/srv")
          .prompt("Go", now)
          .todos([["New", "pending"]], now)
          .text(),
      );
      await events.untilPrinted('"New"');
      machine.run(["todo", "add", "Second", "--phase", "Later", "--session", "mine"]);
      await events.untilPrinted('"Second"');
      machine.run(["plan", "propose", "-", "--session", "mine"], { input: "1. Third\n" });
      await events.untilPrinted('"plan.proposed"');
    } finally {
      events.child.kill("SIGINT");
    }
    const { stdout } = await events.finished;
    // The output can be read again.
    const read = machine.run(["pipe", "--from", "waymark", "--json"], { input: stdout });
    expect(read.stdout).toBe(stdout.toString());
    const lines = linesOf(stdout)
      .map((line) => JSON.parse(line) as Row)
      .filter(({ sessionId }) => sessionId !== C);
    expect(lines.find(({ type }) => type === "todo_list")).toMatchObject({
      sessionId: A,
      agentId: "main",
      agentType: "claude-code",
      items: [{ text: "New", status: "pending" }],
    });
    const mine = lines.filter(({ sessionId }) => sessionId === "mine");
    const [list, plan] = ["todo_list", "plan.proposed"].map((type) =>
      mine.filter((event) => event.type === type),
    );
    expect(list).toMatchObject([
      {
        agentId: "main",
        agentType: "waymark",
        // A finished list makes room for new todos.
        items: [{ id: "2", text: "Second", status: "pending", phase: "Later" }],
      },
    ]);
    expect(plan).toMatchObject([{ text: expect.stringContaining("Third") }]);
  });
});
