import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadDriver } from "../../../src/engines/sqlite/driver.ts";
import { start, waymark } from "../../cli/running.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-hook-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}) => ({ WAYMARK_HOME: home, HOME: home, ...more });

async function hook(event: string, input: unknown, more: Record<string, string> = {}) {
  const json =
    typeof input === "string" ? input : JSON.stringify({ session_id: "s", ...(input as object) });
  const { code, stdout, stderr } = await waymark(["hook", "claude", event], json, env(more));
  return { code, stdout: stdout.toString(), stderr };
}

const QUIET = { code: 0, stdout: "", stderr: "" };

function log(): string {
  const file = join(home, "hook.log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

async function write(todos: readonly unknown[]): Promise<void> {
  const { code } = await waymark(
    ["tool", "todos", "--session", "s"],
    JSON.stringify({ todos }),
    env(),
  );
  expect(code).toBe(0);
}

async function step(index: number) {
  const call = {
    tool_name: "Bash",
    tool_use_id: `c${index}`,
    tool_input: { command: `echo ${index}` },
  };
  expect(await hook("PreToolUse", call)).toEqual(QUIET);
  return hook("PostToolUse", { ...call, tool_response: { stdout: `${index}` } });
}

function reminderIn(stdout: string): string {
  return JSON.parse(stdout).hookSpecificOutput.additionalContext;
}

test("records the agent of a list that existed before the first hook", async () => {
  await write([{ text: "Read" }]);
  await hook("SessionStart", { source: "startup", cwd: home });
  const { stdout } = await waymark(["ls", "--json"], "", env());
  expect(JSON.parse(stdout.toString())).toMatchObject([{ session: "s", agentType: "claude-code" }]);
});

describe("reminders", () => {
  test("are given every ten steps without a list write", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    const reminded: number[] = [];
    for (let index = 1; index <= 21; index++) {
      const { stdout } = await step(index);
      if (stdout === "") continue;
      reminded.push(index);
      expect(reminderIn(stdout)).toContain(`updated your todo list in ${index} turns`);
      expect(reminderIn(stdout)).toContain("mcp__waymark__todos");
    }
    expect(reminded).toEqual([10, 20]);
    expect(log()).toBe("");
  }, 60_000);

  test("report a user edit once, at the next step", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    expect(await step(1)).toEqual(QUIET);
    expect((await waymark(["todo", "done", "1", "--session", "s"], "", env())).code).toBe(0);
    const { stdout } = await step(2);
    expect(reminderIn(stdout)).toContain("Read");
    expect(await step(3)).toEqual(QUIET);
  }, 30_000);

  test("restore open todos after a compaction", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await write([
      { text: "Read", status: "completed" },
      { text: "Write", status: "in_progress" },
      { text: "Test" },
    ]);
    const { stdout } = await hook("SessionStart", { source: "compact" });
    expect(reminderIn(stdout)).toContain('2 [>] "Write"\n3 [ ] "Test"\n');
    expect(reminderIn(stdout)).not.toContain("Read");
  });

  test("block a stop with open todos at most twice", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }]);
    const answers: unknown[] = [];
    for (let index = 0; index < 4; index++) {
      await step(index);
      const stop = { last_assistant_message: "Enough.", stop_hook_active: index > 0 };
      const { stdout } = await hook("Stop", stop);
      answers.push(stdout === "" ? undefined : JSON.parse(stdout).decision);
    }
    expect(answers).toEqual(["block", "block", undefined, undefined]);
  }, 30_000);

  test("do not block the end of a turn that only answers the user", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }]);
    await step(1);
    expect((await hook("Stop", { last_assistant_message: "Enough." })).stdout).not.toBe("");
    await hook("UserPromptSubmit", { prompt: "Anything else?" });
    expect(await hook("Stop", { last_assistant_message: "No." })).toEqual(QUIET);
  }, 30_000);

  test("read the last message from the transcript, and do not block a question", async () => {
    const transcript_path = join(home, "transcript.jsonl");
    const line = (type: string, content: unknown) =>
      `${JSON.stringify({ type, message: { role: type, content } })}\n`;
    const ends = (text: string) =>
      writeFileSync(
        transcript_path,
        `${line("user", "Go")}${line("assistant", [{ type: "text", text }])}{"type":"file-history-snapshot"}\n`,
      );
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }]);
    await step(1);
    ends("Two ways are open. Which one do you want?");
    expect(await hook("Stop", { stop_hook_active: false, transcript_path })).toEqual(QUIET);
    ends("Enough.");
    const { stdout } = await hook("Stop", { stop_hook_active: false, transcript_path });
    expect(JSON.parse(stdout).decision).toBe("block");
    const missing = join(home, "gone.jsonl");
    await step(2);
    const unknown = await hook("Stop", { stop_hook_active: true, transcript_path: missing });
    expect(JSON.parse(unknown.stdout).decision).toBe("block");
  }, 30_000);

  test("treat a list as stale despite a refused call that never ends", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }, { text: "Write" }]);
    const refused = { tool_name: "mcp__waymark__todos", tool_use_id: "refused", tool_input: {} };
    expect(await hook("PreToolUse", refused)).toEqual(QUIET);
    const reminded: number[] = [];
    for (let index = 1; index <= 12; index++)
      if ((await step(index)).stdout !== "") reminded.push(index);
    expect(reminded).toEqual([10]);
  }, 60_000);

  test("are not recorded for a stop that the model cannot receive", async () => {
    await hook("SessionStart", { source: "startup", cwd: home });
    await hook("UserPromptSubmit", { prompt: "Go" });
    await write([{ text: "Read", status: "in_progress" }]);
    await step(1);
    expect(await hook("Stop", { no_answer: true })).toEqual(QUIET);
    const { stdout } = await waymark(["history", "s"], "", env());
    expect(stdout.toString()).not.toContain("about to stop");
    expect((await hook("Stop", {})).stdout).toContain("about to stop");
  }, 30_000);

  test.each([
    ["qwen", "UserPromptSubmit", true],
    ["claude", "UserPromptSubmit", true],
    ["gemini", "BeforeAgent", false],
  ])("%s: the first prompt without a start says how to find a hidden tool", async (...given) => {
    const [agent, event, isHidden] = given;
    const json = JSON.stringify({ session_id: "s", prompt: "Go" });
    const { stdout } = await waymark(["hook", agent, event], json, env());
    expect(reminderIn(stdout.toString())).toContain("There is no todo list for this request yet.");
    expect(reminderIn(stdout.toString()).includes("find it with your tool search")).toBe(isHidden);
  });

  test("can be disabled", async () => {
    const off = { WAYMARK_GUIDANCE: "off" };
    expect(await hook("SessionStart", { source: "startup" }, off)).toEqual(QUIET);
    await write([{ text: "Read", status: "in_progress" }]);
    expect(await hook("Stop", {}, off)).toEqual(QUIET);
    expect(await hook("SessionStart", { source: "compact" }, off)).toEqual(QUIET);
  });

  test("name the agent's own tool if it is in use", async () => {
    await write([{ text: "Read", status: "in_progress" }]);
    const json = JSON.stringify({ session_id: "s", source: "compact" });
    const { stdout } = await waymark(["hook", "--native", "claude", "SessionStart"], json, env());
    expect(reminderIn(stdout.toString())).toContain("TaskUpdate");
    expect(reminderIn(stdout.toString())).not.toContain("mcp__waymark");
  });
});

