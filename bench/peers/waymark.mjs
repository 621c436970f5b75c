import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dependencyOf, titleOf } from "./contract.mjs";
import { emptyHome, runNode } from "./process.mjs";

export const program = fileURLToPath(new URL("../../bin/waymark.js", import.meta.url));

export const waymark = {
  name: "waymark",
  isThere: () => true,
  async at(folder) {
    mkdirSync(folder, { recursive: true });
    const place = { cwd: folder, env: emptyHome(folder) };
    const run = (args, input = "") =>
      runNode([program, "task", ...args], { ...place, input, seconds: 60 });
    return {
      ...place,
      commands: {
        version: [program, "--version"],
        list: [program, "task", "list", "--all"],
        ready: [program, "task", "ready", "--limit", "1", "--json"],
        create: (title) => [program, "task", "add", title],
      },
      server: [program, "mcp", "--tools", "todos,tasks"],
      calls: {
        create: (title) => ({ name: "tasks", arguments: { add: [{ subject: title }] } }),
        isCreated: ({ isError }) => isError !== true,
        ready: { name: "tasks", arguments: {} },
      },
      async fill(count) {
        const lines = Array.from({ length: count }, (_, n) => {
          const before = dependencyOf(n);
          const blockedBy = before === undefined ? [] : [`n${before}`];
          return JSON.stringify({ subject: titleOf(n), id: `n${n}`, blockedBy });
        });
        const { failure } = await run(["add", "-"], lines.join("\n"));
        if (failure) throw new Error(`waymark task add ${failure}`);
      },
      async kept() {
        const { stdout, failure } = await run(["list", "--json"]);
        if (failure) throw new Error(failure);
        return JSON.parse(stdout).map(({ id, subject }) => ({ id, title: subject }));
      },
    };
  },
};
