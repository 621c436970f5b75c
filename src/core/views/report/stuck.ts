import type { Activity, ToolActivity } from "../../activity/activity.ts";
import type { Todo } from "../../model.ts";
import type { ActivityTimeline, CallMark } from "../activity-timeline.ts";
import type { MergedTrack } from "../merged.ts";
import { isOpen } from "../view.ts";
import type { ReportedTrack, Stuck } from "./model.ts";

/**
 * Why a track makes no progress: its turn failed, its last check failed and it stopped, it repeats itself, is
 * silent, stopped in the middle of a turn, or everything that is left is blocked. Undefined if it progresses,
 * has nothing left to do, or waits for the user.
 */
export function stuckOf({ merged, timeline }: ReportedTrack): Stuck | undefined {
  const { state, track, activity } = merged;
  if (state === "needs_you") return undefined;
  const proof = failedProof(track.todos);
  if (proof) return proof;
  const isLeft = track.todos.length === 0 || track.todos.some(isOpen);
  if (!isLeft) return undefined;
  if (activity?.turn === "failed") return failedTurn(activity);
  const isRunning = activity?.turn === "running";
  if (activity && isRunning && state !== "working") return interrupted(merged, activity, timeline);
  if (isRunning || track.todos.length === 0) return undefined;
  return failedCheck(timeline, activity) ?? blocked(track.todos);
}

function failedProof(todos: readonly Todo[]): Stuck | undefined {
  const todo = todos.findLast(isDisproved);
  if (!todo?.proof) return undefined;
  const { command, at, exitCode } = todo.proof;
  return { kind: "failed check", on: command, since: at, ...(exitCode !== null && { exitCode }) };
}

/** Whether Waymark ran the check of a completed todo, and it failed: the todo is not done. */
export function isDisproved({ status, proof }: Todo): boolean {
  return status === "completed" && proof?.ok === false && proof.staleEdits === undefined;
}

function failedTurn({ lastAt, recent }: Activity): Stuck {
  const last = recent.at(-1);
  return {
    kind: "failed turn",
    since: lastAt,
    ...(last?.ok === false ? failureOf(last) : { on: "" }),
  };
}

function failureOf({ label, exitCode }: ToolActivity): Pick<Stuck, "on" | "exitCode"> {
  return { on: label, ...(exitCode !== undefined && { exitCode }) };
}

/** A running turn of an agent that loops, is silent, or has been silent for so long that it counts as idle. */
function interrupted(
  { state, findings }: MergedTrack,
  activity: Activity,
  timeline: ActivityTimeline | undefined,
): Stuck | undefined {
  const loop = findings.find(({ kind }) => kind !== "stalled") ?? activity.loop;
  if (loop)
    return {
      kind: "looping",
      on: loop.label,
      count: loop.count,
      ...loopStart(loop.label, activity, timeline),
    };
  const inside = activity.open.at(-1)?.label ?? "";
  if (state === "ended") return undefined;
  return { kind: state === "stalled" ? "stalled" : "stopped", on: inside, since: activity.lastAt };
}

/** When the repeated call began; the activity keeps only the last calls. */
function loopStart(
  label: string,
  { recent }: Activity,
  timeline: ActivityTimeline | undefined,
): Pick<Stuck, "since" | "atLeast"> {
  const calls =
    timeline?.calls ?? recent.map(({ startedAt: at, label: name }) => ({ at, label: name }));
  const isRepeated = (call: { readonly label: string }) =>
    label.split(" and ").includes(call.label);
  let index = calls.findLastIndex(isRepeated);
  if (index === -1) return {};
  while (index > 0 && isRepeated(calls[index - 1] ?? { label: "" })) index--;
  const since = calls[index]?.at;
  if (since === undefined) return {};
  const isFirstKnown = index === 0 && (timeline ? timeline.left > 0 : true);
  return { since, ...(isFirstKnown && { atLeast: true as const }) };
}

/** The agent stopped after a check failed, and the check has not passed since. */
function failedCheck(
  timeline: ActivityTimeline | undefined,
  activity: Activity | undefined,
): Stuck | undefined {
  const checks =
    timeline?.calls.filter((call) => call.kind === "check" && call.ok !== undefined) ?? [];
  const last = checks.at(-1);
  if (last?.ok !== false) return undefined;
  const first = firstFailure(checks, last);
  const ended = activity?.recent.findLast(({ label, ok }) => label === last.label && ok === false);
  const count = checks.filter(({ label, at }) => label === last.label && at >= first.at).length;
  return {
    kind: "failed check",
    on: last.label,
    since: first.endedAt ?? first.at,
    count,
    ...(ended?.exitCode !== undefined && { exitCode: ended.exitCode }),
  };
}

/** The first failure of the check since it last passed. */
function firstFailure(checks: readonly CallMark[], last: CallMark): CallMark {
  const same = checks.filter(({ label }) => label === last.label);
  const passed = same.findLastIndex(({ ok }) => ok);
  return same[passed + 1] ?? last;
}

function blocked(todos: readonly Todo[]): Stuck | undefined {
  const open = todos.filter(isOpen);
  if (open.length === 0 || open.some(({ status }) => status !== "blocked")) return undefined;
  return { kind: "blocked", on: open.find(({ blocker }) => blocker)?.blocker ?? "" };
}