describe("never disturbs the agent", () => {
  test.each([
    ["garbage", "\u0000\u0001{{{"],
    ["nothing", ""],
    ["an array", "[1,2]"],
    ["half of it", '{"session_id":"s","tool_na'],
    ["a session that is a path", '{"session_id":"../../../etc/passwd"}'],
    ["a deep nest", `${"[".repeat(200_000)}`],
  ])("%s on the standard input", async (_, input) => {
    expect(await hook("PostToolUse", input)).toEqual(QUIET);
    expect(log()).toMatch(/ claude PostToolUse: /);
  });

  test("with ten megabytes of input", async () => {
    await hook("SessionStart", { source: "startup" });
    const big = {
      tool_name: "Bash",
      tool_use_id: "c1",
      tool_response: { stdout: "x".repeat(1e7) },
    };
    expect(await hook("PostToolUse", big)).toEqual(QUIET);
    await waymark(["todos", "--session", "s", "--json"], "", env());
    expect(readdirSync(join(home, "spool"))).toEqual([]);
    // Only a small part is stored.
    expect(statSync(join(home, "waymark.db")).size).toBeLessThan(1e6);
  });

  test("with deeply nested input", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const input = `{"session_id":"deep","tool_name":"mcp__x__y","tool_use_id":"c1","tool_input":${deep}}`;
    expect(await hook("PreToolUse", input)).toEqual(QUIET);
    expect(await hook("PreToolUse", { tool_name: "Bash", tool_use_id: "c2" })).toEqual(QUIET);
    expect(readdirSync(join(home, "spool"))).toEqual([]);
    expect(log()).toBe("");
  });

  test.each([[[]], [["claude"]], [["claude", "Nothing"]], [["nobody", "Stop"]], [["a", "b", "c"]]])(
    "with the arguments %j",
    async (args) => {
      const { code, stdout } = await waymark(["hook", ...args], '{"session_id":"s"}', env());
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: "" });
    },
  );

  test("without standard input and output", () => {
    const { status } = spawnSync(
      "/bin/sh",
      ["-c", `"${process.execPath}" bin/waymark.js hook claude SessionStart <&- >&-`],
      { env: { ...process.env, ...env() } },
    );
    expect(status).toBe(0);
  });

  test("if the answer is not read", async () => {
    await write([{ text: "Read", status: "in_progress" }]);
    const running = start(
      process.execPath,
      ["bin/waymark.js", "hook", "claude", "SessionStart"],
      env(),
    );
    running.child.stdout?.destroy();
    running.child.stdin?.end('{"session_id":"s","source":"compact"}');
    expect((await running.finished).code).toBe(0);
  });

  test("if the home is a file or cannot be created", {
    tags: ["unusual-environment"],
  }, async () => {
    const file = join(home, "file");
    writeFileSync(file, "");
    expect(await hook("SessionStart", { source: "startup" }, { WAYMARK_HOME: file })).toEqual(
      QUIET,
    );
    expect(
      await hook("SessionStart", { source: "startup" }, { WAYMARK_HOME: "/proc/none/x" }),
    ).toEqual(QUIET);
  });

  test("without WAYMARK_HOME and HOME", {
    tags: ["unusual-environment"],
    timeout: 20_000,
  }, async () => {
    const { child, finished } = start(
      "env",
      [
        "-u",
        "HOME",
        "-u",
        "WAYMARK_HOME",
        process.execPath,
        "bin/waymark.js",
        "hook",
        "claude",
        "Nothing",
      ],
      { XDG_DATA_HOME: home },
    );
    child.stdin?.end("{}");
    expect((await finished).code).toBe(0);
  });

  test("if the database is locked for longer than an agent waits", {
    tags: ["hanging-dependency"],
    timeout: 20_000,
  }, async () => {
    await hook("SessionStart", { source: "startup" });
    await write([{ text: "Read", status: "in_progress" }]);
    const driver = await loadDriver();
    const db = driver.open(join(home, "waymark.db"));
    db.exec("BEGIN EXCLUSIVE");
    const began = performance.now();
    expect(await hook("SessionStart", { source: "compact" })).toEqual(QUIET);
    expect(performance.now() - began).toBeLessThan(4_500);
    expect(log()).toMatch(/ claude SessionStart: /);
    db.exec("ROLLBACK");
    db.close();
    // The event is not lost: the next hook ingests it.
    const { stdout } = await hook("UserPromptSubmit", { prompt: "Go on" });
    expect(reminderIn(stdout)).toContain('[>] "Read"');
  });

  test("logs nothing from agents' inputs, and bounds the log", {
    tags: ["secret-leak"],
  }, async () => {
    await hook("PostToolUse", '{"session_id":"s","tool_response":"my secret plan"');
    expect(log()).not.toContain("secret");
    expect(statSync(join(home, "hook.log")).mode & 0o777).toBe(0o600);
    writeFileSync(join(home, "hook.log"), "x".repeat(300_000));
    await hook("PostToolUse", "garbage");
    expect(log().length).toBeLessThan(1_000);
    expect(existsSync(join(home, "hook.log.1"))).toBe(true);
  });
});

