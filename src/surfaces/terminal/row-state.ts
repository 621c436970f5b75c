import { findingFor } from "../../core/activity/session-state.ts";
import { evidenceStates, finishedEvidence, stateFacts } from "../../core/checks/evidence-state.ts";
import { planSummary } from "../../core/plan/steps.ts";
import { formatDuration, formatShortDuration } from "../../core/text/duration.ts";
import { type BoardRow, hasOpenPlan } from "../../core/views/board.ts";
import { lastActive } from "../../core/views/merged.ts";
import { isOpen } from "../../core/views/view.ts";
import type { Page } from "../text/draw/page.ts";
import type { Sgr } from "../text/draw/paint.ts";
import { type Line, span } from "../text/draw/spans.ts";
import { REQUEST_LABELS } from "../text/requests.ts";
import { toneOf } from "./pages/pages.ts";

/** The state of a row: a mark, a label, details and a duration. */
export interface RowState {
  readonly mark: string;
  readonly label: string;
  readonly tone: Sgr | undefined;
  readonly detail: string;
  readonly detailTone?: Sgr | undefined;
  /** The shell command that runs. */
  readonly command?: string;
  /** How long the state has lasted. */
  readonly elapsedMs?: number;
}

export function stateOf(page: Page, row: BoardRow): RowState {
  return (
    waits(page, row) ?? stuck(page, row) ?? works(page, row) ?? ended(page, row) ?? idle(page, row)
  );
}

function since(page: Page, at: number | undefined): { readonly elapsedMs?: number } {
  return at === undefined || at <= 0 ? {} : { elapsedMs: Math.max(0, page.options.now - at) };
}

function waits(page: Page, row: BoardRow): RowState | undefined {
  const { waiting, state } = row;
  if (state !== "needs_you" || !waiting) return undefined;
  const text = row.plan && hasOpenPlan(row) ? planSummary(row.plan.text) : waiting.text;
  return {
    mark: page.marks.needsYou,
    label: REQUEST_LABELS[waiting.kind],
    tone: page.tones.pill,
    detail: page.safe(text),
    ...since(page, waiting.since),
  };
}

/** A guess, which does not change the state. */
function maybe(page: Page, { waiting }: BoardRow): string {
  if (waiting?.kind !== "maybe") return "";
  return `${REQUEST_LABELS.maybe}: ${page.safe(waiting.text)}`;
}

function stuck({ marks, tones, ...page }: Page, row: BoardRow): RowState | undefined {
  const finding = findingFor(row.findings, row.state);
  if (!finding) return undefined;
  const loop = finding.kind === "stalled" ? undefined : finding;
  const at = loop ? row.activity?.loopSince : row.activity?.lastAt;
  return {
    mark: loop ? marks.looping : marks.stalled,
    label: loop ? "looping" : "stalled",
    tone: loop?.level === "critical" ? tones.broken : tones.watch,
    detail: [page.safe(finding.message), row.waiting?.kind === "maybe" ? REQUEST_LABELS.maybe : ""]
      .filter(Boolean)
      .join(", "),
    ...since({ marks, tones, ...page }, at),
  };
}

function works(page: Page, row: BoardRow): RowState | undefined {
  if (row.state !== "working") return undefined;
  const { current } = row.view;
  const call = row.activity?.open.at(-1) ?? row.activity?.recent.at(-1);
  const guess = maybe(page, row);
  const todo = guess || current?.todo.activeText || current?.todo.text;
  const command = guess ? undefined : runningCommand(row);
  const isAlone = !todo && command !== undefined;
  const elapsedMs = current?.elapsed;
  return {
    mark: page.marks.todo.in_progress,
    label: "",
    tone: toneOf(page, row),
    detail: [
      isAlone ? "working" : page.safe(todo || call?.label || "working"),
      ...(row.muted ?? []).map(({ kind }) => `${kind} muted`),
    ].join(", "),
    ...(command !== undefined && { command: page.safe(command) }),
    ...(elapsedMs !== undefined ? { elapsedMs } : since(page, row.activity?.turnStartedAt)),
  };
}

/** The shell command that runs now. Labels of other tools begin with the name of the tool. */
function runningCommand({ activity }: BoardRow): string | undefined {
  const call = activity?.open.at(-1);
  if (!call || call.label === call.name || call.label.startsWith(`${call.name} `)) return undefined;
  return call.label;
}

function ended(page: Page, row: BoardRow): RowState | undefined {
  const { marks, tones } = page;
  const { view, activity, track } = row;
  if (activity?.turn === "failed" && !view.finished)
    return {
      mark: marks.failed,
      label: "failed",
      tone: tones.broken,
      detail: openLabel(row),
      ...since(page, lastActive(row)),
    };
  if (!view.finished) return undefined;
  const counts = evidenceStates(track.todos);
  const evidence = finishedEvidence(track.todos);
  const proven = view.progress.verified === view.progress.completed;
  const isReproduced = counts.reproduced === view.progress.completed;
  const at = Math.max(0, ...track.todos.map(({ finishedAt = 0 }) => finishedAt));
  const firstAt = Math.min(...track.todos.map(({ createdAt }) => createdAt));
  const facts = [
    `finished ${page.time(at) ?? ""}`.trimEnd(),
    ...(at - firstAt >= 1_000 && firstAt > 0 ? [`took ${formatShortDuration(at - firstAt)}`] : []),
    ...(proven
      ? []
      : evidence === undefined
        ? stateFacts({ ...counts, reproduced: 0, verified: 0 })
        : [evidence]),
  ];
  return {
    mark: proven ? marks.evidence[isReproduced ? "reproduced" : "verified"] : marks.todo.completed,
    label: "",
    tone: proven ? tones.verified : tones.dim,
    detail: facts.join(", "),
    detailTone: tones.dim,
  };
}

function idle(page: Page, row: BoardRow): RowState {
  return {
    mark: "",
    label: row.state === "ended" ? "ended" : "idle",
    tone: page.tones.dim,
    detail: openLabel(row),
    detailTone: page.tones.dim,
    ...since(page, lastActive(row)),
  };
}

function openLabel({ view, activity }: BoardRow): string {
  const open = view.rows.filter(({ todo }) => isOpen(todo)).length;
  if (view.rows.length === 0) return "";
  if (open === 0) return "all todos cancelled";
  return `${activity ? "turn ended with " : ""}${open} open`;
}

/** `⠹ Adding the unique key`, `↻ looping  npm test, 6 times`. */
export function stateSpans(page: Page, { mark, label, tone, detail, detailTone }: RowState): Line {
  const isPill = tone === page.tones.pill;
  const text = [mark, label].filter(Boolean).join(" ");
  return [
    span(isPill ? ` ${text} ` : text, tone),
    span(label && detail ? "  " : mark && detail ? " " : ""),
    span(detail, detailTone),
  ];
}

/** The duration at the end of a row; seconds are shown only for the current todo. */
export function durationLabel(row: BoardRow, { elapsedMs }: RowState): string {
  if (elapsedMs === undefined) return "";
  const isExact = row.state === "working" && row.view.current && row.findings.length === 0;
  return isExact ? formatDuration(elapsedMs) : formatShortDuration(elapsedMs);
}
