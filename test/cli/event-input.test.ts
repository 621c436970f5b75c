import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs, ONLY_ON_LINUX } from "../skipped.ts";
import { PROGRAM } from "./machine.ts";
import { start, waymark } from "./running.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-event-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs the program with an input that stays open. */
async function openEnded(kind: "pipe" | "socket", args: readonly string[], input: string) {
  const env = { WAYMARK_HOME: home, NO_COLOR: "1" };
  const command = [process.execPath, PROGRAM, ...args];
  // Node gives a child process a socket, a shell a pipe.
  const script = 'cat | { "$@"; echo "ended with $?"; }';
  const words = kind === "pipe" ? ["sh", "-c", script, "sh", ...command] : command;
  const running = start(words[0] ?? "", words.slice(1), env);
  running.child.stdin?.write(input);
  if (kind === "pipe") {
    await running.untilPrinted("ended with");
    running.child.stdin?.end();
  }
  const { code, stdout, stderr } = await running.finished;
  const text = stdout.toString();
  if (kind === "pipe") {
    const [, stdout = "", status] = /^([\s\S]*)ended with (\d+)\n$/.exec(text) ?? [];
    return { code: Number(status), stdout, stderr };
  }
  return { code, stdout: text, stderr };
}

const KINDS = ["pipe", "socket"] as const;
const EVENT = '{"session_id":"one","source":"compact"}';

async function begin(): Promise<void> {
  const env = { WAYMARK_HOME: home };
  await waymark(["tool", "todos", "--session", "one"], '{"add":["Read"]}', env);
  await waymark(["tool", "todos", "--session", "two"], '{"add":["Write"]}', env);
}

describe.each(KINDS)("with an open %s as input", (kind) => {
  test.each(["", "\n"])("a hook answers a complete event followed by %j", async (end) => {
    await begin();
    const { code, stdout, stderr } = await openEnded(
      kind,
      ["hook", "claude", "SessionStart"],
      EVENT + end,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("Read");
  });
});

test("a hook times out on an incomplete event and logs it", async () => {
  const half = EVENT.slice(0, -4);
  const given = KINDS.map((kind) => openEnded(kind, ["hook", "claude", "SessionStart"], half));
  for (const ran of await Promise.all(given))
    expect(ran).toEqual({ code: 0, stdout: "", stderr: "" });
  const log = readFileSync(join(home, "hook.log"), "utf8");
  expect(log).toMatch(/^(?:\S+ claude SessionStart: the input is not JSON\n){2}$/);
});

test("a status line shows the named session, or the newest", async () => {
  await begin();
  const drawn = (text: string, input: string) =>
    KINDS.map(async (kind) =>
      expect(await openEnded(kind, ["statusline"], input)).toEqual({
        code: 0,
        stdout: `▌ · 0/1 next ${text}\n`,
        stderr: "",
      }),
    );
  await Promise.all([
    ...drawn("Read", '{"session_id":"one"}'),
    ...drawn("Write", '{"session_id":'),
  ]);
});

test("times out on an empty pipe", needs(ONLY_ON_LINUX), async () => {
  await begin();
  const [drawn, hook] = await Promise.all([
    openEnded("pipe", ["statusline"], ""),
    openEnded("pipe", ["hook", "claude", "Stop"], ""),
  ]);
  expect(drawn).toEqual({ code: 0, stdout: "▌ · 0/1 next Write\n", stderr: "" });
  expect(hook).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.each(KINDS)("reads an event of many chunks from a %s", async (kind) => {
  await begin();
  const event = JSON.stringify({
    session_id: "one",
    source: "compact",
    more: "{}".repeat(400_000),
  });
  const { code, stdout } = await openEnded(kind, ["hook", "claude", "SessionStart"], event);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("Read");
});
