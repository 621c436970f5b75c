import { STATUS_LINE_AGENT } from "../../agents/identities.ts";
import { isActive, isStuck } from "../../core/activity/session-state.ts";
import type { StallPolicy } from "../../core/activity/stall.ts";
import { DAY } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { type SessionSummary, summaryState } from "../../core/views/summary.ts";
import { agentLook } from "./agents.ts";
import { roughly } from "./draw/duration.ts";
import { TONES } from "./draw/paint.ts";
import { REQUEST_WORDS } from "./waiting.ts";

/** How wide text is; the table for text beyond ASCII is loaded only where there is some. */
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
  /** The session that the line is about; without it, the newest. */
  readonly session?: string | undefined;
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
  blaze: "▌",
  v: "▮",
  c: "▯",
  n: "▸",
  o: "·",
  open: "",
  close: "",
  ellipsis: "…",
  between: " · ",
  looping: "↻",
  stalled: "◌",
  yours: "◆",
  times: "×",
};
const ASCII: typeof UNICODE = {
  blaze: "|",
  v: "#",
  c: "=",
  n: ">",
  o: ".",
  open: "[",
  close: "]",
  ellipsis: "...",
  between: ", ",
  looping: "@",
  stalled: "~",
  yours: "*",
  times: "x",
};

/** One line about one session: how far, what now, and at most one alarm. */
export function statusLine(all: readonly SessionSummary[], options: StatusLineOptions): string {
  const { session, now, width } = options;
  const own = all.filter((each) => each.session === session);
  const summary =
    own.find(({ agent }) => agent === MAIN_AGENT) ??
    own[0] ??
    (session === undefined ? all[0] : undefined);
  const signs = options.unicode ? UNICODE : ASCII;
  const elsewhere = all.find(
    (each) =>
      each.session !== summary?.session &&
      summaryState(each, now, options.stall) === "needs_you" &&
      now - each.updatedAt < DAY,
  );
  const alarm = elsewhere ? pillFor(elsewhere, options) : [];
  const hue = tones.agent(summary?.agentType ?? STATUS_LINE_AGENT);
  const lead: Span[] = [{ text: signs.blaze, tone: hue }, { text: " " }];
  const body =
    !summary || summary.todos === ""
      ? [{ text: "no list yet", tone: tones.dim }]
      : [...barOf(summary, options, hue), ...wordsOf(summary, options, hue, alarm.length > 0)];
  return print(fitted([...lead, ...body], alarm, width, options), options.color);
}

function pillFor(summary: SessionSummary, { unicode }: StatusLineOptions): Span[] {
  const { yours, between } = unicode ? UNICODE : ASCII;
  const { name } = agentLook(summary.agentType);
  return [
    { text: between },
    { text: ` ${yours} ${terminalLine(name)} ${requestOf(summary)} `, tone: PILL },
  ];
}

/** The bar beside it says how far a plan is. */
function isNamed({ waiting }: SessionSummary): boolean {
  return waiting !== undefined && waiting.kind !== "plan";
}

function requestOf({ waiting }: SessionSummary): string {
  return REQUEST_WORDS[waiting?.kind ?? "plan"];
}

function barOf(summary: SessionSummary, { unicode }: StatusLineOptions, hue: string): Span[] {
  const signs = unicode ? UNICODE : ASCII;
  const tone = { v: VERIFIED, c: tones.dim, n: hue, o: tones.edge };
  const drawn = summary.todos.length <= MAX_CELLS ? summary.todos : shrunk(summary.todos);
  const runs = [...drawn.matchAll(/v+|c+|n+|o+/g)].map(([run]): Span => {
    const sign = run[0] as keyof typeof tone;
    return { text: signs[sign].repeat(run.length), tone: tone[sign] };
  });
  const done = summary.todos.replace(/[no]/g, "").length;
  const count = { text: ` ${done}/${summary.todos.length}` };
  return [{ text: signs.open }, ...runs, { text: signs.close }, count];
}

