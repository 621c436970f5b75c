import { STATUS_LINE_AGENT } from "../../agents/identities.ts";
import { isActive, isStuck } from "../../core/activity/session-state.ts";
import type { StallPolicy } from "../../core/activity/stall.ts";
import { formatDollars } from "../../core/cost/format.ts";
import { DAY, formatShortDuration } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { evidenceFacts } from "../../core/views/evidence.ts";
import { type SessionSummary, summaryState } from "../../core/views/summary.ts";
import { agentLook } from "./agents.ts";
import { TONES } from "./draw/paint.ts";
import { REQUEST_LABELS } from "./requests.ts";

/** Measures text. Passed in so that the tables for non-ASCII text load only when needed. */
export interface Measure {
  cells(text: string): number;
  cut(text: string, width: number, ellipsis: string): string;
}

export interface StatusLineOptions {
  readonly now: number;
  readonly width: number;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly measure: Measure;
  /** The session to show (default: the newest). */
  readonly session?: string | undefined;
  /** The cost of the session in US dollars, as its agent reports it. */
  readonly cost?: number;
  readonly stall?: StallPolicy;
}

interface Span {
  readonly text: string;
  readonly tone?: string | undefined;
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const FRAME_MS = 100;
const MAX_CELLS = 24;
const tones = TONES.dark;
const VERIFIED = "38;5;78";
const PILL = "1;48;5;111;38;5;16";

const UNICODE = {
  agentBar: "▌",
  v: "▮",
  r: "▯",
  u: "▯",
  c: "▯",
  n: "▸",
  o: "·",
  open: "",
  close: "",
  ellipsis: "…",
  between: " · ",
  looping: "↻",
  stalled: "◌",
  needsYou: "◆",
  times: "×",
};
const ASCII: typeof UNICODE = {
  agentBar: "|",
  v: "#",
  r: "=",
  u: "=",
  c: "=",
  n: ">",
  o: ".",
  open: "[",
  close: "]",
  ellipsis: "...",
  between: ", ",
  looping: "@",
  stalled: "~",
  needsYou: "*",
  times: "x",
};

/** The status line of one session: progress, current todo and at most one alert. */
export function statusLine(all: readonly SessionSummary[], options: StatusLineOptions): string {
  const { session, now, width } = options;
  const own = all.filter((each) => each.session === session);
  const summary =
    own.find(({ agent }) => agent === MAIN_AGENT) ??
    own[0] ??
    (session === undefined ? all[0] : undefined);
  const marks = options.unicode ? UNICODE : ASCII;
  const elsewhere = all.find(
    (each) =>
      each.session !== summary?.session &&
      summaryState(each, now, options.stall) === "needs_you" &&
      now - each.updatedAt < DAY,
  );
  const alarm = elsewhere ? pillFor(elsewhere, options) : [];
  const hue = tones.agent(summary?.agentType ?? STATUS_LINE_AGENT);
  const lead: Span[] = [{ text: marks.agentBar, tone: hue }, { text: " " }];
  const body =
    !summary || summary.todos === ""
      ? [{ text: "no todos yet", tone: tones.dim }, ...costSpans(options)]
      : [
          ...barOf(summary, options, hue),
          ...costSpans(options),
          ...stateSpans(summary, options, hue, alarm.length > 0),
        ];
  return print(fitted([...lead, ...body], alarm, width, options), options.color);
}

/** Not marked as an estimate: the agent itself reports it. */
function costSpans({ cost }: StatusLineOptions): Span[] {
  return cost === undefined ? [] : [{ text: ` ${formatDollars(cost)}`, tone: tones.dim }];
}

function pillFor(summary: SessionSummary, { unicode }: StatusLineOptions): Span[] {
  const { needsYou, between } = unicode ? UNICODE : ASCII;
  const { name } = agentLook(summary.agentType);
  return [
    { text: between },
    { text: ` ${needsYou} ${terminalLine(name)}: ${requestOf(summary)} `, tone: PILL },
  ];
}

/** The text of a plan is not shown: the line has no space for it. */
function showsText({ waiting }: SessionSummary): boolean {
  return waiting !== undefined && waiting.kind !== "plan";
}

function requestOf({ waiting }: SessionSummary): string {
  return REQUEST_LABELS[waiting?.kind ?? "plan"];
}

function barOf(summary: SessionSummary, { unicode }: StatusLineOptions, hue: string): Span[] {
  const marks = unicode ? UNICODE : ASCII;
  const tone = { v: VERIFIED, r: tones.dim, u: tones.dim, c: tones.dim, n: hue, o: tones.edge };
  const drawn = summary.todos.length <= MAX_CELLS ? summary.todos : shrunk(summary.todos);
  const runs = [...drawn.matchAll(/v+|r+|u+|c+|n+|o+/g)].map(([run]): Span => {
    const sign = run[0] as keyof typeof tone;
    return { text: marks[sign].repeat(run.length), tone: tone[sign] };
  });
  const done = summary.todos.replace(/[no]/g, "").length;
  const count = { text: ` ${done}/${summary.todos.length}` };
  return [{ text: marks.open }, ...runs, { text: marks.close }, count];
}

/** Proportional runs; a status with at least one todo gets at least one cell. */
function shrunk(todos: string): string {
  const cells = [...todos.matchAll(/v+|r+|u+|c+|n+|o+/g)].map(([run]) => ({
    sign: run[0] ?? "",
    size: Math.max(1, Math.floor((run.length * MAX_CELLS) / todos.length)),
    length: run.length,
  }));
  const used = cells.reduce((sum, { size }) => sum + size, 0);
  const longest = cells.reduce((a, b) => (b.length > a.length ? b : a));
  return cells
    .map((each) => each.sign.repeat(each.size + (each === longest ? MAX_CELLS - used : 0)))
    .join("");
}

function stateSpans(
  summary: SessionSummary,
  options: StatusLineOptions,
  hue: string,
  alarmed: boolean,
): Span[] {
  const { now, unicode } = options;
  const marks = unicode ? UNICODE : ASCII;
  const state = summaryState(summary, now, options.stall);
  if (state === "needs_you")
    return [
      { text: " " },
      { text: ` ${marks.needsYou} ${requestOf(summary)} `, tone: PILL },
      { text: showsText(summary) ? ` ${terminalLine(summary.waiting?.text ?? "")}` : "" },
    ];
  if (state === "looping" && summary.loop)
    return [
      { text: " " },
      { text: `${marks.looping} looping`, tone: tones.broken },
      { text: ` ${terminalLine(summary.loop.label)} ${marks.times}${summary.loop.count}` },
    ];
  if (state === "stalled")
    return [
      { text: " " },
      {
        text: `${marks.stalled} stalled ${formatShortDuration(now - summary.heardAt)}`,
        tone: tones.watch,
      },
      { text: summary.inside === undefined ? "" : ` ${terminalLine(summary.inside)}` },
    ];
  if (summary.finished) return finishedSpans(summary, marks.between);
  const spins = state === "working" && unicode && !alarmed;
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length];
  const { since, text } = summary.now ?? { text: "" };
  // The clock of a todo stops while its agent is idle.
  const until = state === "idle" ? Math.min(now, summary.heardAt) : now;
  const next = summary.next === undefined ? "" : `next ${terminalLine(summary.next)}`;
  const meta = [
    since === undefined ? "" : ` ${formatShortDuration(Math.max(0, until - since))}`,
    next === "" || alarmed ? "" : `${summary.now ? marks.between : " "}${next}`,
  ];
  return [
    ...(spins && summary.now ? [{ text: " " }, { text: frame ?? "", tone: hue }] : []),
    ...(summary.now ? [{ text: ` ${terminalLine(text)}` }] : []),
    { text: meta.join(""), tone: tones.dim },
  ];
}

