import { formatTime } from "../core/text/clock.ts";
import { counted } from "../core/text/count.ts";
import { terminalLine } from "../core/text/escape.ts";
import type { Emptied, Restored } from "../home/restore-store.ts";
import { shortPath } from "../setup/text/short-path.ts";
import { TASK_STATUSES } from "../tasks/model.ts";
import type { AgentCheck, DoctorReport, FileCheck, SettingsCheck } from "./diagnose.ts";
import { faultLines, faultTexts, refusedText } from "./fault-text.ts";
import type { TaskOwner, TasksCheck } from "./tasks.ts";

type Level = "ok" | "warn" | "fail";

/** A line of the report, with explanations and commands below it. */
interface Row {
  readonly level: Level;
  readonly columns: readonly string[];
  readonly details: readonly string[];
}

/** The report of `waymark doctor` as lines of text. */
export function reportLines(report: DoctorReport, now: number = Date.now()): readonly string[] {
  const { waymark, agents, attention } = report;
  const installed = agents
    .filter(({ installed }) => installed)
    .map((agent) => agentRow(agent, now));
  const missing = agents.filter(({ installed }) => !installed).map(({ name }) => name);
  const own = waymarkRows(report, now);
  return [
    `Waymark ${waymark.version} · Node ${waymark.node} · ${waymark.system}`,
    "",
    "AGENTS",
    ...tableLines(installed),
    ...(missing.length > 0 ? [lineOf("--", `not installed: ${missing.join(", ")}`)] : []),
    "",
    "WAYMARK",
    ...tableLines(own),
    "",
    resultLine(attention.length, [...installed, ...own]),
  ];
}

function resultLine(problems: number, rows: readonly Row[]): string {
  const warnings = rows.filter(({ level }) => level === "warn").length;
  const parts = [
    problems === 0 ? "No problems" : counted(problems, "problem"),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
  ];
  return `${parts.join(", ")}.`;
}

