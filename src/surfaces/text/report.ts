import {
  evidenceStateOf,
  evidenceStates,
  proofResult,
  staleText,
  stateFacts,
} from "../../core/checks/evidence-state.ts";
import type { Proof } from "../../core/checks/proof.ts";
import { TAMPER_TEXTS, type TamperWarning } from "../../core/checks/tamper.ts";
import type { Check, Todo } from "../../core/model.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { forTerminal, oneLine } from "../../core/text/escape.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { evidenceLevelOf, openWarnings } from "../../core/views/evidence.ts";
import { isOpen, type Row, viewOf } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { placeOf } from "./draw/warnings.ts";

export interface Report {
  readonly lives: readonly LiveTrack[];
  /** In the stream's own time. */
  readonly now: number;
  readonly skipped: number;
  /** The first of the skipped lines, described. */
  readonly warnings: readonly string[];
  /** The run of a check on the completed todos. */
  readonly verified?: VerifiedRun | undefined;
}

/** A run of a check, or why there was none. */
export type VerifiedRun = Pick<Proof, "ok" | "check" | "command" | "durationMs" | "tree"> & {
  readonly output: string;
  readonly warnings: readonly TamperWarning[];
  readonly reason?: string | undefined;
};

/** The lists of a run as a Markdown checklist. */
export function renderReport({ lives, now, skipped, warnings, verified }: Report): string {
  const lists = lives.filter((live) => live.track.todos.length > 0);
  const parts = lists.map((live) => listPart(live, now));
  const empty = parts.length === 0 ? ["No agent wrote todos."] : [];
  const check = verified ? verifiedPart(verified) : [];
  const rest = warningPart(lists, skipped, warnings);
  return `${["## Todos", ...parts, ...empty, ...check, ...rest].join("\n\n")}\n`;
}

/** The section of the check, with the last lines of its output if it failed. */
function verifiedPart(run: VerifiedRun): readonly string[] {
  const { ok, check, command, durationMs, tree, output, warnings, reason } = run;
  const where = tree === "" ? "" : ` on tree ${tree.slice(0, 12)}`;
  const facts = ok
    ? `Passed${where} in ${formatDuration(durationMs)}.`
    : `Not proven${where}: ${safe(reason ?? "the check failed.")}`;
  const signs = warnings.map(
    ({ kind, file, line, text }) =>
      `- ${TAMPER_TEXTS[kind]}: ${safe(file)}${line === null ? "" : `, line ${line}`}: ${safe(text)}`,
  );
  const lines = ok || output.trim() === "" ? [] : [codeBlock(output)];
  return [
    `### Check ${safe(check)}: ${safe(command)}`,
    facts,
    ...(signs.length > 0 ? [signs.join("\n")] : []),
    ...lines,
  ];
}

/** A fence that is longer than any in the text. */
function codeBlock(text: string): string {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => forTerminal(line));
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, ...lines, fence].join("\n");
}

function listPart(live: LiveTrack, now: number): string {
  const { track } = live;
  const view = viewOf(track, now, -1);
  const { completed, total } = view.progress;
  const agent = agentLook(live.agentType).name;
  const name = live.agent === MAIN_AGENT ? agent : `${agent}, ${live.name ?? live.agent}`;
  const open = view.rows.filter(({ todo }) => isOpen(todo)).length;
  const took = track.updatedAt - Math.min(...track.todos.map(({ createdAt }) => createdAt));
  const facts = [
    `${completed} of ${total} done`,
    ...stateFacts(evidenceStates(track.todos)),
    ...(open > 0 ? [`${open} left open`] : []),
    ...(took > 0 ? [formatDuration(took)] : []),
  ];
  return [
    `### ${safe(track.title ?? track.session)} (${safe(name)})`,
    `${facts.join(", ")}.`,
    view.rows.map(todoLine).join("\n"),
  ].join("\n\n");
}

function todoLine(row: Row): string {
  const { todo, elapsed } = row;
  const time = elapsed === undefined ? [] : [formatDuration(elapsed)];
  const details: Readonly<Record<typeof todo.status, readonly string[]>> = {
    pending: [],
    in_progress: ["in progress", ...time],
    completed: [...time, ...evidenceLabels(todo)],
    cancelled: ["cancelled"],
    blocked: ["blocked", ...(todo.blocker === undefined ? [] : [safe(todo.blocker)])],
  };
  const box = todo.status === "completed" ? "[x]" : "[ ]";
  const text = todo.status === "cancelled" ? `~~${safe(todo.text)}~~` : safe(todo.text);
  const meta = details[todo.status].join(", ");
  const line = meta ? `${text} (${meta})` : text;
  return todo.status === "cancelled" ? `- ${line}` : `- ${box} ${line}`;
}

function evidenceLabels(todo: Todo): readonly string[] {
  const { proof, check } = todo;
  const state = evidenceStateOf(todo);
  const references = (todo.evidence ?? []).map(safe);
  const reported = references.length > 0 ? `reported: ${references.join(", ")}` : "unverified";
  const stale = proof && state === "stale" ? [`reproduced, but ${staleText(proof)}`] : [];
  if (proof && state === "reproduced") return [proofLabel("reproduced", proof)];
  if (state === "warned")
    return [
      "passed, but the checks changed",
      ...(evidenceLevelOf(todo) === "verified" && check ? [checkLabel(check)] : []),
      ...openWarnings(todo)
        .slice(0, MAX_NAMED)
        .map((warning) => `${safe(placeOf(warning))}: ${safe(warning.text)}`),
    ];
  if (proof && state === "failed")
    return [proofLabel(`check ${proofResult(proof)}`, proof), reported];
  return [state === "verified" && check ? checkLabel(check) : reported, ...stale];
}

function proofLabel(result: string, { command, exitCode }: Proof): string {
  return `${result}: ${safe(command)}${exitCode === null ? "" : `, exit ${exitCode}`}`;
}

function checkLabel({ command, exitCode }: Check): string {
  return `verified: ${safe(command)}${exitCode === undefined ? "" : `, exit ${exitCode}`}`;
}

const MAX_NAMED = 10;

function warningPart(
  lists: readonly LiveTrack[],
  skipped: number,
  warnings: readonly string[],
): readonly string[] {
  const open = lists.flatMap(({ track }) => track.todos.filter(isOpen));
  const named = open.slice(0, MAX_NAMED).map(({ text }) => safe(text));
  const more = open.length > MAX_NAMED ? `, and ${open.length - MAX_NAMED} more` : "";
  const reasons = warnings.map((warning) => safe(warning.replace(/^skipped /, "")));
  const lines = [
    ...(open.length > 0 ? [`${open.length} left open: ${named.join("; ")}${more}`] : []),
    ...(skipped > 0 ? [`Skipped ${skipped}: ${reasons.join("; ")}`] : []),
  ];
  return lines.length > 0
    ? [["> [!WARNING]", ...lines.map((line) => `> ${line}  `)].join("\n")]
    : [];
}

const MAX_TEXT = 1_000;

/** Text on one line, escaped for Markdown and HTML. */
function safe(text: string): string {
  const line = oneLine(text.slice(0, MAX_TEXT)).replace(/ {2,}/g, " ");
  const cut = text.length > MAX_TEXT ? `${line}…` : line;
  return forTerminal(cut)
    .replace(/[\\`*_{}[\]()#+!|~$@-]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/^(\d+)\./, "$1\\.")
    .replace(/:\/\//g, ":\\/\\/");
}
