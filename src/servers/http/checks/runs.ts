import { randomUUID } from "node:crypto";
import type { KnownCheck } from "../../../checks/checks.ts";
import type { ChecksContext, VerifyStep } from "../../../checks/request.ts";
import type { RunResultForm, RunStatus } from "../../../core/checks/wire.ts";
import type { Todo } from "../../../core/model.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { redactedMessage } from "../../../engines/storage/warn.ts";
import type { Broadcast } from "../broadcast.ts";
import { HttpError } from "../routes.ts";

/** Runs of checks that pages started. They continue when the page is closed, and end with the server. */
export interface Runs {
  /** Starts a run, or returns the one in progress for the same todos. */
  start(wanted: WantedRun): RunStatus;
  /** Ends the runs of a session, or of one of its todos. Returns how many there were. */
  cancel(merged: MergedTrack, todo: string | undefined): number;
  running(): readonly RunStatus[];
  /** Ends all runs; resolves when their processes have ended. */
  stop(): Promise<void>;
}

export interface WantedRun {
  readonly merged: MergedTrack;
  readonly cwd: string;
  readonly check: KnownCheck;
  readonly todos: readonly Todo[];
  /** Set if the user asked for one todo. */
  readonly todo?: string | undefined;
}

interface Run {
  status: RunStatus;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Checks are heavy: more at once would only slow each other down. */
const MAX_RUNS = 8;

export function openRuns(
  context: ChecksContext,
  broadcast: Broadcast,
  onProblem: (error: unknown) => void,
): Runs {
  const runs = new Map<string, Run>();

  const publish = (run: Run, next: Partial<RunStatus>): void => {
    run.status = { ...run.status, ...next };
    broadcast.publish("verify", run.status);
  };
  const prove = async (run: Run, wanted: WantedRun): Promise<RunResultForm> => {
    const { merged, cwd, check, todos } = wanted;
    const { session, agent } = merged.track;
    const edits = merged.activity?.edits?.count;
    // Loaded with the first run: most servers never run a check.
    const { verify } = await import("../../../checks/verify.ts");
    const result = await verify(context, {
      cwd,
      id: { session, agent },
      todos,
      check: check.name,
      ...(edits !== undefined && { edits }),
      signal: run.abort.signal,
      onProgress: (step) => {
        const next = STEPS[step.step];
        if (next !== undefined && next !== run.status.step) publish(run, { step: next });
      },
    });
    return {
      ok: result.ok,
      exitCode: result.exitCode,
      durationMs: result.durationMs,
      warnings: result.warnings.length,
      ...(result.reason !== undefined && { reason: result.reason }),
      ...(result.refused === "cancelled" && { isCancelled: true }),
    };
  };

  return {
    start(wanted) {
      const { merged, check, todo } = wanted;
      const key = keyOf(merged, todo);
      const known = runs.get(key);
      if (known) return known.status;
      if (runs.size >= MAX_RUNS)
        throw new HttpError(429, "too_many", `${MAX_RUNS} checks are running. Try again later.`);
      const { session, agent } = merged.track;
      const run: Run = {
        status: {
          run: randomUUID(),
          id: { session, agent },
          ...(todo !== undefined && { todo }),
          check: check.name,
          command: check.command,
          startedAt: Date.now(),
          step: "checkout",
        },
        abort: new AbortController(),
        // After the caller has received the status.
        ended: Promise.resolve()
          .then(() => prove(run, wanted))
          .catch((error: unknown): RunResultForm => {
            onProblem(error);
            const reason = redactedMessage(error);
            return { ok: false, exitCode: null, durationMs: 0, warnings: 0, reason };
          })
          .then((result) => {
            runs.delete(key);
            publish(run, { step: "ended", result });
          }),
      };
      runs.set(key, run);
      publish(run, {});
      return run.status;
    },
    cancel(merged, todo) {
      const found =
        todo === undefined
          ? [...runs.values()].filter(
              ({ status }) => trackKey(status.id) === trackKey(merged.track),
            )
          : [runs.get(keyOf(merged, todo))].flatMap((run) => run ?? []);
      for (const { abort } of found) abort.abort();
      return found.length;
    },
    running: () => [...runs.values()].map(({ status }) => status),
    async stop() {
      const open = [...runs.values()];
      for (const { abort } of open) abort.abort();
      await Promise.all(open.map(({ ended }) => ended));
    },
  };
}

const STEPS: Readonly<Record<VerifyStep["step"], RunStatus["step"] | undefined>> = {
  waiting: "waiting",
  checkout: "checkout",
  links: undefined,
  started: "running",
  output: undefined,
  ended: undefined,
};

function keyOf({ track }: MergedTrack, todo: string | undefined): string {
  return JSON.stringify([trackKey(track), todo]);
}
