// Runs programs of agents in a home of their own.
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export const TIMEOUT = 120_000;

/** A directory with a home, a project and a directory for the PATH. */
export function newPlace(prefix) {
  const work = mkdtempSync(join(realpathSync(tmpdir()), prefix));
  const [home, cwd, bin] = ["home", "project", "bin"].map((name) => {
    const dir = join(work, name);
    mkdirSync(dir);
    return dir;
  });
  const remove = () =>
    rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  return { work, home, cwd, bin, remove };
}

export function writeFiles(home, files) {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), content);
  }
}

/** The files below a directory and their bytes. */
export function treeOf(dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [relative(dir, file), readFileSync(file)];
    }),
  );
}

/** Runs a program in its own process group, so that its children end with it; it is killed when `killed` resolves. */
export async function runProgram(program, args, { killed, ...options }) {
  const child = spawn(program, args, {
    ...options,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = (signal) => {
    try {
      process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].on("data", (piece) => {
      output[name] = (output[name] + piece).slice(-64 * 1024);
    });
  const timer = setTimeout(() => end("SIGKILL"), TIMEOUT);
  killed?.then(() => end("SIGKILL"));
  // Not `close`: a server that the agent left behind may keep the pipes open.
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exit, signal) => resolve(exit ?? signal));
  });
  clearTimeout(timer);
  end("SIGKILL");
  return { code, ...output };
}
