import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { FULL } from "../full.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";

const COMMANDS = [
  ["todo", "add", "One", "--session", "s"],
  ["ls"],
  ["task", "add", "One", "--as", "a"],
  ["doctor"],
  ["statusline"],
  ["hook", "claude", "SessionStart"],
] as const;

interface Strange {
  readonly env: Readonly<Record<string, string>>;
  /** An environment without even the usual variables. */
  readonly without?: readonly string[];
  /** Only writes fail, or nothing does. */
  readonly fails?: boolean;
}

function surroundings(root: string): Readonly<Record<string, Strange>> {
  const home = join(root, "home");
  const file = join(root, "file");
  writeFileSync(file, "");
  const loop = join(root, "loop");
  symlinkSync(loop, loop);
  const locked = join(root, "locked");
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  return {
    "no HOME": { env: { WAYMARK_HOME: home }, without: ["HOME"] },
    "no HOME and no WAYMARK_HOME": { env: { XDG_DATA_HOME: root }, without: ["HOME"] },
    "an empty HOME": { env: { HOME: "", WAYMARK_HOME: home } },
    "a HOME that is not there": { env: { HOME: join(root, "none"), WAYMARK_HOME: home } },
    "a HOME that is a file": { env: { HOME: file, WAYMARK_HOME: home } },
    "a WAYMARK_HOME that is a file": { env: { HOME: root, WAYMARK_HOME: file }, fails: true },
    "a WAYMARK_HOME that leads to itself": { env: { HOME: root, WAYMARK_HOME: loop }, fails: true },
    "a WAYMARK_HOME in /proc": { env: { HOME: root, WAYMARK_HOME: "/proc/none/x" }, fails: true },
    "a very long WAYMARK_HOME": {
      env: { HOME: root, WAYMARK_HOME: join(root, "x".repeat(300)) },
      fails: true,
    },
    "a relative WAYMARK_HOME": { env: { HOME: root, WAYMARK_HOME: "relative" } },
    "a locked home": {
      env: { HOME: root, WAYMARK_HOME: join(locked, "x") },
      fails: process.getuid?.() !== 0,
    },
    "no PATH": { env: { HOME: root, WAYMARK_HOME: home }, without: ["PATH"] },
    "options for Node": {
      env: {
        HOME: root,
        WAYMARK_HOME: home,
        NODE_OPTIONS: "--trace-warnings --max-http-header-size=9000",
      },
    },
    "a debugger's noise": { env: { HOME: root, WAYMARK_HOME: home, NODE_DEBUG: "fs" } },
    "no locale": { env: { HOME: root, WAYMARK_HOME: home }, without: ["LANG"] },
    "a locale of another time": { env: { HOME: root, WAYMARK_HOME: home, LC_ALL: "tlh_QX" } },
    "a zone that is none": { env: { HOME: root, WAYMARK_HOME: home, TZ: "Nowhere/No" } },
    "no columns": { env: { HOME: root, WAYMARK_HOME: home, COLUMNS: "-1", TERM: "\u001b[2J" } },
    "strange wishes": {
      env: {
        HOME: root,
        WAYMARK_HOME: home,
        WAYMARK_GUIDANCE: "\u0000x".slice(1),
        FORCE_COLOR: "9",
        NO_COLOR: "",
      },
    },
    "folders of others that are files": {
      env: {
        HOME: root,
        WAYMARK_HOME: home,
        CLAUDE_CONFIG_DIR: file,
        CODEX_HOME: loop,
        XDG_CONFIG_HOME: "relative",
      },
    },
  };
}

const SAID = /^waymark: (?!unexpected)/m;

test("works in an unusual environment, or reports the problem", {
  tags: ["unusual-environment"],
  ...needs(NOT_ON_WINDOWS),
  timeout: 120_000,
}, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const all = Object.entries(surroundings(machine.root));
  const wrong: string[] = [];
  for (const [place, [name, { env, without = [], fails = false }]] of all.entries()) {
    const some = FULL ? COMMANDS : [COMMANDS[place % COMMANDS.length]];
    for (const args of some) {
      const unset = without.flatMap((each) => ["-u", each]);
      const program = [process.execPath, join(process.cwd(), "bin/waymark.js"), ...(args ?? [])];
      const running = start("env", ["-C", machine.cwd, ...unset, ...program], env);
      running.child.stdin?.end('{"session_id":"s","source":"startup"}');
      const { code, signal, stderr, stdout } = await running.finished;
      const isHook = args?.[0] === "hook" || args?.[0] === "statusline";
      const isWrite = args?.[1] === "add";
      // doctor may report a problem, and then names it.
      const isFound =
        args?.[0] === "doctor" && code === 1 && /^\d+ problems?\b/m.test(stdout.toString());
      const isFine = isFound || (code === 0 && !(fails && isWrite));
      const isSaid = fails && !isHook && code === 3 && SAID.test(stderr);
      if (signal !== null || !(isFine || isSaid) || `${stdout}${stderr}`.includes("    at "))
        wrong.push(`${name}: ${args?.join(" ")}: ${code} ${signal} ${stderr.slice(0, 400)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(all.length * COMMANDS.length).toBeGreaterThanOrEqual(60);
});
