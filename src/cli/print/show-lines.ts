import type { Activity } from "../../core/activity/activity.ts";
import type { Check, Todo } from "../../core/model.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { Live } from "../../core/stream/fold.ts";
import { counted } from "../../core/text/count.ts";
import { duration } from "../../core/text/duration.ts";
import { forTerminal, terminalLine } from "../../core/text/escape.ts";
import { titleOf } from "../../core/views/title.ts";
import { type FaultForm, faultLines, faultWords } from "../../doctor/fault-words.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { Unit } from "../../sessions/transcripts/roster.ts";
import { REQUEST_WORDS, whereToAnswer } from "../../surfaces/text/waiting.ts";
import { liveOf } from "./track-form.ts";

/** What a track is, one fact a line. */
export function headerLines(each: AnyTrack): string[] {
  const { track, state, findings, updatedAt, machine } = each;
  const live = liveOf(each);
  return factLines({
    session: track.session,
    agent: track.agent,
    machine,
    program: [track.agentType, live?.version].filter(Boolean).join(" ") || undefined,
    model: live?.model,
    "part of": track.parentAgent,
    title: titleOf(each),
    prompt: live?.prompt,
    directory: track.cwd,
    mode: track.mode,
    state: [state, ...findings.map(({ message }) => message)].join(": "),
    waiting: waitingWords(each),
    refused: refusedWords(each),
    explanation: track.explanation,
    opened: timeOf(track.openedAt),
    changed:
      track.version === 0
        ? timeOf(updatedAt)
        : `${timeOf(updatedAt)} (version ${track.version}, list ${track.list})`,
  });
}

/** `needs permission: npm install (Bash), since 10:31. Answer in the terminal of NAME.` */
function waitingWords(each: AnyTrack): string | undefined {
  const { waiting } = each;
  if (!waiting) return undefined;
  const { kind, text, tool, since } = waiting;
  const what = [text, ...(tool === undefined ? [] : [`(${tool})`])].filter(Boolean).join(" ");
  const asked = `${REQUEST_WORDS[kind]}: ${what}, since ${timeOf(since)}`;
  return kind === "plan" ? asked : `${asked}. ${whereToAnswer(each)}`;
}

/** `Two todos are in progress. (10:31)`: the list write that the agent has not repeated. */
function refusedWords({ track: { refused } }: AnyTrack): string | undefined {
  if (!refused) return undefined;
  const { at, why, partial } = refused;
  const what = partial ? "part of the last list update" : "the last list update";
  return `${what}, ${timeOf(at)}${why === "" ? "" : `: ${why}`}`;
}

function factLines(facts: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(11)}${terminalLine(value)}`],
  );
}

function timeOf(at: number): string {
  // Swedish dates are ISO dates in local time.
  return at > 0 && at <= 8.64e15 ? new Date(at).toLocaleString("sv-SE") : "not known";
}

/** What the drawn list has no room for, or cuts. */
export function detailLines(todo: Todo): string[] {
  const times = [
    `created ${timeOf(todo.createdAt)}`,
    ...(todo.startedAt === undefined ? [] : [`started ${timeOf(todo.startedAt)}`]),
    ...(todo.finishedAt === undefined ? [] : [`finished ${timeOf(todo.finishedAt)}`]),
    `last moved by ${todo.movedBy}`,
  ];
  const facts: Readonly<Record<string, string | undefined>> = {
    priority: todo.priority,
    owner: todo.owner,
    parent: todo.parent,
    "waits for": todo.blockedBy?.join(", "),
    blocker: todo.blocker,
    "plan step": todo.planStep,
    task: todo.task,
    "foreign id": todo.ref,
    "foreign status": todo.rawStatus,
  };
  return [
    `${todo.id}  ${times.join(", ")}`,
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`   ${name}: ${terminalLine(value)}`],
    ),
    ...(todo.notes ?? []).map((entry) => `   note: ${terminalLine(entry)}`),
    ...(todo.evidence ?? []).map((entry) => `   evidence: ${terminalLine(entry)}`),
    ...(todo.check ? [`   verified by: ${checkWords(todo.check)}`] : []),
  ];
}

function checkWords({ command, exitCode, at }: Check): string {
  return [
    terminalLine(command),
    ...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
    timeOf(at),
  ].join(", ");
}

/** A plan with its state, as it was written. */
export function planLines(plan: Plan | undefined): string[] {
  if (!plan) return [];
  const comment = plan.comment === undefined ? "" : `: ${terminalLine(plan.comment)}`;
  return [
    `Plan, ${plan.state}${comment}`,
    ...plan.text.split("\n").map((line) => `  ${forTerminal(line.trimEnd())}`),
    ...(plan.comments ?? []).map(({ text, step, by }) => {
      const about = step === undefined ? "" : ` on step ${step}`;
      return `  ${by === "user" ? "you" : by}${about}: ${terminalLine(text)}`;
    }),
  ];
}

/** The calls that run and those that ended last: why an agent is where it is. */
export function activityLines(activity: Activity, compactions: number, now: number): string[] {
  const { turn, open, recent, counts } = activity;
  const facts = [
    counted(counts.turns, "turn"),
    counted(counts.tools, "call"),
    `${counts.failed} failed`,
    `${counted(counts.writes, "write")} of the list`,
    `${counts.rejected} refused`,
    ...(compactions > 0
      ? [`compacted ${compactions === 1 ? "once" : `${compactions} times`}`]
      : []),
  ];
  return [
    `Activity, turn ${turn}: ${facts.join(", ")}`,
    ...recent.map(({ label, startedAt, endedAt = startedAt, ok, exitCode }) => {
      const how = ok ? "ok" : exitCode === undefined ? "failed" : `exit ${exitCode}`;
      return `  ${clock(endedAt)}  ${how.padEnd(8)}${terminalLine(label)}  ${duration(endedAt - startedAt)}`;
    }),
    ...open.map(
      ({ label, startedAt }) =>
        `  ${clock(startedAt)}  runs    ${terminalLine(label)}  ${duration(now - startedAt)}`,
    ),
  ];
}

function clock(at: number): string {
  return timeOf(at).slice(11) || "--:--:--";
}

const SHOWN_FAULTS = 5;

/** What could not be understood and where, and the files that everything was read from. */
export function sourceLines(
  skipped: Live["skipped"],
  faults: readonly FaultForm[],
  units: readonly Unit[],
): string[] {
  const counts = faultWords(skipped);
  return [
    ...(counts.length > 0 ? [`Not understood: ${counts.join(", ")}`] : []),
    ...faultLines(skipped, faults, SHOWN_FAULTS).map((line) => `  ${line}`),
    ...units.map(([{ path }, ...others]) => {
      const more = others.length > 0 ? ` and ${others.length} beside it` : "";
      return `Read from ${terminalLine(path)}${more}`;
    }),
  ];
}
