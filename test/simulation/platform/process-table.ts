import { context } from "../context.ts";

/** Whether a simulated process runs. */
export function isRunning(pid: number): boolean {
  return context().processes.get(pid)?.isAlive === true;
}
