import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Programs that tests started and that still run. */
const running = new Set<ChildProcess>();

/** Remembers a program, so that it ends with its test file even where its test fails or times out. */
export function remember<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once("error", () => running.delete(child));
  child.once("exit", () => running.delete(child));
  return child;
}

/** Kills what still runs, and waits until it has ended. */
export async function endStarted(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      running.delete(child);
      // A test may have removed the listener that forgets a program.
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
