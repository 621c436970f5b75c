/**
 * surfaces/report: a report as text, Markdown and HTML. `sections` has the wording that all of them share; each
 * renderer escapes external text for its own sink.
 */
import { type CostSum, costOfSum } from "../../core/cost/cost.ts";
import { formatCost } from "../../core/cost/format.ts";
import { formatTime, localTime } from "../../core/text/clock.ts";
import { counted } from "../../core/text/count.ts";
import { DAY, formatShortDuration } from "../../core/text/duration.ts";
import type { Outcome, Report, ReportSession, Stuck } from "../../core/views/report/model.ts";
import { agentLook } from "../text/agents.ts";
import { REQUEST_LABELS } from "../text/requests.ts";

/** A part of a sentence. External text is in `text` as it is: the renderer escapes it. */
export interface Piece {
  readonly text: string;
  /** `code` for commands and files, `strong` for times. */
  readonly as?: "code" | "strong";
}

export type RowMark =
  | "failed"
  | "looping"
  | "stalled"
  | "you"
  | "reproduced"
  | "verified"
  | "unverified"
  | "open";

/** One session. */
export interface ReportRow {
  readonly session: ReportSession;
  readonly mark: RowMark;
  readonly title: string;
  readonly agent: string;
  readonly project: string;
  readonly cost: string;
  readonly detail: readonly Piece[];
}

export interface Section {
  readonly title: string;
  /** Beside the title. */
  readonly note: string;
  readonly rows: readonly ReportRow[];
}

export interface WordingOptions {
  readonly now: number;
  /** An IANA time zone name (default: the system's zone). */
  readonly timeZone?: string | undefined;
  /** False to write numbers in ASCII (default: true). */
  readonly unicode?: boolean;
}

const plain = (text: string): Piece => ({ text });
const code = (text: string): Piece => ({ text, as: "code" });
const strong = (text: string): Piece => ({ text, as: "strong" });

/** The sections of sessions, bad news first. Sections without sessions are left out. */
export function sectionsOf(report: Report, options: WordingOptions): readonly Section[] {
  const rowsOf = (...outcomes: readonly Outcome[]) =>
    report.sessions
      .filter(({ outcome }) => outcomes.includes(outcome))
      .map((session) => rowOf(session, report, options));
  const bad = rowsOf("failed", "stuck");
  const yours = rowsOf("waiting");
  const proven = rowsOf("proven");
  const unproven = rowsOf("unproven");
  const open = rowsOf("open");
  const sum = (rows: readonly ReportRow[], of: (session: ReportSession) => number) =>
    rows.reduce((total, { session }) => total + of(session), 0);
  const provenTodos = sum(proven, (session) => session.proven);
  return [
    { title: "Failed or stuck", note: counted(bad.length, "session"), rows: bad },
    { title: "Waiting for you", note: counted(yours.length, "session"), rows: yours },
    {
      title: "Finished and proven",
      note: `${provenTodos} of ${counted(
        sum(proven, ({ completed }) => completed),
        "todo",
      )} verified or reproduced`,
      rows: proven,
    },
    { title: "Finished, unproven", note: "check before you merge", rows: unproven },
    { title: "Open", note: counted(open.length, "session"), rows: open },
  ].filter(({ rows }) => rows.length > 0);
}

function rowOf(session: ReportSession, report: Report, options: WordingOptions): ReportRow {
  return {
    session,
    mark: markOf(session),
    title: session.title,
    agent: agentLook(session.agentType).name,
    project: session.project,
    cost: costText(session.usage, options.unicode),
    detail: detailOf(session, report, options),
  };
}

function markOf({ outcome, stuck, completed, reproduced }: ReportSession): RowMark {
  switch (outcome) {
    case "failed":
      return "failed";
    case "stuck":
      return stuck?.kind === "looping" ? "looping" : "stalled";
    case "waiting":
      return "you";
    case "proven":
      return reproduced === completed ? "reproduced" : "verified";
    case "unproven":
      return "unverified";
    default:
      return "open";
  }
}

function detailOf(
  session: ReportSession,
  report: Report,
  options: WordingOptions,
): readonly Piece[] {
  const { outcome, stuck, waiting, completed, total, proven, reproduced, check, commits } = session;
  const time = (at: number) => timeText(at, report, options);
  const made = commits > 0 ? [plain(` ${counted(commits, "commit")}, inferred.`)] : [];
  switch (outcome) {
    case "failed":
    case "stuck":
      return [...(stuck ? stuckPieces(stuck, time) : []), ...openPieces(session), ...made];
    case "waiting":
      return waiting
        ? [
            ...waitingPieces(session),
            plain(" Waiting since "),
            strong(time(waiting.since)),
            plain("."),
          ]
        : [];
    case "proven":
      return [
        plain(`${completed} of ${counted(total, "todo")} `),
        plain(
          reproduced === completed
            ? "reproduced"
            : reproduced === 0
              ? "verified"
              : `verified, ${reproduced} of them reproduced`,
        ),
        ...(check
          ? [plain(", last check "), code(check.command), plain(` at ${time(check.at)}`)]
          : []),
        plain("."),
        ...made,
      ];
    case "unproven":
      return [
        plain(`${completed} of ${counted(total, "todo")} completed, `),
        plain(proven === 0 ? "none verified." : `${proven} verified.`),
        ...(session.lastEditAt !== undefined && (check?.at ?? 0) < session.lastEditAt
          ? [plain(` No check passed after the last edit at ${time(session.lastEditAt)}.`)]
          : []),
        ...made,
      ];
    default:
      return [
        plain(`${completed} of ${counted(total, "todo")} completed`),
        plain(session.isActive ? ", still working." : `, idle since ${time(session.to)}.`),
        ...made,
      ];
  }
}