function finishedSpans({ todos }: SessionSummary, between: string): Span[] {
  const reported = todos.replace(/[^r]/g, "").length;
  const unverified = todos.replace(/[^uc]/g, "").length;
  const facts =
    reported + unverified === todos.length
      ? ["nothing verified"]
      : evidenceFacts({ verified: 0, reported, unverified });
  return [
    { text: " finished" },
    ...facts.map((fact) => ({ text: `${between}${fact}`, tone: tones.dim })),
  ];
}

/** Cuts the line before the alert, which is never cut. */
function fitted(
  spans: readonly Span[],
  alarm: readonly Span[],
  width: number,
  { measure, unicode }: StatusLineOptions,
): readonly Span[] {
  const { ellipsis } = unicode ? UNICODE : ASCII;
  const alarmCells = alarm.reduce((sum, { text }) => sum + measure.cells(text), 0);
  const kept = alarmCells < width ? alarm : [];
  let available = width - (kept.length > 0 ? alarmCells : 0);
  const fitting: Span[] = [];
  for (const { text, tone } of spans) {
    const size = measure.cells(text);
    const shown = size <= available ? text : measure.cut(text, available, ellipsis);
    fitting.push({ text: shown, tone });
    available -= measure.cells(shown);
    if (shown !== text) break;
  }
  return [...fitting, ...kept];
}

