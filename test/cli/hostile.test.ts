import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRESETS } from "../../src/core/list/policy.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { trackerOn } from "../../src/tracker.ts";
import { needs } from "../skipped.ts";
import { type Machine, newMachine } from "./machine.ts";
import { NO_TTY } from "./tty.ts";

/** Everything that text can do to a terminal: colors, titles, clipboard, cursor, direction. */
const EVIL =
  "\u001b[31mred\u001b]0;title\u0007\u001b]52;c;eA==\u001b\\\u009b2J\rover\bb\u202eabc\u2066\u200f\u007f\u0000end";
const ACTS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const S = ["--session", "evil"];

let machine: Machine;

beforeAll(async () => {
  machine = newMachine();
  // Only text of external agents can have this; the program itself refuses it.
  const store = await sqliteStore(join(machine.home, "waymark.db"), { createDirectory: true });
  const tracker = trackerOn(store, { policy: PRESETS.external });
  const origin = { cwd: machine.cwd, title: EVIL, agentType: EVIL, parentAgent: EVIL };
  const draft = {
    text: `one ${EVIL}`,
    activeText: EVIL,
    phase: EVIL,
    notes: [EVIL, `a\n${EVIL}`],
    owner: EVIL,
    priority: EVIL,
    blocker: EVIL,
    ref: EVIL,
    evidence: [EVIL],
    rawStatus: EVIL,
  };
  const list = tracker.list({ session: "evil", agent: "main" }, origin);
  const outcome = await list.set(
    [
      { ...draft, status: "in_progress" },
      { ...draft, text: `two ${EVIL}`, status: "blocked", blockedBy: [EVIL] },
      { ...draft, text: `three ${EVIL}`, status: "completed" },
    ],
    { via: EVIL },
  );
  expect(outcome.ok).toBe(true);
  await tracker.close();
  writeFileSync(join(machine.cwd, "evil.md"), `- [${EVIL.replace(/[\r\n]/g, "")}] x\n`);
});

afterAll(() => machine.remove());

const COMMANDS: readonly (readonly string[])[] = [
  [],
  ["ls"],
  ["ls", "--json"],
  ["todos", ...S],
  ["todos", ...S, "--all", "--style", "boxed"],
  ["todos", ...S, "--all", "--style", "tree"],
  ["todos", ...S, "--style", "plan"],
  ["todos", ...S, "--style", "checkbox"],
  ["todos", ...S, "--json"],
  ["show", "evil"],
  ["show", "evil", "--json"],
  ["history", ...S],
  ["history", ...S, "--json"],
  ["tool", "todos", ...S],
  ["tool", "todos", ...S, "--json"],
  ["todo", "start", "e", ...S],
  ["todo", "start", "e", ...S, "--json"],
  ["todo", "note", "1", "fine", ...S],
  ["completion", "--words", "todos", ...S],
  ["todo", "import", "evil.md", ...S],
];

const ARGV = EVIL.replaceAll("\0", "");
const ARGUMENTS: readonly (readonly string[])[] = [
  [ARGV],
  ["todo", ARGV],
  ["help", ARGV],
  ["ls", ARGV],
  ["ls", `--${ARGV}`],
  ["todos", "--session", ARGV],
  ["todos", ...S, "--style", ARGV],
  ["todos", ...S, "--at", ARGV],
  ["history", ...S, "--todo", ARGV],
  ["tool", ARGV, ...S],
  ["todo", "start", ARGV, ...S],
  ["todo", "add", ARGV, ...S],
  ["todo", "import", ARGV, ...S],
  ["todo", "edit", ...S],
];

describe("prints no control characters", () => {
  test.each(COMMANDS.map((args) => ({ args })))("from a list: $args", ({ args }) => {
    const { stdout, stderr } = machine.run(args);
    expect(`${stdout}${stderr}`).not.toMatch(ACTS);
    expect(`${stdout}${stderr}`.length).toBeGreaterThan(0);
  });

  test.each(ARGUMENTS.map((args, n) => ({ args, n })))("from an argument: case $n", ({ args }) => {
    const { status, stdout, stderr } = machine.run(args, {
      env: { EDITOR: ARGV, TMPDIR: machine.root },
    });
    expect(status).toBeGreaterThan(0);
    expect(`${stdout}${stderr}`).not.toMatch(ACTS);
  });

  test("JSON preserves the stored text", () => {
    const { todos } = machine.json(["todos", ...S]) as { todos: { text: string }[] };
    expect(todos[1]?.text).toBe(`two ${EVIL.replace("\r", " ")}`);
  });

  test("prints only its own colors on a terminal", needs(NO_TTY), () => {
    for (const args of [
      "--plain",
      "todos --session evil --all",
      "show evil",
      "history --session evil",
      "todo export --session evil",
    ]) {
      const { stdout } = machine.bash(`script -qec "waymark ${args}" /dev/null </dev/null`, {
        env: { TERM: "xterm-256color" },
      });
      const seen = stdout.replaceAll("\r\n", "\n");
      if (!args.includes("export")) expect(seen).toContain("\u001b[");
      expect(seen.replace(/\u001b\[[0-9;]*m/g, "")).not.toMatch(ACTS);
    }
  });
});
