import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { endWithTest } from "../child-processes.ts";
import type { Report } from "./worker.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles the worker like the program, where it finds the optional driver. */
export async function bundleWorker(entry = "test/concurrency/worker.ts"): Promise<string> {
  const cache = join(ROOT, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "waymark-worker-"));
  const outfile = join(dir, "worker.mjs");
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql", "pg-native", "ink", "react"],
    // CommonJS code in the bundle still requires Node's own modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
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
  /** Its later output, line by line. */
  readonly lines: readonly string[];
  readonly ended: Promise<void>;
  go(): void;
  send(line: string): void;
  /** Sends a line and returns the next line of output. */
  ask(line: string): Promise<string>;
  signal(name: NodeJS.Signals): void;
  kill(): void;
}

export function startWorker(
  script: string,
  orders: object,
  node = process.execPath,
  env: Readonly<Record<string, string>> = {},
): Worker {
  const child: ChildProcess = endWithTest(
    spawn(node, [script, JSON.stringify(orders)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    }),
  );
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("the worker has no pipes");
  const lines: string[] = [];
  const output = createInterface({ input: stdout });
  const ready = new Promise<void>((resolve, reject) => {
    output.once("line", (line) => {
      if (line === "ready") resolve();
      else reject(new Error(`the worker said "${line}" instead of being ready`));
      output.on("line", (printed) => lines.push(printed));
    });
    child.once("exit", (code) =>
      reject(new Error(`the worker ended with ${code} before it began`)),
    );
  });
  const ended = Promise.all([once(child, "close"), once(output, "close")]).then(() => {});
  // A killed worker closes its input early.
  stdin.on("error", () => {});
  return {
    ready,
    lines,
    ended,
    go: () => void stdin.write("go\n"),
    send: (line) => void stdin.write(`${line}\n`),
    ask: (line) =>
      new Promise((resolve, reject) => {
        const gone = () => reject(new Error("the worker ended without an answer"));
        child.once("exit", gone);
        output.once("line", (printed) => {
          child.off("exit", gone);
          resolve(printed);
        });
        stdin.write(`${line}\n`);
      }),
    signal: (name) => void child.kill(name),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Starts all workers at the same time and waits for their end. */
export async function race<R = Report>(
  script: string,
  orders: readonly object[],
  nodes: readonly string[] = [],
): Promise<R[]> {
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

/** Fairness: the slowest commit, and the ratio of the slowest to the fastest process. */
export function fairness(reports: readonly Report[]): { worstWait: number; ratio: number } {
  const totals = reports.map((report) => report.total);
  return {
    worstWait: Math.max(...reports.map((report) => report.worstWait)),
    ratio: Math.max(...totals) / Math.min(...totals),
  };
}
