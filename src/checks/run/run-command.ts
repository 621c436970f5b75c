import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onInterruptedExit } from "../../home/interrupts.ts";
import { MARKER } from "./environment.ts";
import { outputTail } from "./output-tail.ts";
import { endAll, killAll, killNow, type RunTraces } from "./processes.ts";

export interface CommandRun {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  /** Ends the command with all its processes. */
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines, without passwords. */
  readonly output: string;
}

/** Output that is still in the pipe after the last process has ended. */
const DRAIN = 2_000;

/**
 * Starts the command as it is, without a shell that would interpret it. The process beside it kills its
 * process group when Waymark itself is gone, because file descriptor 3 then reads as closed: otherwise
 * the command of a killed worker would run beside the next attempt.
 */
const SUPERVISED = `( { read -r _ <&3; kill -9 0; } >/dev/null 2>&1 </dev/null & ); exec 3<&-; exec "$@"`;

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

/** Runs a command in a session of its own and ends all of its processes with it. */
export async function runCommand({
  command,
  cwd,
  env,
  input,
  signal,
}: CommandRun): Promise<CommandEnd> {
  signal.throwIfAborted();
  const marker = randomUUID();
  const tail = outputTail();
  const child = start(command, cwd, { ...env, [MARKER]: marker });
  // The directory belongs to the user, so processes are recognized by session and mark alone.
  const directory = join(tmpdir(), `waymark-work-${marker}`);
  const traces: RunTraces = { marker, directory, leader: child.pid };
  running.add(traces);
  endWithProgram();
  let hasEnded = false;
  let ending: Promise<void> | undefined;
  const onAbort = () => {
    ending ??= endAll(traces, () => hasEnded);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => tail.add(chunk));
  // The command may end before it has read everything, or never read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  try {
    const { code, signal: by } = await endOf(child, command[0] ?? "");
    hasEnded = true;
    await ending;
    await killAll(traces);
    await drained(child);
    return { exitCode: code, signal: by, output: tail.text() };
  } finally {
    hasEnded = true;
    running.delete(traces);
    signal.removeEventListener("abort", onAbort);
  }
}

function start(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
  const [program = "", ...args] = command;
  if (process.platform === "win32")
    return spawn(program, args, { cwd, env, stdio: "pipe", windowsHide: true });
  return spawn("/bin/sh", ["-c", SUPERVISED, "waymark", program, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function endOf(child: ChildProcess, program: string): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new Error(`Cannot start ${program}: ${error.message}.`, { cause: error })),
    );
    child.once("exit", (code, signal) => resolve({ code, signal }));
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
