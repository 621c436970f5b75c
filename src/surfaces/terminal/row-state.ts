import { findingFor } from "../../core/activity/session-state.ts";
import { planSummary } from "../../core/plan/steps.ts";
import { duration } from "../../core/text/duration.ts";
import { type BoardRow, hasOpenPlan } from "../../core/views/board.ts";
import { lastActive } from "../../core/views/merged.ts";
import { isOpen } from "../../core/views/view.ts";
import { roughly } from "../text/draw/duration.ts";
import type { Page } from "../text/draw/page.ts";
import type { Sgr } from "../text/draw/paint.ts";
import { type Line, span } from "../text/draw/spans.ts";
import { REQUEST_WORDS } from "../text/waiting.ts";
import { toneOf } from "./pages/pages.ts";

/** How a track stands: a mark, one word, the facts, and for how long. */
export interface RowState {
  readonly mark: string;
  readonly word: string;
  readonly tone: Sgr | undefined;
  readonly facts: string;
  readonly factsTone?: Sgr | undefined;
  /** Milliseconds; absent where no time tells anything. */
  readonly lasts?: number;
}

export function stateOf(page: Page, row: BoardRow): RowState {
  return (
    waits(page, row) ?? stuck(page, row) ?? works(page, row) ?? ended(page, row) ?? idle(page, row)
  );
}

function since(page: Page, at: number | undefined): { readonly lasts?: number } {
  return at === undefined || at <= 0 ? {} : { lasts: Math.max(0, page.options.now - at) };
}

function waits(page: Page, row: BoardRow): RowState | undefined {
  const { waiting, state } = row;
  if (state !== "needs_you" || !waiting) return undefined;
  const text = row.plan && hasOpenPlan(row) ? planSummary(row.plan.text) : waiting.text;
  return {
    mark: page.marks.yours,
    word: REQUEST_WORDS[waiting.kind],
    tone: page.tones.pill,
    facts: page.safe(text),
    ...since(page, waiting.since),
  };
}

/** Only a guess: the state stays what it is. */
function maybe(page: Page, { waiting }: BoardRow): string {
  if (waiting?.kind !== "maybe") return "";
  return `${REQUEST_WORDS.maybe}: ${page.safe(waiting.text)}`;
}

function stuck({ marks, tones, ...page }: Page, row: BoardRow): RowState | undefined {
  const finding = findingFor(row.findings, row.state);
  if (!finding) return undefined;
  const loop = finding.kind === "stalled" ? undefined : finding;
  const at = loop ? row.activity?.turnStartedAt : row.activity?.lastAt;
  return {
    mark: loop ? marks.looping : marks.stalled,
    word: loop ? "looping" : "stalled",
    tone: loop?.level === "critical" ? tones.broken : tones.watch,
    facts: [page.safe(finding.message), row.waiting?.kind === "maybe" ? REQUEST_WORDS.maybe : ""]
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
  const doing = guess || current?.todo.activeText || current?.todo.text || call?.label || "working";
  const lasts = current?.elapsed;
  return {
    mark: page.marks.todo.in_progress,
    word: "",
    tone: toneOf(page, row),
    facts: page.safe(doing),
    ...(lasts !== undefined ? { lasts } : since(page, row.activity?.turnStartedAt)),
  };
}

function ended(page: Page, row: BoardRow): RowState | undefined {
  const { marks, tones } = page;
  const { view, activity, track } = row;
  if (activity?.turn === "failed" && !view.finished)
    return {
      mark: marks.failed,
      word: "failed",
      tone: tones.broken,
      facts: openWords(row),
      ...since(page, lastActive(row)),
    };
  if (!view.finished) return undefined;
  const { verified, completed } = view.progress;
  const proven = verified === completed && completed > 0;
  const at = Math.max(0, ...track.todos.map(({ finishedAt = 0 }) => finishedAt));
  const begun = Math.min(...track.todos.map(({ createdAt }) => createdAt));
  const facts = [
    `finished ${page.time(at) ?? ""}`.trimEnd(),
    ...(at - begun >= 1_000 && begun > 0 ? [`took ${roughly(at - begun)}`] : []),
    ...(verified === 0
      ? ["nothing verified"]
      : proven
        ? []
        : [`${completed - verified} only claimed`]),
  ];
  return {
    mark: proven ? marks.verified : marks.todo.completed,
    word: "",
    tone: proven ? tones.verified : tones.dim,
    facts: facts.join(", "),
    factsTone: tones.dim,
  };
}

function idle(page: Page, row: BoardRow): RowState {
  return {
    mark: "",
    word: row.state === "ended" ? "ended" : "idle",
    tone: page.tones.dim,
    facts: openWords(row),
    factsTone: page.tones.dim,
    ...since(page, lastActive(row)),
  };
}

function openWords({ view, activity }: BoardRow): string {
  const open = view.rows.filter(({ todo }) => isOpen(todo)).length;
  if (view.rows.length === 0) return "";
  if (open === 0) return "everything was dropped";
  return `${activity ? "turn ended with " : ""}${open} open`;
}

/** `⠹ Adding the unique key`, `↻ looping  npm test, 6 times`. */
export function stateSpans(page: Page, { mark, word, tone, facts, factsTone }: RowState): Line {
  const pill = tone === page.tones.pill;
  const sign = [mark, word].filter(Boolean).join(" ");
  const shown = pill ? ` ${sign} ` : sign;
  return [
    span(shown, tone),
    span(word && facts ? "  " : mark && facts ? " " : ""),
    span(facts, factsTone),
  ];
}

/** The time at the end of a row; the full one where it is about what happens now. */
export function lastsWords(row: BoardRow, { lasts }: RowState): string {
  if (lasts === undefined) return "";
  const exactly = row.state === "working" && row.view.current && row.findings.length === 0;
  return exactly ? duration(lasts) : roughly(lasts);
}
