import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import type { Orders, Report } from "./worker.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles the worker as the program itself is bundled, where it finds the optional driver. */
export async function bundleWorker(): Promise<string> {
  const cache = join(ROOT, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "waymark-worker-"));
  const outfile = join(dir, "worker.mjs");
  await build({
    entryPoints: [join(ROOT, "test/concurrency/worker.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    logLevel: "warning",
  });
  return outfile;
}

export function removeBundle(script: string): void {
  rmSync(dirname(script), { recursive: true, force: true });
}

export interface Worker {
  /** The store is open. */
  readonly ready: Promise<void>;
  /** What it said after that, line by line. */
  readonly lines: readonly string[];
  readonly ended: Promise<void>;
  go(): void;
  kill(): void;
}

export function startWorker(script: string, orders: Orders, node = process.execPath): Worker {
  const child: ChildProcess = spawn(node, [script, JSON.stringify(orders)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("the worker has no pipes");
  const lines: string[] = [];
  const output = createInterface({ input: stdout });
  const ready = new Promise<void>((resolve, reject) => {
    output.once("line", (line) => {
      if (line === "ready") resolve();
      else reject(new Error(`the worker said "${line}" instead of being ready`));
      output.on("line", (said) => lines.push(said));
    });
    child.once("exit", (code) =>
      reject(new Error(`the worker ended with ${code} before it began`)),
    );
  });
  const ended = Promise.all([once(child, "close"), once(output, "close")]).then(() => {});
  // A worker that was killed closes its input early.
  stdin.on("error", () => {});
  return {
    ready,
    lines,
    ended,
    go: () => void stdin.write("go\n"),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Runs all workers to their end, beginning at the same moment. */
export async function race(
  script: string,
  orders: readonly Orders[],
  nodes: readonly string[] = [],
): Promise<Report[]> {
  const workers = orders.map((order, n) => startWorker(script, order, nodes[n]));
  onTestFinished(() => {
    for (const worker of workers) worker.kill();
  });
  await Promise.all(workers.map((worker) => worker.ready));
  for (const worker of workers) worker.go();
  await Promise.all(workers.map((worker) => worker.ended));
  return workers.map(({ lines }, n) => {
    const last = lines.at(-1);
    if (!last) throw new Error(`worker ${n} reported nothing`);
    return JSON.parse(last);
  });
}

/** How fair it was: the slowest commit, and the slowest process against the quickest. */
export function fairness(reports: readonly Report[]): { worstWait: number; ratio: number } {
  const totals = reports.map((report) => report.total);
  return {
    worstWait: Math.max(...reports.map((report) => report.worstWait)),
    ratio: Math.max(...totals) / Math.min(...totals),
  };
}
