import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isRunning } from "../running-process.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { until } from "../until.ts";
import { claudeSession } from "./claude-session.ts";
import { PROGRAM } from "./machine.ts";
import { type Running, start, waymark } from "./running.ts";
import {
  A,
  as,
  eachOnItsOwn,
  home,
  json,
  MINUTE,
  machine,
  run,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

/** An agent that hangs: it has written its transcript and ignores every request to end. */
const HUNG = `process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); console.log("hung"); setInterval(() => {}, 60_000);`;

/** Starts a process that names the session on its command line, as agents that resume one do. */
async function hungAgent(): Promise<number> {
  const program = join(home.path, "claude.mjs");
  writeFileSync(program, HUNG);
  const agent = start(process.execPath, [program, `--session-id=${A}`]);
  onTestFinished(() => void agent.child.kill("SIGKILL"));
  await agent.untilPrinted("hung");
  return agent.child.pid ?? 0;
}

/** The transcript of an agent that has been silent inside a call. */
function silent(ago = 10 * MINUTE): void {
  const at = Date.now() - ago;
  const session = claudeSession(A, machine.cwd)
    .prompt("Fix it", at)
    .todos([["Fix the build", "in_progress"]], at)
    .call("Bash", { command: "npm test" }, at);
  writeSession(A, session.text());
}

/** The transcript of an agent that repeats a call without progress. */
function looping(): void {
  const now = Date.now();
  const session = claudeSession(A, machine.cwd).prompt("Fix it", now - 30_000);
  for (let count = 0; count < 25; count++)
    session.call("Bash", { command: "npm test" }, now - 29_000 + count * 1_000, "failed");
  writeSession(A, session.text());
}

/** Writes its input to a file, one line for each run. */
const RECORD = `cat >> "$HOME/runs"`;

const environment = (env: Readonly<Record<string, string>>) => ({
  ...as(home),
  WAYMARK_HOME: machine.home,
  WAYMARK_ON_STALLED: RECORD,
  ...env,
});

const runs = (): Record<string, unknown>[] => {
  const file = join(home.path, "runs");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
};

function watch(env: Readonly<Record<string, string>> = {}, ...args: string[]): Running {
  const running = start(process.execPath, [PROGRAM, "watch", ...args], environment(env));
  onTestFinished(() => void running.child.kill("SIGKILL"));
  return running;
}

async function stop(running: Running): Promise<void> {
  running.child.kill("SIGINT");
  const { signal } = await running.finished;
  expect(signal).toBe("SIGINT");
}

interface Step {
  readonly step: string;
  readonly state: string;
  readonly [field: string]: unknown;
}
const steps = (): readonly Step[] => {
  const { stalls = [] } = json("show", A) as { stalls?: readonly { steps: readonly Step[] }[] };
  return stalls.flatMap((each) => each.steps);
};
const facts = () => steps().map(({ step, state }) => `${step} ${state}`);
const untilSteps = (...wanted: string[]) =>
  until(() => facts().join() === wanted.join(), `the steps ${wanted.join()}`, { interval: 300 });

test(
  "runs the command once with the facts, and releases the tasks of a hung agent without hooks",
  needs(NOT_ON_WINDOWS),
  async () => {
    const pid = await hungAgent();
    // Another program that names the session is not the agent.
    const other = start(process.execPath, ["-e", HUNG, "--", `--session-id=${A}`]);
    onTestFinished(() => void other.child.kill("SIGKILL"));
    await other.untilPrinted("hung");
    silent();
    expect(run("task", "add", "Fix the build").status).toBe(0);
    expect(run("task", "claim", "t1", "--as", A, "--lease", "1h").status).toBe(0);
    const running = watch({
      WAYMARK_STALL_STEPS: "notify,message,command,release:1s",
      WAYMARK_ON_STALLED: `${RECORD}; echo "ended $WAYMARK_STALLED_PID"; kill -9 "$WAYMARK_STALLED_PID"`,
    });
    await untilSteps("command ended", "release released");
    await stop(running);

    expect(runs()).toEqual([
      {
        kind: "stalled",
        message: expect.stringMatching(/^no output for 10m \d+s, in npm test$/),
        since: expect.stringMatching(/^\d{4}-.*Z$/),
        lastActiveAt: expect.stringMatching(/^\d{4}-.*Z$/),
        count: expect.any(Number),
        call: "npm test",
        session: A,
        agent: "main",
        agentType: "claude-code",
        title: expect.any(String),
        project: expect.any(String),
        cwd: machine.cwd,
        todo: { id: "1", text: "Fix the build" },
        tasks: ["t1"],
        pid,
        waiting: { kind: "maybe", text: "npm test" },
      },
    ]);
    await until(() => !isRunning(pid), "the end of the hung process");
    expect(isRunning(other.child.pid ?? 0)).toBe(true);
    const [command] = steps();
    expect(command).toMatchObject({ exitCode: 0, output: `ended ${pid}` });
    expect(JSON.parse(run("task", "show", "t1", "--json").stdout)).toMatchObject({
      status: "open",
      reason: expect.stringMatching(/was stalled for \d+m \d+s: no output for /),
    });
    // The claim of the hung agent no longer counts.
    const late = run("task", "done", "t1", "--as", A, "--epoch", "1");
    expect([late.status, late.stderr]).toEqual([1, expect.stringContaining("t1")]);

    expect(run("show", A).stdout).toMatch(/^steps +command exited with 0 .*t1 released /m);
    expect(run("history", "--session", A).stdout).toMatch(/stalled.*command exited with 0/);
    // A second watch finds everything done.
    const again = watch({ WAYMARK_STALL_STEPS: "command,release:1s" });
    await again.untilPrinted("stalled: no output");
    await stop(again);
    expect(runs()).toHaveLength(1);
  },
);

test("records whether a notification was delivered, and waits for its delay", async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => received.push(JSON.parse(chunk.toString()).kind));
    request.on("end", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const limits = { WAYMARK_STALL_AFTER: "1s", WAYMARK_STALL_AFTER_RUNNING: "1s" };
  for (const [steps, url, state] of [
    ["message", `http://127.0.0.1:${port}/`, undefined],
    ["notify:1s", `http://127.0.0.1:${port}/`, "sent"],
    ["notify", "http://127.0.0.1:9/", "failed"],
  ] as const) {
    const notified = ["--notify", `webhook=${url}`];
    const running = watch(
      { ...limits, WAYMARK_STALL_STEPS: steps, WAYMARK_ON_STALLED: "" },
      ...notified,
    );
    // Stalls that began before the program are not notified.
    const other = A.replaceAll("a", "e");
    const past = Date.now() - 10 * MINUTE;
    writeSession(other, claudeSession(other, machine.cwd).prompt("Go", past).text());
    await running.untilPrinted("stalled: no output");
    silent(0);
    const at = Date.now();
    if (state === undefined)
      await until(() => Date.now() - at > 4_000, "the time for a notification");
    else
      await until(() => facts().at(-1) === `notify ${state}`, `notify ${state}`, { interval: 300 });
    await stop(running);
  }
  expect(received).toEqual(["stalled"]);
  expect(run("show", A).stdout).toMatch(/^steps +webhook notification failed: /m);
});

