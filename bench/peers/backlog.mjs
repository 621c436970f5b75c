import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peerProgram, titled } from "./brought.mjs";
import { dependencyOf, titleOf } from "./contract.mjs";
import { emptyHome, runNode } from "./process.mjs";

export const backlog = {
  name: titled("backlog.md"),
  isThere: () => peerProgram("backlog.md") !== undefined,
  async at(folder) {
    const program = peerProgram("backlog.md");
    const cwd = join(folder, "project");
    mkdirSync(cwd, { recursive: true });
    const place = { cwd, env: emptyHome(folder) };
    spawnSync("git", ["init", "-q"], place);
    const made = await runNode([program, "init", "bench", "--defaults"], place);
    if (made.failure) throw new Error(`backlog init ${made.failure}`);
    return {
      ...place,
      commands: {
        version: [program, "--version"],
        list: [program, "task", "list", "--plain"],
        ready: [program, "task", "list", "--ready", "--limit", "1", "--json"],
        create: (title) => [program, "task", "create", title],
      },
      server: [program, "mcp", "start"],
      calls: {
        create: (title) => ({ name: "task_create", arguments: { title } }),
        isCreated: ({ isError }) => isError !== true,
        ready: { name: "task_list", arguments: { ready: true, limit: 1 } },
      },
      /** As it writes them itself: a file for each. */
      async fill(count) {
        for (let n = 0; n < count; n++) {
          const title = titleOf(n);
          const before = dependencyOf(n);
          const waits = before === undefined ? " []" : `\n  - TASK-${before + 1}`;
          writeFileSync(
            join(cwd, "backlog", "tasks", `task-${n + 1} - ${title.replaceAll(" ", "-")}.md`),
            `---\nid: TASK-${n + 1}\ntitle: ${title}\nstatus: To Do\nassignee: []\ncreated_date: '2026-11-16 03:33'\nlabels: []\ndependencies:${waits}\nordinal: ${(n + 1) * 1_000}\n---\n\n\n`,
          );
        }
      },
      async kept() {
        const { stdout, failure } = await runNode([program, "task", "list", "--json"], place);
        if (failure) throw new Error(failure);
        return JSON.parse(stdout).tasks.map(({ id, title }) => ({ id, title }));
      },
    };
  },
};
