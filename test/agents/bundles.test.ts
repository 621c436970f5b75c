import { readFileSync } from "node:fs";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";

/** Parts of the agents that a command should load only when it uses them. */
const HOOKS = /^src\/agents\/(?:hooks\.ts|[\w-]+\/hook(?:s|-\w+)\.ts|common\/hooks\/)/;
const SETUP = /^src\/agents\/(?:setup\.ts|[\w-]+\/setup\.ts|common\/setup\/|opencode\/plugin\.ts)/;
const TASK_FILES = /^src\/agents\/(?:task-files\.ts|[\w-]+\/task-files\.ts)/;
const DECODERS = /^src\/agents\/(?:index\.ts|[\w-]+\/decoder\.ts|table\/)/;

const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

async function bundle(entry: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "unused",
    write: false,
    metafile: true,
    logLevel: "error",
    external: ["libsql", "pg", "pg-native", ...Object.keys(peerDependencies)],
    loader: { ".sql": "text" },
  });
  return metafile;
}

/** The modules that are loaded with `entry`, also late, except through `skipped`. */
function modulesOf({ inputs }: Metafile, entry: string, skipped?: string): readonly string[] {
  const found = new Set([entry]);
  for (const path of found)
    for (const imported of inputs[path]?.imports ?? [])
      if (!imported.external && imported.path !== skipped) found.add(imported.path);
  return [...found];
}

function matching(paths: readonly string[], ...patterns: readonly RegExp[]): readonly string[] {
  return paths.filter((path) => patterns.some((pattern) => pattern.test(path)));
}

test("`ls` loads decoders, but no setup and no task files", async () => {
  const [output] = Object.values((await bundle("src/cli/commands/ls.ts")).outputs);
  const paths = Object.keys(output?.inputs ?? {});
  expect(matching(paths, DECODERS)).not.toEqual([]);
  expect(matching(paths, SETUP, TASK_FILES)).toEqual([]);
});

test("opening the home loads hook tables only to ingest pending hook events", async () => {
  const metafile = await bundle("src/home/open.ts");
  const ingest = "src/servers/hooks/ingest.ts";
  expect(matching(modulesOf(metafile, "src/home/open.ts"), HOOKS)).not.toEqual([]);
  expect(matching(modulesOf(metafile, "src/home/open.ts", ingest), HOOKS)).toEqual([]);
  const importers = Object.entries(metafile.inputs).flatMap(([path, { imports }]) =>
    imports.filter((one) => one.path === ingest).map(({ kind }) => [path, kind]),
  );
  expect(importers).toEqual([["src/home/open.ts", "dynamic-import"]]);
});

test("hooks load neither decoders nor setup", async () => {
  const metafile = await bundle("src/servers/hooks/run.ts");
  const paths = modulesOf(metafile, "src/servers/hooks/run.ts");
  expect(matching(paths, HOOKS)).not.toEqual([]);
  expect(matching(paths, SETUP, TASK_FILES)).toEqual([]);
  expect(matching(paths, DECODERS)).toEqual([]);
});
