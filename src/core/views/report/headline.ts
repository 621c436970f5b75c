import { counted } from "../../text/count.ts";
import { cutGraphemes, oneLine } from "../../text/escape.ts";
import type { Report, ReportNoun, ReportSession } from "./model.ts";

const MAX_TITLE = 60;

const NAMES: Readonly<Record<ReportNoun, string>> = {
  night: "The night",
  day: "The day",
  session: "The session",
  time: "The run",
};

/**
 * The verdict in one sentence, worst first: a session that failed makes the whole night a failed one, whatever
 * else went well.
 */
export function headlineOf(
  sessions: readonly ReportSession[],
  noun: ReportNoun,
): Pick<Report, "headline" | "verdict"> {
  const of = (...outcomes: readonly ReportSession["outcome"][]) =>
    sessions.filter(({ outcome }) => outcomes.includes(outcome));
  const name = NAMES[noun];
  const failed = of("failed");
  const stuck = of("stuck");
  const waiting = of("waiting");
  const open = of("open");
  const unproven = of("unproven");
  const proven = of("proven");
  if (failed.length > 0)
    return { verdict: "failed", headline: `${name} failed: ${failureText(failed)}.` };
  if (stuck.length > 0)
    return { verdict: "stuck", headline: `${name} got stuck: ${stuckText(stuck)}.` };
  const done = unproven.length + proven.length;
  if (waiting.length > 0 && done === 0)
    return { verdict: "waiting", headline: `Nothing finished: ${waitingText(waiting)}.` };
  if (unproven.length > 0 && proven.length === 0)
    return { verdict: "unproven", headline: `Finished, but ${unprovenText(unproven)} proven.` };
  if (done > 0)
    return {
      verdict: "good",
      headline: `${noun === "session" ? "Finished" : `A good ${noun === "time" ? "run" : noun}`}: ${finishedText(proven, unproven)}.`,
    };
  if (open.length > 0) return { verdict: "open", headline: `Nothing finished: ${openText(open)}.` };
  if (sessions.length > 0)
    return {
      verdict: "empty",
      headline: `No todos changed: ${counted(sessions.length, "session")} without a list of todos that changed.`,
    };
  return { verdict: "empty", headline: "No agent was active." };
}

/** A title in quotation marks, on one line. */
function quoted({ title }: ReportSession): string {
  return `“${cutGraphemes(oneLine(title), MAX_TITLE)}”`;
}

function failureText(failed: readonly ReportSession[]): string {
  const [only] = failed;
  if (!only || failed.length > 1) return `${counted(failed.length, "session")} failed`;
  const what =
    only.stuck?.kind === "failed check"
      ? `${quoted(only)} ended with a failing check`
      : `${quoted(only)} ended with an error`;
  return only.open > 0 ? `${what}, ${counted(only.open, "todo")} open` : what;
}

function stuckText(stuck: readonly ReportSession[]): string {
  const [only] = stuck;
  if (!only || stuck.length > 1) return `${counted(stuck.length, "session")} made no progress`;
  const how = {
    looping: "repeats itself",
    stalled: "is silent",
    stopped: "stopped in the middle of a turn",
    blocked: "is blocked",
    "failed turn": "ended with an error",
    "failed check": "ended with a failing check",
  }[only.stuck?.kind ?? "stalled"];
  return `${quoted(only)} ${how}`;
}

function waitingText(waiting: readonly ReportSession[]): string {
  const [only] = waiting;
  return only && waiting.length === 1
    ? `${quoted(only)} waits for you`
    : `${waiting.length} sessions wait for you`;
}

function openText(open: readonly ReportSession[]): string {
  const [only] = open;
  return only && open.length === 1
    ? `${quoted(only)} is at ${only.completed} of ${only.total} todos`
    : `${open.length} sessions have open todos`;
}

function unprovenText(unproven: readonly ReportSession[]): string {
  const sum = (field: "proven" | "completed") =>
    unproven.reduce((total, session) => total + session[field], 0);
  const proven = sum("proven");
  if (proven === 0) return "nothing is";
  return `only ${proven} of ${counted(sum("completed"), "todo")} ${proven === 1 ? "is" : "are"}`;
}

function finishedText(
  proven: readonly ReportSession[],
  unproven: readonly ReportSession[],
): string {
  const done = proven.length + unproven.length;
  const [only] = proven;
  if (only && done === 1) return `${quoted(only)} is finished and proven`;
  const proof = unproven.length === 0 ? "all proven" : `${proven.length} of them proven`;
  return `${done} sessions finished, ${proof}`;
}

/** The counts: `3 of 8 sessions finished, 2 of them proven. 2 are stuck, 1 failed, 2 wait for you.` */
export function summaryOf(sessions: readonly ReportSession[]): string {
  if (sessions.length === 0) return "";
  const count = (outcome: ReportSession["outcome"]) =>
    sessions.filter((each) => each.outcome === outcome).length;
  const proven = count("proven");
  const done = proven + count("unproven");
  const verb = (many: number, one: string, more: string) => `${many} ${many === 1 ? one : more}`;
  const [failed, stuck, waiting, open] = [
    count("failed"),
    count("stuck"),
    count("waiting"),
    count("open"),
  ];
  const others = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(stuck > 0 ? [verb(stuck, "is stuck", "are stuck")] : []),
    ...(waiting > 0 ? [verb(waiting, "waits for you", "wait for you")] : []),
    ...(open > 0 ? [verb(open, "is open", "are open")] : []),
  ];
  const proof =
    done === 0 ? "" : proven === 0 ? ", none of them proven" : `, ${proven} of them proven`;
  const finished = `${done} of ${counted(sessions.length, "session")} finished${proof}.`;
  return others.length > 0 ? `${finished} ${others.join(", ")}.` : finished;
}
