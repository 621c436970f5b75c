import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** The file that a name on the command line means. */
export function findOnPath(name: string, path: string, platform: string): string | undefined {
  const endings = platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const files = path
    .split(delimiter)
    .filter((dir) => dir !== "")
    .flatMap((dir) => endings.map((ending) => join(dir, `${name}${ending}`)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      // Not there, or not a program for this user; the next one is meant.
      return false;
    }
  });
}

const PATIENCE = 10_000;
const MAX_SAID = 10_000;

/** What a program says of itself. */
export function versionOf(file: string, env: Env): string | undefined {
  const { stdout } = spawnSync(file, ["--version"], {
    env: { ...env } as NodeJS.ProcessEnv,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PATIENCE,
    shell: isBatch(file),
  });
  return versionIn(stdout);
}

/** The same without waiting for it: the program may take seconds to answer. */
export function askVersion(
  file: string,
  env: Env,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const options = {
    env: { ...env } as NodeJS.ProcessEnv,
    timeout: PATIENCE,
    stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"],
    shell: isBatch(file),
    ...(signal && { signal }),
  };
  return new Promise((resolve) => {
    let said = "";
    const child = spawn(file, ["--version"], options);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < MAX_SAID) said += text;
    });
    child.once("error", () => resolve(undefined));
    child.once("close", () => resolve(versionIn(said)));
  });
}

function versionIn(said: string | null): string | undefined {
  return /\d+\.\d+\.\d+/.exec(said ?? "")?.[0];
}

function isBatch(file: string): boolean {
  return /\.(?:cmd|bat)$/i.test(file);
}
