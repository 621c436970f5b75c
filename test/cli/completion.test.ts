import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../skipped.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
  machine.run(["todo", "add", "Read", "Write", "--session", "demo"]);
  machine.run(["todo", "add", "x", "--session", "other", "--agent", "sub"]);
});
afterAll(() => machine.remove());

/** The completions that bash offers after these words. */
function offered(...words: string[]): string[] {
  const quoted = ["waymark", ...words].map((word) => `'${word}'`).join(" ");
  const { status, stdout, stderr } = machine.bash(
    `eval "$(waymark completion bash)"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((word) => word !== "");
}

describe("bash", () => {
  test.each<[string[], string[]]>([
    [["to"], ["todos", "todo", "tool"]],
    [["todo", "re"], ["reopen"]],
    [
      ["todos", "--"],
      [
        "--session",
        "--agent",
        "--home",
        "--style",
        "--at",
        "--all",
        "--clear-delay",
        "--json",
        "--help",
      ],
    ],
    [["todos", "--style", "b"], ["boxed"]],
    [
      ["todos", "--session", ""],
      ["other", "demo"],
    ],
    [["show", "d"], ["demo"]],
    [
      ["todo", "done", "--session", "demo", ""],
      ["1", "2"],
    ],
    [["todo", "add", "x", "--session", "other", "--agent", ""], ["sub"]],
    [["tool", "Todo"], ["TodoWrite"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["help", "hi"], ["history"]],
    [
      ["help", "task", "re"],
      ["ready", "renew", "release", "retry", "resume", "reopen"],
    ],
    [
      ["--"],
      ["--all", "--json", "--plain", "--page", "--no-mouse", "--notify", "--verify", "--help"],
    ],
  ])("%j", (words, wanted) => {
    expect(offered(...words)).toEqual(wanted);
  });

  test("completes files", () => {
    machine.bash("touch plan.md");
    expect(offered("todo", "import", "pl")).toEqual(["plan.md"]);
  });
});

describe.each(["zsh", "fish"])("%s", (shell) => {
  const missing = spawnSync(shell, ["--version"]).error ? `no ${shell}` : "";

  test("names every command", () => {
    const { stdout } = machine.run(["completion", shell]);
    for (const word of ["todos", "todo", "history", "reopen", "style", "evidence"])
      expect(stdout).toContain(word);
  });

  test(`is a valid ${shell} script`, needs(missing), () => {
    const { stdout: input } = machine.run(["completion", shell]);
    const read = spawnSync(shell, ["-n"], { input, encoding: "utf8" });
    expect({ status: read.status, stderr: read.stderr }).toEqual({ status: 0, stderr: "" });
  });
});