test("several processes take each step once", needs(NOT_ON_WINDOWS), async () => {
  silent();
  const all = [watch(), watch(), watch()];
  await untilSteps("command ended");
  for (const each of all) await each.untilPrinted("stalled: no output");
  for (const each of all) await stop(each);
  expect(runs()).toHaveLength(1);
});

test("a new stall starts again", needs(NOT_ON_WINDOWS), async () => {
  silent();
  const running = watch();
  await untilSteps("command ended");
  silent(8 * MINUTE);
  await untilSteps("command ended", "command ended");
  await stop(running);
  expect(runs()).toHaveLength(2);
});

test("takes no step for a muted finding", needs(NOT_ON_WINDOWS), async () => {
  silent();
  expect(run("mute", A).status).toBe(0);
  // Another stalled session shows that the steps are taken.
  const other = A.replaceAll("a", "e");
  const at = Date.now() - 10 * MINUTE;
  writeSession(
    other,
    claudeSession(other, machine.cwd).prompt("Go", at).call("Bash", { command: "x" }, at).text(),
  );
  const running = watch();
  await until(() => runs().length === 1, "the run for the other session");
  await stop(running);
  expect(runs().map(({ session }) => session)).toEqual([other]);
  expect(steps()).toEqual([]);
});

test("runs the command for a loop", needs(NOT_ON_WINDOWS), async () => {
  looping();
  const running = watch();
  await untilSteps("command ended");
  await stop(running);
  expect(runs()).toMatchObject([
    {
      kind: "looping",
      message: expect.stringMatching(/^npm test, \d+ times, same result$/),
      count: 25,
    },
  ]);
});

test("records a command that fails, and does not repeat it", needs(NOT_ON_WINDOWS), async () => {
  silent();
  // Changes of a store that exists are printed.
  expect(run("task", "add", "Other work").status).toBe(0);
  const running = watch({ WAYMARK_ON_STALLED: `${RECORD}; echo "no such pane" >&2; exit 3` });
  await untilSteps("command ended");
  await running.untilPrinted("command failed: exit 3: no such pane");
  await stop(running);
  expect(steps()).toMatchObject([{ exitCode: 3, output: "no such pane" }]);
  expect(run("show", A).stdout).toMatch(/^steps +command failed: exit 3: no such pane \d\d:\d\d$/m);
  expect(runs()).toHaveLength(1);
});

test("never repeats the command of a watch that was killed", needs(NOT_ON_WINDOWS), async () => {
  silent();
  const running = watch({ WAYMARK_ON_STALLED: `${RECORD}; sleep 60` });
  await until(() => runs().length === 1, "the start of the command");
  running.child.kill("SIGKILL");
  await running.finished;
  expect(facts()).toEqual(["command started"]);
  const again = watch();
  await again.untilPrinted("stalled: no output");
  await stop(again);
  expect([facts(), runs().length]).toEqual([["command started"], 1]);
});

