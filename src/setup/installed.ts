import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** The program that a shell would run for a name. */
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
      // Missing, or not executable by this user: try the next directory.
      return false;
    }
  });
}

const TIMEOUT = 10_000;
const MAX_OUTPUT = 10_000;

/** The version that a program prints. */
export function programVersionSync(file: string, env: Env): string | undefined {
  const { stdout } = spawnSync(file, ["--version"], {
    env: { ...env } as NodeJS.ProcessEnv,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: TIMEOUT,
    shell: isBatch(file),
  });
  return versionIn(stdout);
}

/** Asynchronous: a program may take seconds to print its version. */
export function programVersion(
  file: string,
  env: Env,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const options = {
    env: { ...env } as NodeJS.ProcessEnv,
    timeout: TIMEOUT,
    stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"],
    shell: isBatch(file),
    ...(signal && { signal }),
  };
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(file, ["--version"], options);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < MAX_OUTPUT) output += text;
    });
    child.once("error", () => resolve(undefined));
    child.once("close", () => resolve(versionIn(output)));
  });
}

function versionIn(output: string | null): string | undefined {
  return /(?<!\d)\d+\.\d+\.\d+/.exec(output ?? "")?.[0];
}

function isBatch(file: string): boolean {
  return /\.(?:cmd|bat)$/i.test(file);
}