describe("help", () => {
  test("is printed for users", async () => {
    const { code, stdout } = await waymark(["hook", "--help"], "", env());
    expect(code).toBe(0);
    expect(stdout.toString()).toContain("waymark hook");
  });
});

describe("files about sessions", () => {
  test("are created and removed with the session", async () => {
    // This process calls the hooks.
    const call = (event: string, input: object) =>
      new Promise<void>((resolve) => {
        const child = spawn(process.execPath, ["bin/waymark.js", "hook", "claude", event], {
          env: { ...process.env, ...env() },
          stdio: ["pipe", "ignore", "ignore"],
        });
        child.stdin.end(JSON.stringify({ session_id: "s", ...input }));
        child.once("close", () => resolve());
      });
    mkdirSync(join(home, "sessions"), { recursive: true });
    writeFileSync(join(home, "sessions", "999999999.json"), '{"pid":999999999,"session":"old"}');
    await call("SessionStart", { source: "startup", cwd: home });
    const left = ["", "due", "sessions"].map((dir) => join(home, dir, ".status.json.12.part"));
    for (const part of left) {
      writeFileSync(part, "[");
      utimesSync(part, 1, 1);
    }
    const written = join(home, ".status.json.13-1.part");
    writeFileSync(written, "[");
    const [name = ""] = readdirSync(join(home, "sessions")).filter((each) =>
      each.startsWith(String(process.pid)),
    );
    const file = JSON.parse(readFileSync(join(home, "sessions", name), "utf8"));
    expect(file).toMatchObject({ pid: process.pid, session: "s", cwd: home });
    expect(readdirSync(join(home, "due"))).toContain("s");
    await call("SessionEnd", { reason: "other" });
    expect(readdirSync(join(home, "sessions"))).toEqual([]);
    expect(readdirSync(join(home, "due"))).toEqual([]);
    // Removes abandoned temporary files, but none that may still be written.
    expect([...left, written].filter((part) => existsSync(part))).toEqual([written]);
  });
});
