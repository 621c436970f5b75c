/**
 * servers/stalls: takes the configured steps when an agent stalls or loops: `notify`, `message`, `command`, `release`.
 * Each step is recorded in the track under a key of the stall before it is taken, so that of several processes of a home
 * only one takes it, and none repeats it. `core/stalls` decides which step is due.
 */
import { guidanceFromEnv } from "../../core/list/policy.ts";
import type { Origin, Track } from "../../core/model.ts";
import {
  currentStalls,
  STALLS,
  type Stall,
  type StallStep,
  type StallStepName,
} from "../../core/stalls/stall.ts";
import { dueSteps, type PlannedStep } from "../../core/stalls/steps.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { Notification } from "../../core/views/notification.ts";
import { redactedMessage, type Warn } from "../../engines/storage/warn.ts";
import type { Home } from "../../home/open.ts";
import { certainProcess } from "../../sessions/caller/running.ts";
import type { Task } from "../../tasks/model.ts";
import type { Notifier } from "../notify/index.ts";
import { COMMAND_LIMIT, runStallCommand, stallForm } from "./command.ts";
import { claimedTasks } from "./release.ts";

/** Takes the steps at stalls and loops, and sends all other notifications. */
export interface StallWatch {
  /** Call with all tracks whenever something may have changed, and every second while `isWaiting`. */
  check(tracks: readonly MergedTrack[]): void;
  /** Whether other notifications are sent, too: then all tracks matter, not only those of active agents. */
  readonly notifies: boolean;
  /** Whether a step becomes due without a change. */
  isWaiting(): boolean;
  /** Records a delivered notification of a stall. */
  notified(notification: Notification, to: string, error?: string): void;
  /** Ends a running command. */
  close(): Promise<void>;
}

export interface StallWatchOptions {
  readonly context: { readonly home: Home; readonly env: NodeJS.ProcessEnv };
  readonly plan: readonly PlannedStep[];
  /** The user's command, a line for the shell. */
  readonly command: string | undefined;
  /** The task server (default: WAYMARK_STORE). */
  readonly server?: string | undefined;
  readonly notifier: Pick<Notifier, "check" | "close"> | undefined;
  readonly onProblem: Warn;
  /** Milliseconds for the command. */
  readonly limit?: number;
}

/** A stall that is present. */
interface Present {
  readonly stall: Stall;
  readonly begun: Set<StallStepName>;
  /** The steps run one after the other. */
  last: Promise<void>;
}

const RETRY = 30_000;

