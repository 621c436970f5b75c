import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Files } from "../fixtures/lies/repositories.ts";

/** The result of a command in a directory with some files. */
export interface RunResult {
  readonly exitCode: number;
  readonly output: string;
}

type Recorded = Record<string, readonly [exitCode: number, output: string]>;

const MAX_OUTPUT = 1_200;

/** Identifies a run by its files and its command. */
function keyOf(files: Files, command: string): string {
  const present = Object.entries(files).filter(([, text]) => text !== null);
  const sorted = present.sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha1")
    .update(JSON.stringify([sorted, command]))
    .digest("hex")
    .slice(0, 16);
}

/** Writes the files below a directory. */
export function writeFiles(directory: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) continue;
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/**
 * The recorded results of commands, by their files. With `record`, missing ones are run and the file is
 * written by `save`.
 */
export function openRuns(fixtures: string, { record = false } = {}) {
  const file = join(fixtures, "recorded.json");
  const recorded: Recorded = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const used: Recorded = {};
  const tools = record ? createTools(fixtures) : undefined;
  return {
    resultOf(files: Files, command: string): RunResult {
      const key = keyOf(files, command);
      const known = recorded[key] ?? (tools ? run(files, command, tools) : undefined);
      if (!known)
        throw new Error(`${command} is not recorded. Run \`node scripts/record-lies.mjs\`.`);
      recorded[key] = known;
      used[key] = known;
      return { exitCode: known[0], output: known[1] };
    },
    save(): number {
      const sorted = Object.entries(used).sort(([one], [other]) => (one < other ? -1 : 1));
      const lines = sorted.map(
        ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
      );
      writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
      if (tools) rmSync(tools, { recursive: true, force: true });
      return sorted.length;
    },
  };
}

export type Runs = ReturnType<typeof openRuns>;

/** A folder with the stand-in for Go, if Go is not installed. */
export function createTools(fixtures: string): string {
  const tools = mkdtempSync(join(tmpdir(), "waymark-tools-"));
  if (spawnSync("sh", ["-c", "command -v go"]).status !== 0) {
    copyFileSync(join(fixtures, "go.mjs"), join(tools, "go"));
    chmodSync(join(tools, "go"), 0o755);
  }
  return tools;
}

function run(files: Files, command: string, tools: string): readonly [number, string] {
  const parent = mkdtempSync(join(tmpdir(), "waymark-lies-"));
  const directory = join(parent, "calc");
  try {
    mkdirSync(directory);
    writeFiles(directory, files);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const ended = spawnSync("bash", ["-c", `${command}\n`], {
      cwd: directory,
      encoding: "utf8",
      timeout: 120_000,
      env: {
        ...env,
        PATH: `${tools}:${env.PATH}`,
        CARGO_TARGET_DIR: join(tools, "target"),
        NO_COLOR: "1",
        npm_config_loglevel: "error",
        NO_UPDATE_NOTIFIER: "1",
      },
    });
    if (ended.status === null) throw new Error(`${command}: ${ended.error ?? ended.signal}`);
    return [ended.status, stable(`${ended.stdout}${ended.stderr}`, parent, tools)];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Without times and paths of this machine; the end, because the summary is there. */
function stable(output: string, directory: string, tools: string): string {
  return output
    .replaceAll(directory, "/repo")
    .replaceAll(`${tools}/`, "")
    .replace(/\/[\w./-]+\/(?=unittest\/)/g, "/python/")
    .replace(/^.*(?:duration_ms|Blocking waiting|npm warn).*\n/gm, "")
    .replace(/\d+\.\d+ ?(m?s)\b/g, "0.01$1")
    .replace(/(\w+)-[0-9a-f]{16}/g, "$1")
    .slice(-MAX_OUTPUT);
}

/** Commits the files, as of a time. */
export function commitFiles(directory: string, at: number): void {
  const date = new Date(at).toISOString();
  const env = {
    ...process.env,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: directory,
      env,
      stdio: "pipe",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "Start");
}
