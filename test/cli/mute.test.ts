import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  as,
  B,
  eachOnItsOwn,
  home,
  json,
  ls,
  MINUTE,
  machine,
  type Row,
  run,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

/** A silent agent stalls at once. */
const SHORT = { WAYMARK_STALL_AFTER: "1ms", WAYMARK_STALL_AFTER_RUNNING: "1ms" };

/** A session that is silent inside a call. */
function stalled(silent = 10 * MINUTE): void {
  const at = Date.now() - silent;
  writeSession(
    A,
    claudeSession(A, machine.cwd)
      .prompt("Fix it", at)
      .todos([["Fix it", "in_progress"]], at)
      .call("Bash", { command: "npm test" }, at)
      .text(),
  );
}

const stateOf = (): unknown => ls().find(({ session }: Row) => session === A)?.state;

test("mutes the findings of a session and shows them again", () => {
  stalled();
  expect(stateOf()).toBe("stalled");
  const muted = run("mute", A);
  expect([muted.status, muted.stdout]).toEqual([0, "Muted stalled until it changes.\n"]);
  expect(stateOf()).toBe("working");
  expect(json("show", A)).toMatchObject({
    state: "working",
    findings: [],
    muted: [{ kind: "stalled", untilChange: true }],
  });
  expect(run("show", A).stdout).toMatch(/^muted +stalled until it changes: no output for /m);
  expect(run("mute", "--list").stdout).toBe(`${A}  stalled until it changes\n`);

  // The agent did something and stalled again: that is another finding.
  stalled(8 * MINUTE);
  expect(stateOf()).toBe("stalled");
  expect(run("mute", A, "--for", "1h").stdout).toMatch(/^Muted all findings until \d\d:\d\d\.\n$/);
  stalled(7 * MINUTE);
  expect(stateOf()).toBe("working");
  expect(json("mute", "--list")).toMatchObject(
    ["stalled", "looping", "failing"].map((kind) => ({ session: A, kind })),
  );
  expect(run("mute", A.slice(0, 8), "--undo").stdout).toBe(
    "Shown again: stalled, looping, failing.\n",
  );
  expect(stateOf()).toBe("stalled");
  expect(run("mute", "--list").stdout).toBe("Nothing is muted.\n");
});

/** Hook events of a session that Waymark keeps; the status line has no other source. */
function hook(event: string, more: object): void {
  const input = { session_id: B, cwd: machine.cwd, hook_event_name: event, ...more };
  const { status, stderr } = machine.run(["hook", "claude", event], {
    env: as(home),
    input: JSON.stringify(input),
  });
  expect([status, stderr]).toEqual([0, ""]);
  // The hook takes the process of the test for the agent, which must not mute.
  rmSync(join(machine.home, "sessions"), { recursive: true, force: true });
}

/** The status lines of tmux and of the agent. */
function lines(): readonly string[] {
  const env = { ...as(home), NO_COLOR: "1", ...SHORT };
  const draw = (...args: string[]) =>
    machine.run(["statusline", ...args], { env, input: JSON.stringify({ session_id: B }) }).stdout;
  return [draw("--tmux"), draw()];
}

test("does not count a muted finding in the status lines", () => {
  hook("SessionStart", { source: "startup" });
  hook("UserPromptSubmit", { prompt: "Fix it" });
  const list = { todos: [{ content: "Fix it", status: "in_progress", activeForm: "Fixing it" }] };
  expect(machine.tool("TodoWrite", list, "--session", B).status).toBe(0);
  const isStuck = () => lines().map((line) => / 1!|stalled/.test(line));
  expect(isStuck()).toEqual([true, true]);
  const mute = (...args: string[]) =>
    machine.run(["mute", B, ...args], { env: { ...as(home), ...SHORT } });
  expect(mute()).toMatchObject({ stderr: "", stdout: "Muted stalled until it changes.\n" });
  expect(isStuck()).toEqual([false, false]);
  expect(lines()[0]).toMatch(/^wm 1▸/);

  // The agent did something and stalled again: that is another finding.
  hook("PreToolUse", { tool_name: "Read", tool_input: { file_path: "a" }, tool_use_id: "1" });
  run("ls");
  expect(isStuck()).toEqual([true, true]);
  expect(mute("--for", "1h").status).toBe(0);
  expect(isStuck()).toEqual([false, false]);
  expect(mute("--undo").status).toBe(0);
  expect(isStuck()).toEqual([true, true]);
  // A damaged file shows every finding.
  mute("--always");
  expect(isStuck()).toEqual([false, false]);
  writeFileSync(join(machine.home, "mutes.json"), '{"mutes":[{"sess');
  expect(isStuck()).toEqual([true, true]);
});

test("refuses bad input and changes nothing", () => {
  stalled();
  run("mute", A, "--always");
  const file = join(machine.home, "mutes.json");
  const before = readFileSync(file, "utf8");
  for (const [args, status, message] of [
    [["--for", "banana"], 2, "Invalid duration"],
    [["--for", "1h", "--undo"], 2, "cannot be combined"],
    [["nothing-here"], 1, "No session"],
  ] as const) {
    const { status: got, stderr } = run("mute", ...args);
    expect([args, got]).toEqual([args, status]);
    expect(stderr).toContain(message);
  }
  expect(readFileSync(file, "utf8")).toBe(before);
  // A damaged file shows every finding.
  writeFileSync(file, '{"mutes":[{"session":1},{"sess');
  expect(stateOf()).toBe("stalled");
});

test("leaves muting to the user", () => {
  stalled();
  const env = { HOME: process.env.HOME ?? "", CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: A };
  const { status, stderr } = machine.run(["mute", A], { env });
  expect(status).not.toBe(0);
  expect(stderr).toContain("decision of the user");
});
