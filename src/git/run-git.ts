/**
 * git: the only layer that runs git. `run-git` starts it without hooks, `repository` finds the repository of a
 * directory, `snapshot` hashes the working tree, `checkout` writes a tree to a directory, `diff` compares two
 * trees, `log` lists commits. Nothing here writes to the user's repository, index or working tree.
 */
import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { WaymarkError } from "../core/error.ts";

export interface GitOptions {
  /** Bytes for the standard input. */
  readonly input?: string;
  /** Variables in addition to the cleaned environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** More output ends the process (default: 64 MiB). */
  readonly maxBytes?: number;
  /** Default: two minutes. */
  readonly timeoutMs?: number;
}

export interface GitAnswer {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** The output was longer than `maxBytes`; `stdout` has its beginning. */
  readonly isCut: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ERROR = 16 * 1024;
const TIMEOUT = 120_000;

/**
 * Settings of a repository that would start programs, open connections or write to the user's index. Filters
 * stay as the user configured them: without them, files would differ from the user's own checkout.
 */
const SETTINGS = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.quotePath=false",
  "core.safecrlf=false",
  "diff.external=",
  "submodule.recurse=false",
  "protocol.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
];

/**
 * The environment without the variables of git: `GIT_DIR`, `GIT_INDEX_FILE` and others, which hooks and
 * some editors set, would redirect every command to another repository.
 */
export function gitEnvironment(
  env: NodeJS.ProcessEnv,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("GIT_"));
  return {
    ...Object.fromEntries(own),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    ...more,
  };
}

/** Runs git in a directory. A missing program and a timeout throw; an exit code is an answer. */
export function runGit(
  cwd: string,
  args: readonly string[],
  { input, env, signal, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT }: GitOptions = {},
): Promise<GitAnswer> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...SETTINGS.flatMap((each) => ["-c", each]), ...args], {
      cwd,
      env: gitEnvironment(process.env, env),
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = "";
    let isCut = false;
    let failure: Error | undefined;
    const stop = (error?: Error) => {
      failure ??= error;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop(tooSlow(args, timeoutMs)), timeoutMs);
    const onAbort = () => stop(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (isCut) return;
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size <= maxBytes) return;
      isCut = true;
      stop();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_ERROR);
    });
    // Git may end before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    child.on("error", (error) => {
      end();
      reject(notStarted(error));
    });
    child.on("close", (code) => {
      end();
      if (failure) reject(failure);
      else resolve({ code, stdout: Buffer.concat(chunks), stderr: stderr.trim(), isCut });
    });
  });
}

/** Runs git and returns its output; any other exit code than 0 throws. */
export async function git(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const { code, stdout, stderr, isCut } = await runGit(cwd, args, options);
  if (code === 0 && !isCut) return stdout.toString("utf8");
  const [command = ""] = args.filter((arg) => !arg.startsWith("-"));
  const why = isCut ? "its output is too long" : stderr.split("\n").at(-1) || `exit code ${code}`;
  throw new WaymarkError("git_failed", `git ${command} failed in ${cwd}: ${why}.`);
}

/** Splits a list of names that end in NUL. */
export function namesIn(output: string): readonly string[] {
  return output.split("\0").filter((name) => name !== "");
}

function tooSlow([command = ""]: readonly string[], limit: number): WaymarkError {
  return new WaymarkError(
    "git_timeout",
    `git ${command} did not end within ${Math.round(limit / 1000)} s. Look for a filter or a file system that hangs.`,
  );
}

function notStarted(cause: Error): Error {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== "ENOENT") return cause;
  return new WaymarkError(
    "git_missing",
    "Cannot start git. Install git, or check PATH and that the directory exists.",
    { cause },
  );
}