function openPieces({ open }: ReportSession): readonly Piece[] {
  return open > 0 ? [plain(` ${counted(open, "todo")} open.`)] : [];
}

function stuckPieces(stuck: Stuck, time: (at: number) => string): readonly Piece[] {
  const { kind, on, since, atLeast, count, exitCode } = stuck;
  const label = kind === "failed turn" || kind === "failed check" ? "Failed" : "Stuck";
  const start =
    since === undefined
      ? [plain(`${label}. `)]
      : [plain(`${label} since ${atLeast ? "at least " : ""}`), strong(time(since)), plain(". ")];
  const what = on === "" ? [] : [code(on)];
  const exit = exitCode === undefined ? "" : ` with exit code ${exitCode}`;
  const times = count !== undefined && count > 1 ? ` ${count} times` : "";
  switch (kind) {
    case "failed turn":
      return [
        ...start,
        plain("The turn ended with an error"),
        ...(what.length > 0 ? [plain(" after "), ...what, plain(` failed${exit}`)] : []),
        plain("."),
      ];
    case "failed check":
      return [...start, ...what, plain(` failed${times}${exit}.`)];
    case "looping":
      return [...start, plain("Ran "), ...what, plain(`${times} without progress.`)];
    case "stalled":
      return [
        ...start,
        ...(what.length > 0
          ? [plain(`No output from `), ...what, plain(".")]
          : [plain("No output.")]),
      ];
    case "stopped":
      return [
        ...start,
        plain("Stopped in the middle of a turn"),
        ...(what.length > 0 ? [plain(", during "), ...what] : []),
        plain("."),
      ];
    case "blocked":
      return [
        ...start,
        ...(on === ""
          ? [plain("Every open todo is blocked.")]
          : [plain("Blocked: "), plain(on), plain(".")]),
      ];
  }
}

function waitingPieces({ waiting, plan, session }: ReportSession): readonly Piece[] {
  if (!waiting) return [];
  if (waiting.kind === "plan")
    return [
      plain(`Plan${plan && plan.steps > 0 ? `, ${counted(plan.steps, "step")}` : ""}.`),
      plain(" Read it with "),
      code(`waymark plan show ${session}`),
      plain("."),
    ];
  const label = REQUEST_LABELS[waiting.kind];
  return [
    plain(`${label.slice(0, 1).toUpperCase()}${label.slice(1)}: `),
    code(waiting.text),
    plain("."),
  ];
}

/** A time of the window: the clock alone, since the report says which days it covers. */
export function timeText(
  at: number,
  { since, until }: Pick<Report, "since" | "until">,
  { now, timeZone }: WordingOptions,
): string {
  const isInside = at >= since - DAY / 2 && at <= until && until - since < DAY;
  const clock = isInside ? localTime(at, timeZone)?.clock : formatTime(at, now, timeZone);
  return clock ?? "an unknown time";
}

/** `Mon 16 Nov 23:00 to Tue 17 Nov 07:00` */
export function windowText(
  { since, until }: Pick<Report, "since" | "until">,
  timeZone?: string,
): string {
  return `${dayText(since, timeZone)} to ${dayText(until, timeZone)}`;
}

export function dayText(at: number, timeZone?: string): string {
  const time = localTime(at, timeZone);
  if (!time) return "an unknown time";
  const [day, month] = time.day.split(" ");
  const weekday = new Intl.DateTimeFormat("en-US", {
    weekday: "short",
    ...(timeZone !== undefined && { timeZone }),
  }).format(at);
  return `${weekday} ${day} ${month} ${time.clock}`;
}

/** `≈$18.42`; tokens if no price is known; empty if nothing was counted. */
export function costText(sum: CostSum, unicode = true): string {
  return sum.priced + sum.unpriced === 0 ? "" : formatCost(costOfSum(sum), unicode);
}

/** Sentences about usage that the cost leaves out. */
export function costNotes({ cost, unpricedModels, uncounted }: Report): readonly string[] {
  const names = uncounted.map((type) => agentLook(type).name);
  return [
    ...(cost.priced > 0 ? ["Costs are estimated from tokens and list prices."] : []),
    ...(unpricedModels.length > 0
      ? [`Price unknown, counted in tokens only: ${unpricedModels.join(", ")}.`]
      : []),
    ...(names.length > 0 ? [`Usage not recorded: ${names.join(", ")}.`] : []),
  ];
}

/** `“Move checkout” approved by you at 22:10` */
export function plansText(report: Report, options: WordingOptions): string {
  return report.plans
    .map(
      ({ decision, by, at, title }) =>
        `“${title}” ${decision}${by === "you" ? " by you" : ""} at ${timeText(at, report, options)}`,
    )
    .join(", ");
}

/** The number of distinct agent programs. */
export function agentCount({ sessions }: Report): number {
  return new Set(sessions.map(({ agentType = "" }) => agentType)).size;
}

/** `52m` for a todo. */
export function durationText(ms: number | undefined): string {
  return ms === undefined ? "" : formatShortDuration(ms);
}
