import type { RunResult } from "./run-check.ts";

interface SharedRun {
  readonly result: Promise<RunResult>;
  readonly controller: AbortController;
  callers: number;
}

/** Runs of this process that are under way. */
const current = new Map<string, SharedRun>();

export interface SharedRunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called if the run of another caller is shared. */
  onShared?(): void;
}

/**
 * Starts a run, or shares the one with the same key. The run is cancelled when all of its callers have cancelled;
 * the last one returns after its end.
 */
export async function shareRun(
  key: string,
  start: (signal: AbortSignal) => Promise<RunResult>,
  { signal, onShared }: SharedRunOptions = {},
): Promise<RunResult> {
  const known = current.get(key);
  if (known) onShared?.();
  const run = known ?? startRun(key, start);
  run.callers++;
  let leave = () => {};
  const cancelled = new Promise<never>((_, reject) => {
    leave = () => {
      if (--run.callers === 0) run.controller.abort(signal?.reason);
      else reject(signal?.reason as Error);
    };
  });
  if (signal?.aborted) leave();
  else signal?.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([run.result, cancelled]);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

function startRun(key: string, start: (signal: AbortSignal) => Promise<RunResult>): SharedRun {
  const controller = new AbortController();
  const result = start(controller.signal).finally(() => current.delete(key));
  const run = { result, controller, callers: 0 };
  current.set(key, run);
  return run;
}
