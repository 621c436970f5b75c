import type { Activity } from "../../core/activity/activity.ts";
import { muteEnd } from "../../core/activity/mute.ts";
import { proofResult, staleText } from "../../core/checks/evidence-state.ts";
import type { Proof } from "../../core/checks/proof.ts";
import { TAMPER_TEXTS } from "../../core/checks/tamper/texts.ts";
import { type CostSum, costOfSum } from "../../core/cost/cost.ts";
import { formatCost, formatTokens } from "../../core/cost/format.ts";
import type { ChangedFile } from "../../core/files/changed-files.ts";
import type { Check, Todo } from "../../core/model.ts";
import { type Plan, revisionOf } from "../../core/plan/plan.ts";
import { stallLine } from "../../core/stalls/text.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { formatClockSeconds, formatTime } from "../../core/text/clock.ts";
import { counted } from "../../core/text/count.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { forTerminal, terminalLine } from "../../core/text/escape.ts";
import { titleOf } from "../../core/views/title.ts";
import { type FaultForm, faultLines, faultTexts } from "../../doctor/fault-text.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { Unit } from "../../sessions/transcripts/catalog.ts";
import { placeOf } from "../../surfaces/text/draw/warnings.ts";
import { REQUEST_LABELS, whereToAnswer } from "../../surfaces/text/requests.ts";
import { liveOf } from "./track-form.ts";

/** The facts about a session, one per line. */
export function headerLines(each: AnyTrack, now: number, cost?: string): string[] {
  const { track, state, findings, updatedAt, machine } = each;
  const live = liveOf(each);
  return factLines({
    session: track.session,
    agent: track.agent,
    machine,
    program: [track.agentType, live?.version].filter(Boolean).join(" ") || undefined,
    model: live?.model,
    cost,
    "part of": track.parentAgent,
    title: titleOf(each),
    prompt: live?.prompt,
    directory: track.cwd,
    mode: track.mode,
    state: [state, ...findings.map(({ message }) => message)].join(": "),
    muted: mutedText(each, now),
    steps: stallLine(track.stalls, now),
    waiting: waitingText(each, now),
    refused: refusedText(each, now),
    explanation: track.explanation,
    opened: localTime(track.openedAt, now),
    changed:
      track.version === 0
        ? localTime(updatedAt, now)
        : `${localTime(updatedAt, now)} (version ${track.version}, list ${track.list})`,
  });
}

/** `≈$3.84, 4.3M tokens in 34 requests` */
export function costText(sum: CostSum, unicode: boolean): string {
  const { input, output, cacheRead, cacheWrite, requests } = sum.usage;
  const tokens = `${formatTokens(input + output + cacheRead + cacheWrite)} tokens in ${counted(requests, "request")}`;
  const cost = costOfSum(sum);
  if (cost.cost === null) return `${tokens}, price not known`;
  const without = cost.unpriced > 0 ? `, ${formatTokens(cost.unpriced)} without a known price` : "";
  return `${formatCost(cost, unicode)}, ${tokens}${without}`;
}

/** `looping until it changes: npm test, 12 times, same result` */
function mutedText({ muted }: AnyTrack, now: number): string | undefined {
  return muted
    ?.map((each) => {
      const end = muteEnd(each) ?? `until ${localTime(each.until ?? 0, now)}`;
      return `${each.kind} ${end}: ${each.message}`;
    })
    .join("; ");
}

/** `needs permission: npm install (Bash), since 10:31. Answer in the terminal of NAME.` */
function waitingText(each: AnyTrack, now: number): string | undefined {
  const { waiting } = each;
  if (!waiting) return undefined;
  const { kind, text, tool, since } = waiting;
  const what = [text, ...(tool === undefined ? [] : [`(${tool})`])].filter(Boolean).join(" ");
  const asked = `${REQUEST_LABELS[kind]}: ${what}, since ${localTime(since, now)}`;
  return kind === "plan" ? asked : `${asked}. ${whereToAnswer(each)}`;
}

/** `the last list update, 10:31: …`: a refused list write that the agent has not corrected yet. */
function refusedText({ track: { refused } }: AnyTrack, now: number): string | undefined {
  if (!refused) return undefined;
  const { at, why, partial } = refused;
  const what = partial ? "part of the last list update" : "the last list update";
  return `${what}, ${localTime(at, now)}${why === "" ? "" : `: ${why}`}`;
}

