import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../cli/machine.ts";
import { NO_TTY } from "../cli/tty.ts";

export const NO_TMUX =
  NO_TTY || (spawnSync("tmux", ["-V"]).status !== 0 ? "tmux is not installed" : "");

/** A tmux server of its own, and a program that looks like an agent. The caller ends it. */
export function openTmux(machine: Machine) {
  const socket = join(machine.root, "t.sock");
  const agent = join(machine.root, "bin", "claude");
  copyFileSync("/bin/sleep", agent);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: machine.root,
    WAYMARK_HOME: machine.home,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SHELL: "/bin/sh",
  };
  const tmux = (...args: string[]): string => {
    const command = ["-S", socket, "-f", "/dev/null", ...args];
    const { stdout } = spawnSync("tmux", command, { env, encoding: "utf8", cwd: machine.cwd });
    return stdout.trim();
  };
  return { socket, agent, env, tmux, end: () => void tmux("kill-server") };
}
