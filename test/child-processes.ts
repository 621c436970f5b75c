import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Programs started by tests that are still running. */
const running = new Set<ChildProcess>();

/** Registers a program to be killed at the end of its test file, even if its test fails or times out. */
export function endWithTest<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once("error", () => running.delete(child));
  child.once("exit", () => running.delete(child));
  return child;
}

/** Kills running programs and waits for their end. */
export async function endChildProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      running.delete(child);
      // A test may have removed our listener for its exit.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }),
  );
}

process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
