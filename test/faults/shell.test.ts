import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { FULL } from "../full.ts";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join("src", name), "utf8") }));

test("the program never starts a shell", { tags: ["shell-injection"] }, () => {
  const found = sources.flatMap(({ name, text }) => [
    ...(/^\s*(?!\/\/|\*|\/\*).*\bshell: (?:true|\/|[a-z])/m.test(text) ? [`${name}: shell`] : []),
    ...(/from "node:child_process"/.test(text) &&
    /import \{[^}]*\b(?:exec|execSync|execFile|execFileSync|fork)\b[^}]*\} from "node:child_process"/.test(
      text,
    )
      ? [`${name}: exec`]
      : []),
    ...(/spawn(?:Sync)?\(\s*["'`](?:\/bin\/)?(?:sh|bash|zsh|cmd|cmd\.exe)\b/.test(text)
      ? [`${name}: a shell by name`]
      : []),
    ...(/\b(?:eval|Function)\(/.test(text) ? [`${name}: code from text`] : []),
  ]);
  // A Windows batch file needs a shell and receives no text; a command line of a configuration
  // belongs to the user, and an event goes to its input; a check is a line of the shell that the user approved. The shell of a worker
  // runs a fixed line that ends the task's command with Waymark; the command is its arguments.
  expect(found.toSorted()).toEqual([
    "agents/common/setup/plugin-runner.ts: shell",
    "checks/run/run-check.ts: a shell by name",
    "checks/run/run-check.ts: shell",
    "checks/run/run-command.ts: a shell by name",
    "setup/installed.ts: shell",
    "surfaces/editor/server.ts: shell",
  ]);
  expect(sources.filter(({ text }) => text.includes("node:child_process")).length).toBeGreaterThan(
    3,
  );
});

const PAYLOADS = [
  "$(touch canary)",
  "`touch canary`",
  "; touch canary ;",
  "| touch canary",
  "&& touch canary",
  "' ; touch canary ; '",
  '" ; touch canary ; "',
  "--help",
  "-x",
  "!touch canary",
  "%0atouch canary",
  `$${"{IFS}"}touch canary`,
  ">canary",
  "\\$(touch canary)",
];

test("passes texts to an editor in a file, never as commands", {
  tags: ["shell-injection"],
  timeout: 120_000,
}, () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const editor = join(machine.root, "my editor");
  // Prints its arguments and leaves the file as it is.
  writeFileSync(
    editor,
    '#!/bin/sh\nprintf "%s\\n" "$#" "$1" >> "$0.calls"\ncat "$2" >> "$0.seen"\n',
  );
  chmodSync(editor, 0o755);
  const texts = Array.from(
    { length: FULL ? 500 : PAYLOADS.length },
    (_, n) => `${PAYLOADS[n % PAYLOADS.length]} ${n}`,
  );
  for (let from = 0; from < texts.length; from += 15) {
    const session = `s${from}`;
    const some = texts.slice(from, from + 15);
    const added = machine.tool("todos", { add: some }, "--session", session);
    expect(added.status).toBe(0);
    const { status } = machine.run(["todo", "edit", "--session", session], {
      env: { EDITOR: `'${editor}' --wait` },
    });
    expect(status).toBe(0);
    const kept = machine.json(["todos", "--session", session]) as { todos: { text: string }[] };
    expect(kept.todos.map(({ text }) => text)).toEqual(some);
  }
  const calls = readFileSync(`${editor}.calls`, "utf8").trim().split("\n");
  expect(new Set(calls)).toEqual(new Set(["2", "--wait"]));
  for (const text of texts) expect(readFileSync(`${editor}.seen`, "utf8")).toContain(text);
  expect(existsSync(join(machine.cwd, "canary"))).toBe(false);
});
