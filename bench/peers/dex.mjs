import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peerProgram, titled } from "./brought.mjs";
import { dependencyOf, titleOf } from "./contract.mjs";
import { emptyHome, runNode } from "./process.mjs";

export const dex = {
  name: titled("@zeeg/dex"),
  isThere: () => peerProgram("@zeeg/dex") !== undefined,
  async at(folder) {
    const program = peerProgram("@zeeg/dex");
    const cwd = join(folder, "project");
    mkdirSync(cwd, { recursive: true });
    const place = { cwd, env: emptyHome(folder) };
    spawnSync("git", ["init", "-q"], place);
    return {
      ...place,
      commands: {
        version: [program, "--version"],
        list: [program, "list", "--flat"],
        ready: [program, "list", "--ready", "--json"],
        create: (title) => [program, "create", title],
      },
      server: [program, "mcp"],
      calls: {
        create: (title) => ({
          name: "create_task",
          arguments: { name: title, description: title },
        }),
        isCreated: ({ isError }) => isError !== true,
        ready: { name: "list_tasks", arguments: { ready: true } },
      },
      /** As it writes them itself: a line for each. */
      async fill(count) {
        mkdirSync(join(cwd, ".dex"));
        const id = (n) => n.toString(36).padStart(8, "a");
        const at = "2026-11-16T03:33:22.056Z";
        const lines = Array.from({ length: count }, (_, n) => {
          const before = dependencyOf(n);
          const waiting = n + 1 < count && dependencyOf(n + 1) === n;
          return JSON.stringify({
            id: id(n),
            parent_id: null,
            name: titleOf(n),
            description: "",
            priority: 1,
            completed: false,
            result: null,
            metadata: null,
            created_at: at,
            updated_at: at,
            started_at: null,
            completed_at: null,
            blockedBy: before === undefined ? [] : [id(before)],
            blocks: waiting ? [id(n + 1)] : [],
            children: [],
          });
        });
        writeFileSync(join(cwd, ".dex", "tasks.jsonl"), `${lines.join("\n")}\n`);
      },
      async kept() {
        const { stdout, failure } = await runNode([program, "list", "--json"], place);
        if (failure) throw new Error(failure);
        return JSON.parse(stdout).map(({ id, name }) => ({ id, title: name }));
      },
    };
  },
};
