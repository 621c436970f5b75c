/** `node:timers` and `node:timers/promises`. */
import { context, currentProcess } from "../context.ts";
import { setTimeout as startTimer } from "./globals.ts";

/** `setTimeout` of `node:timers/promises` as well: called with a number, it returns a promise. */
function start(run: (() => void) | number, ms = 0): unknown {
  if (typeof run !== "number") return startTimer(run, ms);
  const process = currentProcess();
  const delay = Math.max(1, run);
  return new Promise<void>((resolve) => {
    context().scheduler.later(delay, `pause ${delay.toFixed(0)} ms`, resolve, process);
  });
}

const immediate = (): Promise<void> => start(0) as Promise<void>;

export { immediate as setImmediate, start as setTimeout };
