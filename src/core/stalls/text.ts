import { formatTime } from "../text/clock.ts";
import { HOUR } from "../text/duration.ts";
import type { HandledStall, StallStep, TakenStep } from "./stall.ts";

/** Milliseconds after the time limit of a command for which its end may still be recorded. */
const GRACE = 10_000;

/** Whether the end of a command was never recorded. */
export function isUnknown(step: StallStep, now: number): boolean {
  return step.step === "command" && step.state === "started" && now > step.until + GRACE;
}

/** `desktop notification sent`, `message queued for its next hook`, `command exited with 0`, `t4 released`. */
export function stepText(step: StallStep, now?: number): string {
  switch (step.step) {
    case "notify": {
      const what = step.to === "bell" ? "bell" : `${step.to} notification`;
      if (step.state === "failed") return `${what} failed${because(step.error)}`;
      return step.to === "bell" ? "bell rung" : `${what} sent`;
    }
    case "message":
      return step.state === "queued" ? "message queued for its next hook" : "message delivered";
    case "command":
      if (step.state === "ended") return commandText(step);
      return now !== undefined && isUnknown(step, now)
        ? "command started, result unknown"
        : "command started";
    case "release":
      return step.state === "released"
        ? `${step.task} released`
        : `${step.task} not released${because(step.error)}`;
  }
}

function commandText({
  exitCode,
  signal,
  timedOut,
  error,
  output,
}: Extract<StallStep, { step: "command"; state: "ended" }>): string {
  if (error !== undefined) return `command failed${because(error)}`;
  if (timedOut) return "command ended at its time limit";
  if (exitCode === undefined) return `command ended by ${signal ?? "a signal"}`;
  if (exitCode === 0) return "command exited with 0";
  return `command failed: exit ${exitCode}${because(output?.split("\n").at(-1))}`;
}

function because(error: string | undefined): string {
  return error === undefined ? "" : `: ${error}`;
}

function timed(step: TakenStep, now: number, timeZone?: string): string {
  const at = step.step === "message" ? (step.deliveredAt ?? step.at) : step.at;
  return `${stepText(step, now)} ${formatTime(at, now, timeZone) || ""}`.trimEnd();
}

/** The steps about the last stall in one line; undefined without any. */
export function stallLine(
  stalls: readonly HandledStall[] | undefined,
  now: number,
  timeZone?: string,
): string | undefined {
  const last = stalls?.at(-1);
  if (!last || last.steps.length === 0) return undefined;
  return last.steps.map((step) => timed(step, now, timeZone)).join(", ");
}

/** The same for surfaces that show the present: undefined an hour after the last step. */
export function recentStallLine(
  stalls: readonly HandledStall[] | undefined,
  now: number,
  timeZone?: string,
): string | undefined {
  const lastAt = Math.max(0, ...(stalls?.at(-1)?.steps ?? []).map(({ at }) => at));
  return now - lastAt < HOUR ? stallLine(stalls, now, timeZone) : undefined;
}