export function openStallWatch(options: StallWatchOptions): StallWatch {
  const { context, plan, command, server, notifier, onProblem } = options;
  const { limit = COMMAND_LIMIT } = options;
  const { home, env } = context;
  const isMessageOff = guidanceFromEnv(env).off?.includes("stalled") ?? false;
  const own = plan.filter(({ step }) => step !== "notify" && (step !== "command" || command));
  const notifyAfter = plan.find(({ step }) => step === "notify")?.after;
  const present = new Map<string, Present>();
  const stop = new AbortController();
  const recording = new Set<Promise<void>>();
  let shown: ReadonlyMap<string, MergedTrack> = new Map();
  let isWaiting = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  /** Records a step. False if it is recorded already, by any process. */
  const record = async (track: Track, stall: Stall, step: StallStep, name: string) => {
    const tracker = await home.writing();
    const { outcome } = await tracker.list(track, originOf(track)).observe([], {
      stalled: { stall, step },
      key: `${stall.key} ${name}`,
      via: STALLS,
    });
    return !outcome.duplicate;
  };

  const sendMessage = async ({ track }: MergedTrack, stall: Stall): Promise<void> => {
    // The hooks of an agent that loops remind it themselves.
    if (stall.kind !== "stalled" || isMessageOff) return;
    const { activity } = await (await home.reading()).list(track).read();
    const hasHooks = activity !== undefined && activity.lastAt > 0 && !activity.ended;
    if (hasHooks) await record(track, stall, { step: "message", state: "queued" }, "message");
  };

  const tasksOf = async (merged: MergedTrack): Promise<readonly Task[]> =>
    claimedTasks(await home.tasks("reading", server), merged);

  const runOnce = async (merged: MergedTrack, stall: Stall, line: string): Promise<void> => {
    const { track } = merged;
    const tasks = await tasksOf(merged).catch((error: unknown) => {
      onProblem(`Cannot read the tasks of a stalled agent: ${redactedMessage(error)}`);
      return [];
    });
    const form = stallForm(merged, stall, { pid: certainProcess(home.path, track), tasks });
    const started = { step: "command", state: "started", until: Date.now() + limit } as const;
    if (!(await record(track, stall, started, "command"))) return;
    const result = await runStallCommand({ line, form, env, limit, signal: stop.signal });
    await record(track, stall, { step: "command", state: "ended", ...result }, "command end");
  };

  const release = async (merged: MergedTrack, stall: Stall): Promise<void> => {
    const { track } = merged;
    for (const { id, epoch, owner = "" } of await tasksOf(merged)) {
      const store = await home.tasks("writing", server);
      const reason = `${owner} was ${stall.kind} for ${formatDuration(Date.now() - stall.since)}: ${stall.message}`;
      const answer = await store.apply(
        { op: "release", owner, held: [{ id, epoch }], reason },
        { by: "system", via: STALLS, key: `${trackKey(track)} ${stall.key} ${id}#${epoch}` },
      );
      const step: StallStep = answer.ok
        ? { step: "release", task: id, state: "released" }
        : { step: "release", task: id, state: "failed", error: answer.refused.message };
      await record(track, stall, step, `release ${id}#${epoch}`);
    }
  };

  const take = async (step: StallStepName, key: string, stall: Stall): Promise<void> => {
    // A step waits for those before it: the agent may have resumed since.
    const merged = shown.get(key);
    const isPresent = merged && currentStalls(merged).some((each) => each.key === stall.key);
    if (!isPresent || stop.signal.aborted) return;
    if (step === "message") await sendMessage(merged, stall);
    if (step === "command" && command) await runOnce(merged, stall, command);
    if (step === "release") await release(merged, stall);
  };

  const begin = (key: string, known: Present, step: StallStepName): void => {
    known.begun.add(step);
    known.last = known.last
      .then(() => take(step, key, known.stall))
      .catch((error: unknown) => {
        onProblem(
          `Cannot take the step "${step}" for a ${known.stall.kind} agent: ${redactedMessage(error)}`,
        );
        failedAt = Date.now();
        known.begun.delete(step);
      });
  };

  /** Removes findings whose notification is not due yet. */
  const forNotifier = (merged: MergedTrack, stalls: readonly Stall[], now: number): MergedTrack => {
    const early = stalls.filter(
      ({ since }) => notifyAfter === undefined || now - since < notifyAfter,
    );
    if (early.length === 0) return merged;
    const kinds = new Set(early.map(({ kind }) => kind));
    const isLeft = (kind: string) => !kinds.has(kind === "stalled" ? kind : "looping");
    return { ...merged, findings: merged.findings.filter(({ kind }) => isLeft(kind)) };
  };

  return {
    check(tracks) {
      if (stop.signal.aborted) return;
      const now = Date.now();
      shown = new Map(tracks.map((merged) => [trackKey(merged.track), merged]));
      const seen = new Set<string>();
      isWaiting = false;
      const left = tracks.map((merged) => {
        const stalls = currentStalls(merged);
        const key = trackKey(merged.track);
        for (const stall of stalls) {
          const id = `${key} ${stall.key}`;
          seen.add(id);
          const known = present.get(id) ?? { stall, begun: new Set(), last: Promise.resolve() };
          present.set(id, known);
          isWaiting ||= plan.some(({ after }) => now - stall.since < after);
          if (now - failedAt < RETRY) {
            isWaiting = true;
            continue;
          }
          for (const step of dueSteps(own, stall, now))
            if (!known.begun.has(step)) begin(key, known, step);
        }
        return forNotifier(merged, stalls, now);
      });
      for (const id of present.keys()) if (!seen.has(id)) present.delete(id);
      notifier?.check(left);
    },
    notifies: notifier !== undefined,
    isWaiting: () => isWaiting,
    notified({ kind, session, agent }, to, error) {
      const merged = shown.get(trackKey({ session, agent }));
      const stall = merged && currentStalls(merged).find((each) => each.kind === kind);
      if (!stall) return;
      const failed = error !== undefined;
      const step = {
        step: "notify",
        to,
        state: failed ? "failed" : "sent",
        ...(failed && { error }),
      } as const;
      const done = record(merged.track, stall, step, `notify ${to}`)
        .catch((problem: unknown) =>
          onProblem(`Cannot record a notification: ${redactedMessage(problem)}`),
        )
        .then(() => {
          recording.delete(done);
        });
      recording.add(done);
    },
    async close() {
      stop.abort();
      await Promise.all([...present.values()].map(({ last }) => last));
      await notifier?.close();
      await Promise.all(recording);
    },
  };
}

function originOf({ cwd, agentType, parentAgent }: Track): Origin {
  return {
    ...(cwd !== undefined && { cwd }),
    ...(agentType !== undefined && { agentType }),
    ...(parentAgent !== undefined && { parentAgent }),
  };
}
