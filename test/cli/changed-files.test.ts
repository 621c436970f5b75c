import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, writeFiles } from "../git/repositories.ts";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  eachOnItsOwn,
  json,
  MINUTE,
  machine,
  run,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

const HOSTILE = "src/\u001b[31mred\u202etxt.ts";

function session(): void {
  const start = Date.now() - 10 * MINUTE;
  const at = (seconds: number) => start + seconds * SECOND;
  const edit = (path: string) => ({ file_path: path, old_string: "1", new_string: "2" });
  writeSession(
    A,
    claudeSession(A, machine.cwd)
      .prompt("Fix the keys", at(0))
      .todos(
        [
          ["Make keys unique", "in_progress"],
          ["Migrate", "pending"],
        ],
        at(1),
      )
      .call("Edit", edit(join(machine.cwd, "src/keys.ts")), at(2), "done")
      .call("Edit", edit("src/keys.ts"), at(3), "done")
      .call("Write", { file_path: HOSTILE, content: "1\n" }, at(4), "done")
      .todos(
        [
          ["Make keys unique", "completed"],
          ["Migrate", "in_progress"],
        ],
        at(5),
      )
      .call("Write", { file_path: "/etc/elsewhere", content: "1\n" }, at(6), "done")
      .call("Edit", edit("src/keys.ts"), at(7), "done")
      .text(),
  );
}

test("shows the files that an agent edited, with the lines that git counts", () => {
  const { cwd } = machine;
  gitIn(cwd, "init", "-q");
  writeFiles(cwd, { "src/keys.ts": "1\n2\n3\n", "notes.md": "a\n" });
  gitIn(cwd, "add", "-A");
  // The commit is older than the session.
  machine.bash(
    "GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git -c user.name=a -c user.email=a@a.test commit -qm Start",
  );
  session();
  writeFiles(cwd, { "src/keys.ts": "1\n2\nthree\n4\n", [HOSTILE]: "1\n", "notes.md": "b\n" });
  const { changedFiles } = json("show", A) as unknown as {
    changedFiles: {
      files: readonly { path: string; lines?: object }[];
      git: { since: string | null; others: readonly object[] };
    };
  };
  expect(changedFiles.files).toEqual([
    {
      path: "src/keys.ts",
      edits: 3,
      at: expect.any(String),
      todos: ["1", "2"],
      lines: { added: 2, removed: 1 },
    },
    { path: "/etc/elsewhere", edits: 1, at: expect.any(String), todos: ["2"] },
    {
      path: HOSTILE,
      edits: 1,
      at: expect.any(String),
      todos: ["1"],
      lines: { added: 1, removed: 0 },
    },
  ]);
  expect(changedFiles.git.others).toEqual([{ path: "notes.md", lines: { added: 1, removed: 1 } }]);

  const { stdout } = run("show", A);
  expect(stdout).toMatch(/^Changed files: 3 files, \+3 -1 since [0-9a-f]{7}$/m);
  expect(stdout).toMatch(/^ {2}src\/keys\.ts {2}\+2 -1 {2}3 edits {2}todos 1, 2$/m);
  expect(stdout).toMatch(/^ {2}\/etc\/elsewhere {2}1 edit {2}todo 2$/m);
  expect(stdout).toMatch(/^ {2}1 other file in the repository differs since [0-9a-f]{7}$/m);
  expect(stdout).toMatch(/^ {3}changed: 2 files, src\/keys\.ts, /m);
  // Paths are data.
  expect(stdout).not.toContain("\u001b[31mred");
  expect(stdout).not.toContain("\u202e");
});

test("shows changed files without git", () => {
  session();
  writeFileSync(join(machine.cwd, "x"), "");
  const { changedFiles } = json("show", A) as unknown as { changedFiles: Record<string, unknown> };
  expect(changedFiles.git).toBeUndefined();
  expect(changedFiles.problem).toBeUndefined();
  expect(run("show", A).stdout).toMatch(/^Changed files: 3 files$/m);
});