/** Runs in proportion; what has begun is never drawn as nothing. */
function shrunk(todos: string): string {
  const cells = [...todos.matchAll(/v+|c+|n+|o+/g)].map(([run]) => ({
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

function wordsOf(
  summary: SessionSummary,
  options: StatusLineOptions,
  hue: string,
  alarmed: boolean,
): Span[] {
  const { now, unicode } = options;
  const signs = unicode ? UNICODE : ASCII;
  const state = summaryState(summary, now, options.stall);
  if (state === "needs_you")
    return [
      { text: " " },
      { text: ` ${signs.yours} ${requestOf(summary)} `, tone: PILL },
      { text: isNamed(summary) ? ` ${terminalLine(summary.waiting?.text ?? "")}` : "" },
    ];
  if (state === "looping" && summary.loop)
    return [
      { text: " " },
      { text: `${signs.looping} looping`, tone: tones.broken },
      { text: ` ${terminalLine(summary.loop.label)} ${signs.times}${summary.loop.count}` },
    ];
  if (state === "stalled")
    return [
      { text: " " },
      { text: `${signs.stalled} stalled ${roughly(now - summary.heardAt)}`, tone: tones.watch },
      { text: summary.inside === undefined ? "" : ` ${terminalLine(summary.inside)}` },
    ];
  if (summary.finished) return finishedWords(summary, signs.between);
  const spins = state === "working" && unicode && !alarmed;
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length];
  const { since, text } = summary.now ?? { text: "" };
  // A todo takes no time while its agent is idle.
  const until = state === "idle" ? Math.min(now, summary.heardAt) : now;
  const next = summary.next === undefined ? "" : `next ${terminalLine(summary.next)}`;
  const meta = [
    since === undefined ? "" : ` ${roughly(Math.max(0, until - since))}`,
    next === "" || alarmed ? "" : `${summary.now ? signs.between : " "}${next}`,
  ];
  return [
    ...(spins && summary.now ? [{ text: " " }, { text: frame ?? "", tone: hue }] : []),
    ...(summary.now ? [{ text: ` ${terminalLine(text)}` }] : []),
    { text: meta.join(""), tone: tones.dim },
  ];
}

function finishedWords({ todos }: SessionSummary, between: string): Span[] {
  const claimed = todos.replace(/[^c]/g, "").length;
  const words = claimed === todos.length ? "nothing verified" : `${claimed} only claimed`;
  return [
    { text: " finished" },
    ...(claimed > 0 ? [{ text: `${between}${words}`, tone: tones.dim }] : []),
  ];
}

/** The alarm keeps its place; what comes before it is cut. */
function fitted(
  spans: readonly Span[],
  alarm: readonly Span[],
  width: number,
  { measure, unicode }: StatusLineOptions,
): readonly Span[] {
  const { ellipsis } = unicode ? UNICODE : ASCII;
  const alarmCells = alarm.reduce((sum, { text }) => sum + measure.cells(text), 0);
  const kept = alarmCells < width ? alarm : [];
  let room = width - (kept.length > 0 ? alarmCells : 0);
  const fitting: Span[] = [];
  for (const { text, tone } of spans) {
    const size = measure.cells(text);
    const shown = size <= room ? text : measure.cut(text, room, ellipsis);
    fitting.push({ text: shown, tone });
    room -= measure.cells(shown);
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

/** A few counts for the status bar of tmux: who works, who is stuck, who waits for a person. */
export function tmuxLine(all: readonly SessionSummary[], options: StatusLineOptions): string {
  const { now, width, unicode, color, measure } = options;
  const signs = unicode ? UNICODE : ASCII;
  const waiting = new Set(
    all
      .filter((each) => summaryState(each, now, options.stall) === "needs_you")
      .map(({ session }) => session),
  );
  // A session waits with its subagents, which are not counted.
  const states = all
    .filter(({ agent, updatedAt }) => agent === MAIN_AGENT && now - updatedAt < DAY)
    .map((each) =>
      waiting.has(each.session) ? "needs_you" : summaryState(each, now, options.stall),
    );
  const asking = states.filter((state) => state === "needs_you").length;
  const working = states.filter(isActive).length - asking;
  const stuck = states.filter(isStuck).length;
  const shown = all.find((each) => each.agent === MAIN_AGENT && each.todos !== "") ?? all[0];
  const parts: Span[] = [
    { text: "wm" },
    ...(working > 0 ? [{ text: ` ${working}` }, { text: signs.n, tone: "colour247" }] : []),
    ...(stuck > 0 ? [{ text: ` ${stuck}!`, tone: "colour210" }] : []),
    ...(asking > 0 ? [{ text: ` ${signs.yours}${asking}`, tone: "colour111" }] : []),
    ...(shown && shown.todos !== ""
      ? [{ text: ` ${labelOf(shown)} ${countOf(shown)}`, tone: "colour247" }]
      : []),
  ];
  let room = width;
  return parts
    .map(({ text, tone }) => {
      const fitting = measure.cut(text, room, signs.ellipsis);
      room -= measure.cells(fitting);
      // A number sign begins a format of tmux.
      const harmless = fitting.replaceAll("#", "##");
      return color && tone && fitting !== "" ? `#[fg=${tone}]${harmless}#[default]` : harmless;
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
