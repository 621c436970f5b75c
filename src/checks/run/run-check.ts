import { type ChildProcess, spawn } from "node:child_process";
import { statfsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { emptySuccess } from "../../core/activity/evidence/result.ts";
import type { Proof } from "../../core/checks/proof.ts";
import { WaymarkError } from "../../core/error.ts";
import { onInterruptedExit } from "../../home/interrupts.ts";
import { checkEnvironment } from "./environment.ts";
import { outputTail } from "./output-tail.ts";
import { endAll, killAll, killNow, type RunTraces } from "./processes.ts";

export interface CheckRun {
  readonly command: string;
  readonly cwd: string;
  /** The directory of the run: its processes are recognized by it. */
  readonly directory: string;
  /** The directory for its temporary files. */
  readonly temporary: string;
  readonly marker: string;
  readonly timeoutMs: number;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Default: 64 MiB. */
  readonly maxOutput?: number;
  onOutput?(lines: readonly string[]): void;
}

/** How a run ended. */
export type RunResult = Pick<Proof, "exitCode" | "ended" | "durationMs" | "output" | "ok">;

const MAX_OUTPUT = 64 * 1024 * 1024;
/** Between looks at new output and at the free space. */
const EVERY = 250;
/** Output that is still in the pipe after the last process has ended. */
const DRAIN = 2_000;
/** A run ends before it takes the last space of the disk from everything else. */
const LEAST_FREE = 64 * 1024 * 1024;
const LEAST_SHARE = 0.02;

/**
 * Runs the command, and a process beside it that kills its process group when Waymark itself is gone: file
 * descriptor 3 then reads as closed. Started by a subshell, so that the command has no other child.
 */
const SUPERVISED = `( { read -r _ <&3; kill -9 0; } >/dev/null 2>&1 & ); exec 3<&-; exec /bin/sh -c "$0"`;

/** Runs that are under way: they end with this process. */
const running = new Set<RunTraces>();
let isWatched = false;

function endWithProgram(): void {
  if (isWatched) return;
  isWatched = true;
  const end = () => {
    for (const traces of running) killNow(traces);
  };
  process.on("exit", end);
  onInterruptedExit(end);
}

/**
 * Runs a line of the shell in a process group of its own, without input. At a limit, on abort, and after it has ended,
 * all of its processes are killed.
 */
export async function runCheck(run: CheckRun): Promise<RunResult> {
  const { command, cwd, directory, temporary, marker, timeoutMs, signal } = run;
  const { maxOutput = MAX_OUTPUT, onOutput } = run;
  signal?.throwIfAborted();
  const tail = outputTail();
  const begun = performance.now();
  const child = start(command, cwd, checkEnvironment(run.env, { cwd, temporary, marker }));
  const traces: RunTraces = { marker, directory, leader: child.pid };
  running.add(traces);
  endWithProgram();
  let ended: Proof["ended"];
  let hasEnded = false;
  let ending: Promise<void> | undefined;
  const end = (why: NonNullable<Proof["ended"]>) => {
    if (hasEnded) return;
    ended ??= why;
    ending ??= endAll(traces, () => hasEnded);
  };
  const onAbort = () => end("cancelled");
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  const ticker = setInterval(() => {
    if (isNearlyFull(directory)) end("disk");
    const lines = onOutput ? tail.newLines() : [];
    if (lines.length > 0) onOutput?.(lines);
  }, EVERY);
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      // Output after the limit is dropped: a full pipe would block the process.
      if (tail.size <= maxOutput) tail.add(chunk);
      if (tail.size > maxOutput) end("output");
    });
  try {
    const { code, error } = await endOf(child);
    hasEnded = true;
    if (error) throw notStarted(error, cwd);
    const durationMs = Math.round(performance.now() - begun);
    await ending;
    const left = await killAll(traces);
    await drained(child);
    if (left.length > 0)
      throw new WaymarkError(
        "check_running",
        `The check has ended, but its processes ${left.join(", ")} cannot be killed. End them yourself.`,
      );
    if (ended === undefined && code === null) ended = "signal";
    const exitCode = ended === undefined ? code : null;
    if (exitCode === 0) ended = emptySuccess(tail.kept());
    const ok = exitCode === 0 && ended === undefined;
    return { ok, exitCode, ...(ended && { ended }), durationMs, output: tail.text() };
  } finally {
    clearTimeout(timer);
    clearInterval(ticker);
    signal?.removeEventListener("abort", onAbort);
    running.delete(traces);
  }
}

function start(command: string, cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
  if (process.platform === "win32")
    return spawn(command, {
      cwd,
      env,
      // The user approved the line as a command of the shell.
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
  return spawn("/bin/sh", ["-c", SUPERVISED, command], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
}

interface End {
  readonly code: number | null;
  readonly error?: Error;
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, error }));
    child.once("exit", (code) => resolve({ code }));
  });
}

/** Waits for the rest of the output, which a process that could not be found may hold open. */
async function drained(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const all = Promise.all(
    streams.map((stream) =>
      stream.closed ? undefined : new Promise((resolve) => stream.once("close", resolve)),
    ),
  );
  await Promise.race([all, pause(DRAIN, undefined, { ref: false })]);
  for (const stream of child.stdio) stream?.destroy();
}

function isNearlyFull(directory: string): boolean {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return bavail * bsize < Math.min(LEAST_FREE, blocks * bsize * LEAST_SHARE);
  } catch {
    // The run may have removed its own directory.
    return false;
  }
}

function notStarted(cause: Error, cwd: string): WaymarkError {
  return new WaymarkError(
    "check_not_started",
    `The check cannot be started in ${cwd}: ${cause.message}.`,
    { cause },
  );
}
