import type { Check } from "../../core/model.ts";
import type { Live } from "../../core/stream/fold.ts";
import { duration } from "../../core/text/duration.ts";
import { forTerminal, oneLine } from "../../core/text/escape.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { isOpen, type Row, viewOf } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";

export interface Report {
  readonly lives: readonly Live[];
  /** Of the stream's own time. */
  readonly now: number;
  readonly skipped: number;
  /** The first of what was skipped, in words. */
  readonly warnings: readonly string[];
}

/** What a run left behind, as markdown that any viewer of checklists shows. */
export function renderReport({ lives, now, skipped, warnings }: Report): string {
  const lists = lives.filter((live) => live.track.todos.length > 0);
  const parts = lists.map((live) => listPart(live, now));
  const empty = parts.length === 0 ? ["No agent wrote a list."] : [];
  return `${["## Todos", ...parts, ...empty, ...warningPart(lists, skipped, warnings)].join("\n\n")}\n`;
}

function listPart(live: Live, now: number): string {
  const { track } = live;
  const view = viewOf(track, now, -1);
  const { completed, total, verified } = view.progress;
  const agent = agentLook(live.agentType).name;
  const name = live.agent === MAIN_AGENT ? agent : `${agent}, ${live.name ?? live.agent}`;
  const open = view.rows.filter(({ todo }) => isOpen(todo)).length;
  const given = view.rows.filter(({ proof }) => proof === "given").length;
  const claimed = view.rows.filter(({ proof }) => proof === "claimed").length;
  const took = track.updatedAt - Math.min(...track.todos.map(({ createdAt }) => createdAt));
  const facts = [
    `${completed} of ${total} done`,
    ...(verified > 0 ? [`${verified} verified`] : []),
    ...(given > 0 ? [`${given} given`] : []),
    ...(claimed > 0 ? [`${claimed} only claimed`] : []),
    ...(open > 0 ? [`${open} left open`] : []),
    ...(took > 0 ? [duration(took)] : []),
  ];
  return [
    `### ${safe(track.title ?? track.session)} (${safe(name)})`,
    `${facts.join(", ")}.`,
    view.rows.map(todoLine).join("\n"),
  ].join("\n\n");
}

function todoLine(row: Row): string {
  const { todo, elapsed } = row;
  const time = elapsed === undefined ? [] : [duration(elapsed)];
  const given = (todo.evidence ?? []).map(safe);
  const said = given.length > 0 ? `given: ${given.join(", ")}` : "claimed";
  const words: Readonly<Record<typeof todo.status, readonly string[]>> = {
    pending: [],
    in_progress: ["in progress", ...time],
    completed: [...time, todo.check ? checkWords(todo.check) : said],
    cancelled: ["dropped"],
    blocked: ["blocked", ...(todo.blocker === undefined ? [] : [safe(todo.blocker)])],
  };
  const box = todo.status === "completed" ? "[x]" : "[ ]";
  const text = todo.status === "cancelled" ? `~~${safe(todo.text)}~~` : safe(todo.text);
  const meta = words[todo.status].join(", ");
  const line = meta ? `${text} (${meta})` : text;
  return todo.status === "cancelled" ? `- ${line}` : `- ${box} ${line}`;
}

function checkWords({ command, exitCode }: Check): string {
  return `verified: ${safe(command)}${exitCode === undefined ? "" : `, exit ${exitCode}`}`;
}

const MAX_NAMED = 10;

function warningPart(
  lists: readonly Live[],
  skipped: number,
  warnings: readonly string[],
): readonly string[] {
  const open = lists.flatMap(({ track }) => track.todos.filter(isOpen));
  const named = open.slice(0, MAX_NAMED).map(({ text }) => safe(text));
  const more = open.length > MAX_NAMED ? `, and ${open.length - MAX_NAMED} more` : "";
  const lines = [
    ...(open.length > 0 ? [`Left open: ${open.length}. ${named.join("; ")}${more}`] : []),
    ...(skipped > 0 ? [`Not read: ${skipped}. ${warnings.map(safe).join("; ")}`] : []),
  ];
  return lines.length > 0
    ? [["> [!WARNING]", ...lines.map((line) => `> ${line}  `)].join("\n")]
    : [];
}

const MAX_TEXT = 1_000;

/** Text on one line that markdown and HTML leave as it is. */
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
