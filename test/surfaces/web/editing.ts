import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claudeSession } from "../../cli/claude-session.ts";
import type { Machine } from "../../cli/machine.ts";
import { gitIn, writeFiles } from "../../git/repositories.ts";

export const EDITING = "eeeeeeee-1111-4111-8111-111111111111";
const SECOND = 1_000;

/** A repository, and the transcript of an agent that edits its files. */
export function editedRepository(machine: Machine): void {
  const { cwd } = machine;
  gitIn(cwd, "init", "-q");
  writeFiles(cwd, { "src/refunds/keys.ts": "1\n2\n3\n", "notes.md": "a\n" });
  gitIn(cwd, "add", "-A");
  machine.bash(
    "GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git -c user.name=a -c user.email=a@a.test commit -qm Start",
  );
  writeFiles(cwd, {
    "src/refunds/keys.ts": "1\n2\nthree\n4\n",
    "src/refunds/keys.test.ts": "1\n",
    "migrations/<img src=x onerror=alert(1)>\u202e.sql": "1\n2\n",
    "notes.md": "b\n",
  });
  writeTranscript(machine, editingSession(cwd).text());
}

export function writeTranscript({ root }: Machine, text: string): void {
  const dir = join(root, ".claude", "projects", "-p");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${EDITING}.jsonl`), text);
}

export function editingSession(cwd: string) {
  const start = Date.now() - 600 * SECOND;
  const at = (seconds: number) => start + seconds * SECOND;
  const edit = (path: string) => ({ file_path: join(cwd, path), old_string: "1", new_string: "2" });
  const todos = (...statuses: string[]) =>
    ["Make refund_key unique per payment", "Backfill keys for older refunds", "Describe it"].map(
      (text, index) => [text, statuses[index] ?? "pending"] as const,
    );
  return claudeSession(EDITING, cwd)
    .prompt("Refund every payment once", at(0))
    .todos(todos("in_progress"), at(1))
    .call("Edit", edit("src/refunds/keys.ts"), at(2), "done")
    .call("Edit", edit("src/refunds/keys.test.ts"), at(3), "done")
    .todos(todos("completed", "in_progress"), at(4))
    .call("Edit", edit("src/refunds/keys.ts"), at(5), "done")
    .call(
      "Write",
      { file_path: "migrations/<img src=x onerror=alert(1)>\u202e.sql" },
      at(6),
      "done",
    );
}
