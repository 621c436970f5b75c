import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { memoryDirectory } from "./test/memory-directory.ts";

// Workers and the programs that tests start inherit it. A directory that the user named is respected.
const inMemory = process.env.TMPDIR ? undefined : memoryDirectory();
if (inMemory !== undefined) process.env.TMPDIR = inMemory;

/** Measures how long others wait or how much memory is used: run one after the other, when all else is done. */
const ALONE = [
  "test/concurrency/contention.test.ts",
  "test/concurrency/inside.test.ts",
  "test/faults/linear.test.ts",
  "test/sessions/bounds.test.ts",
  "test/sessions/first-reading.test.ts",
  "test/servers/http/loud.test.ts",
];

/** Tests of pure modules, which need no build of the program. */
const PURE = ["test/core/**/*.test.ts", "test/tools/**/*.test.ts", "test/tasks/rules/**/*.test.ts"];

/** Imports of SQL files are their text, as in the bundles. */
const sqlAsText = {
  name: "sql as text",
  load(id: string) {
    if (!id.endsWith(".sql")) return null;
    return `export default ${JSON.stringify(readFileSync(id, "utf8"))};`;
  },
};

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  plugins: [sqlAsText],
  test: {
    // Only what hangs is to meet it: ten thousand cases take half a minute where others use the machine, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Generous: only what never comes true waits that long.
    expect: { poll: { timeout: 30_000 } },
    // One more than there are cores: most tests wait for processes that they started. At full size they do not.
    maxWorkers: availableParallelism() + (process.env.WAYMARK_FULL === "1" ? 0 : 1),
    reporters: [
      "default",
      ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : []),
      "./test/skipped-reporter.ts",
    ],
    setupFiles: ["test/end-started.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: PURE,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: [...PURE, ...ALONE, "test/sdk-heavy/**"],
          // What is loaded and warm serves every file; what a test changes, it changes in folders of its own.
          isolate: false,
          globalSetup: ["test/build.ts", "test/postgres-run.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
          globalSetup: ["test/postgres-run.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
