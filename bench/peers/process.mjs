// Other programs run with an empty home, without network access, for a bounded time, and are
// stopped together with their child processes.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An environment without data of this user; network requests reach a closed port. */
export function emptyHome(folder) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const nowhere = "http://127.0.0.1:9";
  return {
    PATH: process.env.PATH,
    ...(process.env.SystemRoot && { SystemRoot: process.env.SystemRoot }),
    HOME: home,
    USERPROFILE: home,
    WAYMARK_HOME: join(home, "waymark"),
    NO_COLOR: "1",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

/**
 * Runs a Node program as the leader of its own process group, so that its children can be stopped
 * with it.
 */
export function startNode(args, { cwd, env }, stdio = ["pipe", "pipe", "pipe"]) {
  return spawn(process.execPath, args, { cwd, env, stdio, detached: process.platform !== "win32" });
}

export function endGroup(child) {
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Runs a program to its end: time in milliseconds, output, and peak memory. */
export async function runNode(args, { cwd, env, input = "", seconds = 30, watched = false }) {
  const start = performance.now();
  const child = startNode(args, { cwd, env });
  let stdout = "";
  let stderr = "";
  let isLate = false;
  let peak = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  // A program may exit before it has read its input.
  child.stdin.on("error", () => {}).end(input);
  const look = () => {
    peak = Math.max(peak, memoryOf(child.pid, "VmHWM") || 0);
  };
  const watch = watched ? setInterval(look, 20) : undefined;
  const alarm = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, seconds * 1_000);
  const status = await new Promise((resolve) => child.once("close", resolve));
  const taken = performance.now() - start;
  clearInterval(watch);
  clearTimeout(alarm);
  const failure = isLate
    ? `did not end within ${seconds} s`
    : status === 0
      ? undefined
      : `ended with ${status}: ${mainLine(stderr || stdout)}`;
  return { taken, stdout, stderr, peak, failure };
}

/** A crashing program prints the location before the reason. */
function mainLine(text) {
  const lines = text.split("\n").filter((each) => each.trim() !== "");
  const line = lines.find((each) => /error/i.test(each)) ?? lines[0] ?? "it said nothing";
  return line.trim().slice(0, 120);
}

/** Memory of a process and its children in megabytes; NaN if the system does not report it. */
export function memoryOf(pid, field = "VmRSS") {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const own = new RegExp(`${field}:\\s+(\\d+)`).exec(status);
    return children
      .split(" ")
      .filter(Boolean)
      .reduce((sum, child) => sum + memoryOf(child, field), Number(own?.[1] ?? 0) / 1024);
  } catch {
    return Number.NaN;
  }
}