function factLines(facts: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(11)}${terminalLine(value)}`],
  );
}

/** `14:12`, with the date if that is not today. */
function localTime(at: number, now: number): string {
  return (at > 0 && formatTime(at, now)) || "unknown";
}

interface TodoExtras {
  readonly cost: string | undefined;
  readonly files: readonly ChangedFile[] | undefined;
}

const MAX_FILES = 5;

/** The fields of a todo that the drawn list omits or truncates. */
export function detailLines(todo: Todo, now: number, { cost, files }: TodoExtras): string[] {
  const times = [
    `created ${localTime(todo.createdAt, now)}`,
    ...(todo.startedAt === undefined ? [] : [`started ${localTime(todo.startedAt, now)}`]),
    ...(todo.finishedAt === undefined ? [] : [`finished ${localTime(todo.finishedAt, now)}`]),
    `last changed by ${todo.movedBy}`,
  ];
  const facts: Readonly<Record<string, string | undefined>> = {
    cost,
    changed: files && filesText(files),
    priority: todo.priority,
    owner: todo.owner,
    parent: todo.parent,
    "blocked by": todo.blockedBy?.join(", "),
    blocker: todo.blocker,
    "plan step": todo.planStep,
    task: todo.task,
    "agent's id": todo.ref,
    "agent's status": todo.rawStatus,
  };
  return [
    `${todo.id}  ${times.join(", ")}`,
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`   ${name}: ${terminalLine(value)}`],
    ),
    ...(todo.notes ?? []).map((entry) => `   note: ${terminalLine(entry)}`),
    ...(todo.evidence ?? []).map((entry) => `   evidence: ${terminalLine(entry)}`),
    ...(todo.check ? [`   verified by: ${checkText(todo.check, now)}`] : []),
    ...(todo.proof ? proofTexts(todo.proof, now).map((line) => `   ${line}`) : []),
  ];
}

/** `2 files, src/keys.ts, src/keys.test.ts` */
function filesText(files: readonly ChangedFile[]): string {
  const rest = files.length > MAX_FILES ? [`${files.length - MAX_FILES} more`] : [];
  const paths = files.slice(0, MAX_FILES).map(({ path }) => path);
  return [counted(files.length, "file"), ...paths, ...rest].join(", ");
}

/** `reproduced by: npm test, exit 0, 41s, clean checkout 9f3c2e1, mbp-3, 14:31`, and its warnings. */
function proofTexts(proof: Proof, now: number): readonly string[] {
  const { command, exitCode, durationMs, tree, machine, at, warnings, accepted } = proof;
  const facts = [
    terminalLine(command),
    ...(exitCode === null ? [proofResult(proof)] : [`exit ${exitCode}`]),
    formatDuration(durationMs),
    tree === "" ? "in place" : `clean checkout ${terminalLine(tree.slice(0, 7))}`,
    terminalLine(machine),
    localTime(at, now),
    ...(proof.ok && proof.staleEdits !== undefined ? [staleText(proof)] : []),
  ];
  return [
    `${proof.ok ? "reproduced by" : "check failed"}: ${facts.join(", ")}`,
    ...warnings.map((warning) => {
      const place = terminalLine(placeOf(warning));
      return `! ${TAMPER_TEXTS[warning.kind]}: ${place}: ${terminalLine(warning.text)}`;
    }),
    ...(warnings.length > 0 && accepted ? ["warnings accepted by you"] : []),
  ];
}

function checkText({ command, exitCode, at }: Check, now: number): string {
  return [
    terminalLine(command),
    ...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
    localTime(at, now),
  ].join(", ");
}

/** The text of a plan, with its state and comments. */
export function planLines(plan: Plan | undefined): string[] {
  if (!plan) return [];
  const comment = plan.comment === undefined ? "" : `: ${terminalLine(plan.comment)}`;
  const revision = revisionOf(plan);
  return [
    `Plan, ${plan.state}${revision > 1 ? `, revision ${revision}` : ""}${comment}`,
    ...plan.text.split("\n").map((line) => `  ${forTerminal(line.trimEnd())}`),
    ...(plan.comments ?? []).map(({ text, step, by }) => {
      const about = step === undefined ? "" : ` on step ${step}`;
      return `  ${by === "user" ? "you" : by}${about}: ${terminalLine(text)}`;
    }),
  ];
}

/** Running and recent calls. */
export function activityLines(activity: Activity, compactions: number, now: number): string[] {
  const { turn, open, recent, counts } = activity;
  const facts = [
    counted(counts.turns, "turn"),
    counted(counts.tools, "call"),
    `${counts.failed} failed`,
    counted(counts.writes, "list write"),
    `${counts.rejected} refused`,
    ...(compactions > 0
      ? [`compacted ${compactions === 1 ? "once" : `${compactions} times`}`]
      : []),
  ];
  return [
    `Activity, turn ${turn}: ${facts.join(", ")}`,
    ...recent.map(({ label, startedAt, endedAt = startedAt, ok, exitCode }) => {
      const how = ok ? "ok" : exitCode === undefined ? "failed" : `exit ${exitCode}`;
      return `  ${clock(endedAt)}  ${how.padEnd(8)}${terminalLine(label)}  ${formatDuration(endedAt - startedAt)}`;
    }),
    ...open.map(
      ({ label, startedAt }) =>
        `  ${clock(startedAt)}  running ${terminalLine(label)}  ${formatDuration(now - startedAt)}`,
    ),
  ];
}

function clock(at: number): string {
  return (at > 0 && formatClockSeconds(at)) || "--:--:--";
}

const SHOWN_FAULTS = 5;

/** Records that could not be read, and the files of the session. */
export function sourceLines(
  skipped: LiveTrack["skipped"],
  faults: readonly FaultForm[],
  units: readonly Unit[],
): string[] {
  const counts = faultTexts(skipped);
  return [
    ...(counts.length > 0 ? [`Skipped: ${counts.join(", ")}`] : []),
    ...faultLines(skipped, faults, SHOWN_FAULTS).map((line) => `  ${line}`),
    ...units.map(([{ path }, ...others]) => {
      const more = others.length > 0 ? ` and ${others.length} more` : "";
      return `Read from ${terminalLine(path)}${more}`;
    }),
  ];
}
