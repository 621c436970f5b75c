import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peerProgram, titled } from "./brought.mjs";
import { dependencyOf, titleOf } from "./contract.mjs";
import { emptyHome } from "./process.mjs";

const NAME = "mcp-shrimp-task-manager";

/**
 * It has no command line and no query for ready tasks; the closest is its list of pending tasks.
 */
export const shrimp = {
  name: titled(NAME),
  isThere: () => peerProgram(NAME) !== undefined,
  async at(folder) {
    const data = join(folder, "data");
    mkdirSync(data, { recursive: true });
    const file = join(data, "tasks.json");
    return {
      cwd: folder,
      env: { ...emptyHome(folder), DATA_DIR: data },
      server: [peerProgram(NAME)],
      calls: {
        create: (title) => ({
          name: "split_tasks",
          arguments: {
            updateMode: "append",
            tasksRaw: JSON.stringify([
              { name: title, description: title, implementationGuide: title, dependencies: [] },
            ]),
          },
        }),
        // It reports failures in the text of a successful result.
        isCreated: (result) => result.ephemeral?.taskCreationResult?.success === true,
        ready: { name: "list_tasks", arguments: { status: "pending" } },
      },
      /** As it writes them itself: all in one file. */
      async fill(count) {
        const id = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
        const at = "2026-11-16T03:33:22.056Z";
        const tasks = Array.from({ length: count }, (_, n) => {
          const before = dependencyOf(n);
          return {
            id: id(n),
            name: titleOf(n),
            description: titleOf(n),
            status: "pending",
            dependencies: before === undefined ? [] : [{ taskId: id(before) }],
            createdAt: at,
            updatedAt: at,
            implementationGuide: titleOf(n),
          };
        });
        writeFileSync(file, JSON.stringify({ tasks }, null, 2));
      },
      async kept() {
        const { tasks } = JSON.parse(readFileSync(file, "utf8"));
        return tasks.map(({ id, name }) => ({ id, title: name }));
      },
    };
  },
};
