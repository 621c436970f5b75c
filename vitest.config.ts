import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { FAULTS } from "./scripts/faults.mjs";
import { memoryDirectory } from "./test/memory-directory.ts";

// Workers and the programs that tests start inherit it. A directory chosen by the user takes precedence.
const inMemory = process.env.TMPDIR ? undefined : memoryDirectory();
if (inMemory !== undefined) process.env.TMPDIR = inMemory;

/** Tests of waiting times and memory: run one after the other, after all others. */
const ALONE = [
  "test/concurrency/contention.test.ts",
  "test/concurrency/one-process.test.ts",
  "test/faults/linear.test.ts",
  "test/sessions/bounds.test.ts",
  "test/sessions/first-scan.test.ts",
  "test/servers/http/slow-consumers.test.ts",
];

/** Tests of pure modules, which need no build. */
const PURE = ["test/core/**/*.test.ts", "test/tools/**/*.test.ts", "test/tasks/rules/**/*.test.ts"];

/** Each project defines them: the projects do not inherit tags. */
const tags = Object.entries(FAULTS).map(([name, description]) => ({ name, description }));

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
    // For hanging tests only: ten thousand cases take half a minute on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Only a condition that never becomes true waits that long.
    expect: { poll: { timeout: 30_000 } },
    // One more than the number of cores: most tests wait for processes that they started. At full size they do not.
    maxWorkers: availableParallelism() + (process.env.WAYMARK_FULL === "1" ? 0 : 1),
    reporters: [
      "default",
      ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : []),
      "./test/skipped-reporter.ts",
    ],
    setupFiles: ["test/end-child-processes.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          tags,
          include: PURE,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "all",
          tags,
          include: ["test/**/*.test.ts"],
          exclude: [...PURE, ...ALONE, "test/sdk-heavy/**"],
          // Files share loaded modules; tests change only their own directories.
          isolate: false,
          globalSetup: ["test/build.ts", "test/postgres-run.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          tags,
          include: ALONE,
          globalSetup: ["test/postgres-run.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
