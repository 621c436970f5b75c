import type { RunStatus, VerifyBody } from "../../../core/checks/wire.ts";
import type { TrackId } from "../../../core/model.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { Refused, sendCancel, sendVerify } from "../connection/api.ts";
import type { App } from "../state/app-context.ts";

/** Runs of checks by session and todo: those in progress, and the last one that ended. */
export type Runs = ReadonlyMap<string, RunStatus>;

function keyOf({ session, agent }: TrackId, todo: string | undefined): string {
  return JSON.stringify([session, agent, todo]);
}

export function runsOf(statuses: readonly RunStatus[]): Runs {
  return new Map(statuses.map((status) => [keyOf(status.id, status.todo), status]));
}

export function withRun(runs: Runs, status: RunStatus): Runs {
  return new Map(runs).set(keyOf(status.id, status.todo), status);
}

/** The run of a todo, or of the whole session. */
export function runOf(
  runs: Runs | undefined,
  id: TrackId,
  todo: string | undefined,
): RunStatus | undefined {
  return runs?.get(keyOf(id, todo));
}

export type RunningStatus = RunStatus & { readonly step: Exclude<RunStatus["step"], "ended"> };

export function isRunning(run: RunStatus | undefined): run is RunningStatus {
  return run !== undefined && run.step !== "ended";
}

/** The first run in progress of each session, by track key. */
export function runningByTrack(runs: Runs | undefined): ReadonlyMap<string, RunningStatus> {
  const byTrack = new Map<string, RunningStatus>();
  for (const run of runs?.values() ?? []) {
    const key = trackKey(run.id);
    if (isRunning(run) && !byTrack.has(key)) byTrack.set(key, run);
  }
  return byTrack;
}

/** Why a session cannot be verified on this page; undefined if it can. */
export function whyNot(
  { track, machine }: MergedTrack,
  runs: Runs | undefined,
): string | undefined {
  if (!runs) return "Checks are off on this page.";
  if (machine !== undefined) return `This session runs on ${machine}. Verify it there.`;
  return track.cwd === undefined ? "The directory of this session is not known." : undefined;
}

/** Refusals that the user resolves by adding, choosing or trusting a check. */
const RESOLVABLE = new Set(["no_check", "choose_check", "untrusted"]);

/** Starts a run. A refusal that the user can resolve opens the checks of the repository. */
export async function startRun(app: App, id: TrackId, wanted: VerifyBody): Promise<void> {
  try {
    app.store.takeRun(await sendVerify(id, wanted));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (RESOLVABLE.has(error.code)) app.showChecks({ id, wanted, why: error.message });
    else app.notify({ text: error.message, isProblem: true });
  }
}

export async function cancelRun(app: App, { id, todo }: RunStatus): Promise<void> {
  try {
    await sendCancel(id, todo);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.notify({ text: error.message, isProblem: true });
  }
}
