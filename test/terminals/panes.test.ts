import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { identityOf } from "../../src/agents/identities.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import { resumeOf, shellWord } from "../../src/core/jump.ts";
import { openPanes } from "../../src/terminals/panes.ts";

let dir: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "waymark-panes-"));
  env = { PATH: dir };
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

/** A program that prints a text and notes its arguments, one per line. */
function install(name: string, output = "", exit = 0): () => readonly string[] {
  const log = join(dir, `${name}.log`);
  const file = join(dir, name);
  writeFileSync(log, "");
  writeFileSync(
    file,
    `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\nprintf '%s' '${output}'\nexit ${exit}\n`,
  );
  chmodSync(file, 0o755);
  return () => readFileSync(log, "utf8").trimEnd().split("\n");
}

const found = (theirs: Record<string, string>, tty?: string) =>
  openPanes(env).paneOf({ pid: 1, tty, env: theirs });

test("focuses a kitty window over the socket that the process names", async () => {
  const args = install("kitty");
  const theirs = { KITTY_WINDOW_ID: "7", KITTY_LISTEN_ON: "unix:/tmp/k" };
  const pane = await found(theirs);
  expect(pane).toMatchObject({ program: "kitty", label: "window 7" });
  expect(await pane?.focus()).toEqual({ type: "focused" });
  expect(args()).toEqual(["@", "--to", "unix:/tmp/k", "focus-window", "--match", "id:7"]);
  expect(await found({ KITTY_WINDOW_ID: "7" })).toBeUndefined();
});

test("focuses a wezterm pane unless its device belongs to another process", async () => {
  const list = '[{"pane_id":3,"title":"shed","tty_name":"/dev/pts/9"}]';
  const args = install("wezterm", list);
  const pane = await found({ WEZTERM_PANE: "3" }, "/dev/pts/9");
  expect(pane).toMatchObject({ program: "wezterm", label: "pane 3", title: "shed" });
  expect(await pane?.focus()).toEqual({ type: "focused" });
  expect(args().slice(-4)).toEqual(["cli", "activate-pane", "--pane-id", "3"]);
  expect(await found({ WEZTERM_PANE: "3" }, "/dev/pts/8")).toBeUndefined();
  expect(await found({ WEZTERM_PANE: "4" }, "/dev/pts/9")).toBeUndefined();
});

test("focuses a zellij pane, and reports a zellij that cannot", async () => {
  const args = install("zellij");
  const theirs = { ZELLIJ_SESSION_NAME: "work", ZELLIJ_PANE_ID: "2" };
  expect(await (await found(theirs))?.focus()).toEqual({ type: "focused" });
  expect(args()).toEqual(["--session", "work", "action", "focus-pane-id", "terminal_2"]);
  install("zellij", "", 2);
  expect(await (await found(theirs))?.focus()).toBeUndefined();
});

test("passes nothing on that a terminal program could read as an option or a command", async () => {
  for (const theirs of [
    { KITTY_WINDOW_ID: "7; rm", KITTY_LISTEN_ON: "unix:/tmp/k" },
    { KITTY_WINDOW_ID: "7", KITTY_LISTEN_ON: "--help" },
    { ZELLIJ_SESSION_NAME: "-x", ZELLIJ_PANE_ID: "2" },
    { ZELLIJ_SESSION_NAME: "work", ZELLIJ_PANE_ID: "--kill" },
    { WEZTERM_PANE: "--help" },
  ])
    expect(await found(theirs)).toBeUndefined();
});

test("resumes a session with the agent's own command, quoted for a shell", () => {
  const resumed = (agentType: string, session: string, cwd?: string) =>
    resumeOf(
      { track: { ...emptyTrack({ session, agent: "main" }), ...(cwd !== undefined && { cwd }) } },
      identityOf(agentType)?.resumeCommand,
    )?.line;
  const id = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";
  expect(resumed("claude-code", id)).toBe(`claude --resume ${id}`);
  expect(resumed("codex", id, "/srv/my shop")).toBe(`cd '/srv/my shop' && codex resume ${id}`);
  expect(resumed("gemini", id)).toBe(`gemini --resume ${id}`);
  expect(resumed("opencode", "ses_1")).toBe("opencode --session ses_1");
  expect(resumed("qwen", id)).toBe(`qwen --resume ${id}`);
  expect(resumed("codex", "$(reboot)")).toBe("codex resume '$(reboot)'");
  expect(resumed("codex", "--yolo")).toBeUndefined();
  expect(resumed("codex", "a\nreboot")).toBeUndefined();
  expect(resumed("hermes", id)).toBeUndefined();
  expect(shellWord("it's")).toBe(`'it'\\''s'`);
});