function tableLines(rows: readonly Row[]): readonly string[] {
  const widths: number[] = [];
  for (const { columns } of rows)
    for (const [index, cell] of columns.slice(0, -1).entries())
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows.flatMap(({ level, columns, details }) => [
    lineOf(level, columns.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")),
    ...details.map((detail) => lineOf("", detail)),
  ]);
}

const LEVEL_WIDTH = 6;

function lineOf(level: string, text: string): string {
  return `  ${level.padEnd(LEVEL_WIDTH)}${text}`.trimEnd();
}

const SETUP_STATES = {
  waymark: "set up",
  native: "set up (own list)",
  partly: "partly set up",
} as const;

function agentRow(agent: AgentCheck, now: number): Row {
  const { name, version, sessions, newest, list, setup, unreadable } = agent;
  const setUp = setup?.setUp ?? null;
  const isOff = setUp === null && list?.state === "off by default";
  const active = newest === null ? undefined : formatTime(Date.parse(newest), now);
  const details = [
    ...unreadable.map(({ path, reason }) => `${pathText(path)}: ${terminalLine(reason)}`),
    ...(agent.unproven === undefined ? [] : [`Unproven: ${terminalLine(agent.unproven)}`]),
    ...(isOff ? listDetails(agent) : []),
    ...(setUp === "partly" ? [`Run: waymark setup ${setup?.agent}`] : []),
    ...(setup?.problem === undefined ? [] : [terminalLine(setup.problem)]),
    ...(sessions === 0 && unreadable.length === 0 ? emptyDetails(agent) : []),
    ...skippedDetails(agent),
  ];
  const isWarning =
    isOff ||
    setUp === "partly" ||
    setup?.problem !== undefined ||
    faultTexts(agent.skipped).length > 0;
  return {
    level: unreadable.length > 0 ? "fail" : isWarning ? "warn" : "ok",
    columns: [
      version === null ? name : `${name} ${terminalLine(version)}`,
      setUp === null ? "watched" : SETUP_STATES[setUp],
      counted(sessions, "session"),
      isOff ? "todo list off" : active === undefined ? "" : `last active ${active}`,
    ],
    details,
  };
}

function listDetails({ list, setup }: AgentCheck): readonly string[] {
  if (!list) return [];
  const { since, why, setting } = list;
  return [
    `Off by default${since === undefined ? "" : ` since ${since}`}: ${why}.`,
    setup
      ? `Run: waymark setup ${setup.agent}, or with --native to enable its own list`
      : `To enable it: ${setting}.`,
  ];
}

function emptyDetails({ looked }: AgentCheck): readonly string[] {
  return looked.length === 0
    ? []
    : [`No sessions in ${looked.map(({ path }) => pathText(path)).join(", ")}`];
}

const MAX_FILES = 5;
const MAX_LINES = 3;

function skippedDetails({ skipped, skippedIn, skippedFiles }: AgentCheck): readonly string[] {
  const refused = refusedText(skipped);
  const counts = faultTexts(skipped);
  const bad = skippedIn.filter((file) => faultTexts(file.skipped).length > 0);
  const hidden = skippedFiles - skippedIn.length + Math.max(0, bad.length - MAX_FILES);
  return [
    ...(refused === undefined ? [] : [`Refused by the agent: ${refused}`]),
    ...(counts.length > 0 ? [`Skipped: ${counts.join(", ")}`] : []),
    ...bad.slice(0, MAX_FILES).flatMap(fileDetails),
    ...(counts.length > 0 && hidden > 0 ? [`  and in ${counted(hidden, "more file")}`] : []),
  ];
}

function fileDetails({ path, skipped, lines }: FileCheck): readonly string[] {
  const faults = faultLines(skipped, lines, MAX_LINES, pathText);
  if (faults.length > 0) return faults.map((line) => `  ${line}`);
  return [`  ${pathText(path)}  ${faultTexts(skipped).join(", ")} (too large to list the lines)`];
}

function waymarkRows(report: DoctorReport, now: number): readonly Row[] {
  const { home, tasks, page, hooks, refused, settings } = report;
  return [
    storeRow(report),
    ...home.setAside.map((file) => row("fail", "list", `damaged, moved aside: ${pathText(file)}`)),
    ...home.edited.map((file) =>
      row("fail", "list", `changed by another program, moved aside: ${pathText(file)}`),
    ),
    ...(tasks ? [taskRow(tasks)] : []),
    ...(settings ? [settingsRow(settings)] : []),
    row("ok", "web board", page === null ? "not running, start it with: waymark serve" : page),
    ...hookRows(hooks, home.path, now),
    ...refusedRows(refused),
  ];
}

function row(level: Level, label: string, text: string, details: readonly string[] = []): Row {
  return { level, columns: [label, terminalLine(text)], details: details.map(terminalLine) };
}

function settingsRow({ files, problems }: SettingsCheck): Row {
  const level = problems.length > 0 ? "fail" : "ok";
  return row(level, "settings", files.map(pathText).join(", "), problems);
}

function storeRow({ sqlite, home }: DoctorReport): Row {
  const problems = [
    ...("problem" in sqlite ? [sqlite.problem] : []),
    ...(home.problem === undefined ? [] : [home.problem]),
    ...(home.unknownLists === undefined ? [] : [missingLists(home.unknownLists)]),
    ...(home.network === undefined ? [] : [home.network]),
  ];
  const facts = [
    pathText(home.path),
    home.there ? sizeText(home.bytes) : "not created yet",
    ...("problem" in sqlite ? [] : [`SQLite ${sqlite.version} (${sqlite.driver})`]),
  ];
  return row(problems.length > 0 ? "fail" : "ok", "store", facts.join(", "), problems);
}

/** Lists that the mirror has and the store lacks. */
export function missingLists(count: number): string {
  return `${counted(count, "list")} in the mirror ${count === 1 ? "is" : "are"} missing from the store. Run: waymark doctor --restore`;
}

function taskRow(tasks: TasksCheck): Row {
  if ("problem" in tasks) return row("fail", "tasks", "cannot be read", [tasks.problem]);
  const { store, counts, lapsed, strangers } = tasks;
  const all = TASK_STATUSES.filter((status) => counts[status] > 0).map(
    (status) => `${counts[status]} ${status}`,
  );
  const owners = (found: readonly TaskOwner[]) =>
    found.map(({ id, owner }) => `${id} (${owner})`).join(", ");
  return row(
    lapsed.length > 0 ? "warn" : "ok",
    "tasks",
    `${all.join(", ")}; ${counts.ready} ready; in ${pathText(store)}`,
    [
      ...(lapsed.length > 0 ? [`Lease expired: ${owners(lapsed)}`] : []),
      ...(strangers.length > 0
        ? [
            `Owner without a session on this machine: ${owners(strangers)}. Only the owner's own calls renew the lease.`,
          ]
        : []),
    ],
  );
}

function hookRows(
  { waiting, problems, last }: DoctorReport["hooks"],
  home: string,
  now: number,
): readonly Row[] {
  if (waiting === 0 && last === null) return [];
  const pending = waiting === 0 ? [] : [`${counted(waiting, "event")} pending`];
  const logged =
    last === null
      ? []
      : [
          `${counted(problems, "problem")} in ${pathText(home)}/hook.log, the last at ${logTime(last, now)}`,
        ];
  return [row(last === null ? "ok" : "warn", "hooks", [...pending, ...logged].join("; "))];
}

/** A line of a log with its time in local form. */
function logTime(line: string, now: number): string {
  const [, time = "", text = line] = /^(\S+) (.*)$/s.exec(line) ?? [];
  return `${formatTime(Date.parse(time), now) ?? time}: ${text}`;
}

const REFUSED = {
  list: "list changes",
  task: "task changes",
  request: "web requests",
};

function refusedRows(refused: DoctorReport["refused"]): readonly Row[] {
  const parts = Object.entries(REFUSED).flatMap(([door, what]) => {
    const codes = refused.filter((each) => each.door === door);
    if (codes.length === 0) return [];
    return [`${what}: ${codes.map(({ code, count }) => `${code} ${count}`).join(", ")}`];
  });
  return parts.map((part) => row("ok", "refused", part));
}

function pathText(path: string): string {
  return terminalLine(shortPath(path));
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  const units = ["kB", "MB", "GB"];
  let size = bytes / 1_000;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}

export function restoredLines({ store, lists, todos, setAside }: Restored): readonly string[] {
  if (lists.length === 0) return ["The store has every list of the mirror. Nothing was changed."];
  return [
    `Restored ${counted(lists.length, "list")} with ${counted(todos, "todo")} to ${terminalLine(store)}`,
    ...asideLines(setAside),
    "Not restored, because the mirror does not have them: history, comments, plans, cancelled todos, reasons of blocked todos, and tasks.",
  ];
}

export function startedEmptyLines({ store, mirror, setAside }: Emptied): readonly string[] {
  return [
    `Created an empty store: ${terminalLine(store)}`,
    ...(mirror === null ? [] : [`Moved the mirror of the lost store to: ${terminalLine(mirror)}`]),
    ...asideLines(setAside),
  ];
}

function asideLines(setAside: string | null): readonly string[] {
  return setAside === null ? [] : [`Moved the damaged store to: ${terminalLine(setAside)}`];
}