function print(spans: readonly Span[], color: boolean): string {
  return spans
    .map(({ text, tone }) =>
      color && tone && text !== "" ? `\u001b[${tone}m${text}\u001b[0m` : text,
    )
    .join("")
    .trimEnd();
}

/** Counts for the tmux status bar: sessions that work, are stuck, or need the user. */
export function tmuxLine(all: readonly SessionSummary[], options: StatusLineOptions): string {
  const { now, width, unicode, color, measure } = options;
  const marks = unicode ? UNICODE : ASCII;
  const waiting = new Set(
    all
      .filter((each) => summaryState(each, now, options.stall) === "needs_you")
      .map(({ session }) => session),
  );
  // Subagents are not counted, but a waiting subagent makes its session wait.
  const states = all
    .filter(({ agent, updatedAt }) => agent === MAIN_AGENT && now - updatedAt < DAY)
    .map((each) =>
      waiting.has(each.session) ? "needs_you" : summaryState(each, now, options.stall),
    );
  const needsYou = states.filter((state) => state === "needs_you").length;
  const working = states.filter(isActive).length - needsYou;
  const stuck = states.filter(isStuck).length;
  const shown = all.find((each) => each.agent === MAIN_AGENT && each.todos !== "") ?? all[0];
  const parts: Span[] = [
    { text: "wm" },
    ...(working > 0 ? [{ text: ` ${working}` }, { text: marks.n, tone: "colour247" }] : []),
    ...(stuck > 0 ? [{ text: ` ${stuck}!`, tone: "colour210" }] : []),
    ...(needsYou > 0 ? [{ text: ` ${marks.needsYou}${needsYou}`, tone: "colour111" }] : []),
    ...(shown && shown.todos !== ""
      ? [{ text: ` ${labelOf(shown)} ${countOf(shown)}`, tone: "colour247" }]
      : []),
  ];
  let available = width;
  return parts
    .map(({ text, tone }) => {
      const fitting = measure.cut(text, available, marks.ellipsis);
      available -= measure.cells(fitting);
      // tmux reads `#` as the start of a format.
      const escaped = fitting.replaceAll("#", "##");
      return color && tone && fitting !== "" ? `#[fg=${tone}]${escaped}#[default]` : escaped;
    })
    .join("");
}

function labelOf({ title, cwd, session }: SessionSummary): string {
  const folder = cwd?.split(/[/\\]/).findLast((part) => part !== "");
  return terminalLine(title ?? folder ?? session);
}

function countOf({ todos }: SessionSummary): string {
  return `${todos.replace(/[no]/g, "").length}/${todos.length}`;
}