test("keeps credentials from the command", needs(NOT_ON_WINDOWS), async () => {
  silent();
  const running = watch({
    WAYMARK_ON_STALLED: `env > "$HOME/env"; echo postgres://ann:hunter2@db/x`,
    ANTHROPIC_API_KEY: "sk-ant-secret",
    WAYMARK_NOTIFY: "webhook=https://user:secret@example.test/",
    OTHER: "kept",
  });
  await untilSteps("command ended");
  await stop(running);
  const env = readFileSync(join(home.path, "env"), "utf8");
  expect(env).toContain("OTHER=kept\n");
  expect(env).toContain(`WAYMARK_STALLED_SESSION=${A}\n`);
  expect(env).not.toMatch(/secret|hunter2/);
  expect(JSON.stringify(steps())).not.toContain("hunter2");
});

test("without a command and hooks, a stall is only shown", async () => {
  silent();
  const running = watch({ WAYMARK_ON_STALLED: "" });
  await running.untilPrinted("stalled: no output");
  await stop(running);
  expect(steps()).toEqual([]);
});

test.each([
  ["banana", `"banana" is not a step`],
  ["command:soon", `"soon" is not a duration`],
  ["command:5m,notify", "notify comes before the step in front of it"],
  ["command,command", "it has command twice"],
  ["release", "release needs a delay"],
  ["release:1h", "1h is longer than 25m"],
])("refuses the steps %j", async (given, why) => {
  const { code, stderr } = await waymark(
    ["watch"],
    "",
    environment({ WAYMARK_STALL_STEPS: given }),
  );
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining(`Invalid WAYMARK_STALL_STEPS: ${why}`),
  ]);
});

/** Reports an event of an agent to its hook. */
async function hook(event: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const input = JSON.stringify({ session_id: A, cwd: machine.cwd, ...more });
  const env = environment({ WAYMARK_ON_STALLED: "" });
  const { code, stdout } = await waymark(["hook", "claude", event], input, env);
  expect(code).toBe(0);
  return stdout.toString();
}
const CALL = { tool_name: "Bash", tool_use_id: "c1", tool_input: { command: "npm test" } };
const NEXT = { tool_name: "Bash", tool_use_id: "c2", tool_input: { command: "ls" } };

test("an agent with hooks gets the message at its next hook, once", async () => {
  await hook("SessionStart", { source: "startup" });
  await hook("UserPromptSubmit", { prompt: "Fix it" });
  await hook("PreToolUse", CALL);
  const running = watch({
    WAYMARK_ON_STALLED: "",
    WAYMARK_STALL_AFTER: "1s",
    WAYMARK_STALL_AFTER_RUNNING: "1s",
  });
  await untilSteps("message queued");
  await stop(running);
  expect(run("show", A).stdout).toMatch(/^steps +message queued for its next hook \d\d:\d\d$/m);
  const answer = await hook("PostToolUse", { ...CALL, tool_response: { stdout: "" } });
  expect(answer).toContain("You had no activity for ");
  expect(answer).toContain("npm test");
  expect(facts()).toEqual(["message delivered"]);
  expect(run("show", A).stdout).toMatch(/^steps +message delivered \d\d:\d\d$/m);
  await hook("PreToolUse", NEXT);
  expect(await hook("PostToolUse", { ...NEXT, tool_response: { stdout: "" } })).not.toContain(
    "no activity",
  );
  expect(run("history", "--session", A).stdout).toMatch(/message queued[\s\S]*You had no activity/);
});

test("the message can be turned off", async () => {
  await hook("SessionStart", { source: "startup" });
  await hook("UserPromptSubmit", { prompt: "Fix it" });
  await hook("PreToolUse", CALL);
  const limits = { WAYMARK_STALL_AFTER: "1s", WAYMARK_STALL_AFTER_RUNNING: "1s" };
  for (const off of [{ WAYMARK_STALL_STEPS: "off" }, { WAYMARK_GUIDANCE: "stalled" }]) {
    const running = watch({ ...limits, ...off, WAYMARK_ON_STALLED: "" });
    await until(() => run("ls", "--json").stdout.includes(A), "the session");
    await stop(running);
    expect(steps()).toEqual([]);
  }
});

test("the page and the board take the steps, too", needs(NOT_ON_WINDOWS), async () => {
  silent();
  const server = start(
    process.execPath,
    [PROGRAM, "serve", "--port", "0", "--no-open", "--json"],
    environment({ WAYMARK_STALL_STEPS: "command:5m2s" }),
  );
  onTestFinished(() => void server.child.kill("SIGKILL"));
  await server.untilPrinted("token");
  await untilSteps("command ended");
  await stop(server);
  expect(runs()).toHaveLength(1);
});
