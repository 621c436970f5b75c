import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { jumpTo } from "../../src/servers/jump/jump.ts";
import { recordSession } from "../../src/sessions/caller/session.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { newMachine, PROGRAM } from "../cli/machine.ts";
import { openTty } from "../cli/tty.ts";
import { needs } from "../skipped.ts";
import { until } from "../until.ts";
import { NO_TMUX, openTmux } from "./tmux.ts";

const SESSION = "0b0c2c1e-6c5e-4d52-9d43-0b5b9a6f9a01";

function newTmux() {
  const machine = newMachine();
  const opened = openTmux(machine);
  onTestFinished(() => {
    opened.end();
    machine.remove();
  });
  return { machine, ...opened };
}

function writeSession(root: string, cwd: string): void {
  const now = Date.now();
  const file = claudeSession(SESSION, cwd)
    .prompt("Fix the shed", now)
    .todos([["Find the nails", "in_progress"]], now);
  const dir = join(root, ".claude", "projects", "-p");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${SESSION}.jsonl`), file.text());
}

describe("jumping to an agent in tmux", needs(NO_TMUX), () => {
  test("goes to the pane, asks which of several, and offers the resume command", {
    timeout: 120_000,
  }, async () => {
    const { machine, socket, agent, env, tmux } = newTmux();
    tmux("new-session", "-d", "-s", "work", "-n", "agent", "-x", "80", "-y", "24", agent, "600");
    await until(
      () => tmux("list-panes", "-a", "-F", "#{pane_current_command}") === "claude",
      "the agent",
    );
    writeSession(machine.root, machine.cwd);
    tmux("new-window", "-n", "board", process.execPath, PROGRAM);
    const tty = openTty(`tmux -S ${socket} attach -t work`, { columns: 80, rows: 25, env });
    onTestFinished(() => void tty.child.kill("SIGKILL"));
    const active = () => tmux("display-message", "-p", "-t", "work:", "#{window_name}");
    await tty.shows("Fix the shed");
    expect(active()).toBe("board");
    tty.type("g");
    await until(() => active() === "agent", "the agent's window");
    tmux("select-window", "-t", "work:board");
    await tty.shows("Went to Claude Code");
    await tty.shows("tmux pane work:0.0, “agent”");
    await tty.shows("prefix l comes back");

    tmux("new-window", "-d", "-n", "other", agent, "601");
    await until(
      () => tmux("list-panes", "-a", "-F", "#{pane_current_command}").split("claude").length === 3,
      "the second agent",
    );
    tty.type("g");
    await tty.shows("2 panes could be Claude Code");
    expect(active()).toBe("board");
    await tty.shows("tmux work:2.0");
    tty.type("2");
    await until(() => active() === "other", "the chosen window");
    tmux("select-window", "-t", "work:board");
    await tty.shows("Went to Claude Code");

    tmux("kill-window", "-t", "work:agent");
    tmux("kill-window", "-t", "work:other");
    tty.type("\x1b");
    await tty.until((rows) => !rows.join("\n").includes("Went to"), "the notice closed");
    tty.type("g");
    await tty.shows("No open terminal found for Claude Code");
    await tty.shows(`claude --resume ${SESSION}`);
    tty.type("q");
    await until(() => tmux("list-windows") === "", "the end of the board");
  });

  test("knows the process that a hook recorded, and how to attach to a pane that no window shows", async () => {
    const { machine, socket, agent, tmux } = newTmux();
    tmux("new-session", "-d", "-s", "my work", "-n", "one", agent, "600");
    tmux("new-window", "-d", "-n", "two", agent, "601");
    const panes = () => tmux("list-panes", "-a", "-F", "#{pane_pid} #{pane_current_command}");
    await until(() => panes().split("claude").length === 3, "both agents");
    const now = Date.now();
    const track = {
      ...emptyTrack({ session: SESSION, agent: "main" }),
      agentType: "claude-code",
      cwd: machine.cwd,
    };
    const merged: MergedTrack = {
      track,
      hosted: false,
      state: "idle",
      findings: [],
      updatedAt: now,
    };
    const call = {
      home: machine.home,
      env: { PATH: process.env.PATH, TMUX: `${socket},1,0` },
      tracks: () => [merged],
    };
    const unsure = await jumpTo(call, merged);
    expect(unsure).toMatchObject({
      type: "choose",
      panes: [
        { program: "tmux", label: "my work:0.0", title: "one", cwd: machine.cwd },
        { program: "tmux", label: "my work:1.0", title: "two" },
      ],
    });
    const pid = Number(/^(\d+) claude$/m.exec(panes().split("\n")[1] ?? "")?.[1]);
    recordSession(machine.home, { session: SESSION, agentType: "claude-code" }, pid, {});
    expect(await jumpTo(call, merged)).toMatchObject({
      type: "detached",
      pane: { label: "my work:1.0" },
      attach: `tmux -S ${socket} attach -t 'my work'`,
    });
    // The process of another session is never offered.
    const other = { ...merged, track: { ...track, session: "another-session" } };
    expect(await jumpTo(call, other)).toMatchObject({
      type: "choose",
      panes: [{ label: "my work:0.0" }],
    });
    const elsewhere = { ...merged, track: { ...track, cwd: "/srv" }, machine: "attic" };
    expect(await jumpTo(call, elsewhere)).toMatchObject({ type: "none", machine: "attic" });
  });
});
