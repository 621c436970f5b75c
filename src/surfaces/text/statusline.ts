import { STATUS_LINE_AGENT } from "../../agents/identities.ts";
import { isActive, isStuck } from "../../core/activity/session-state.ts";
import type { StallPolicy } from "../../core/activity/stall.ts";
import { DAY } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { type Glance, glanceState } from "../../core/views/summary.ts";
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
export function statusLine(all: readonly Glance[], options: StatusLineOptions): string {
  const { session, now, width } = options;
  const own = all.filter((each) => each.session === session);
  const glance =
    own.find(({ agent }) => agent === MAIN_AGENT) ??
    own[0] ??
    (session === undefined ? all[0] : undefined);
  const signs = options.unicode ? UNICODE : ASCII;
  const elsewhere = all.find(
    (each) =>
      each.session !== glance?.session &&
      glanceState(each, now, options.stall) === "needs_you" &&
      now - each.updatedAt < DAY,
  );
  const alarm = elsewhere ? pillFor(elsewhere, options) : [];
  const hue = tones.agent(glance?.agentType ?? STATUS_LINE_AGENT);
  const lead: Span[] = [{ text: signs.blaze, tone: hue }, { text: " " }];
  const body =
    !glance || glance.todos === ""
      ? [{ text: "no list yet", tone: tones.dim }]
      : [...barOf(glance, options, hue), ...wordsOf(glance, options, hue, alarm.length > 0)];
  return print(fitted([...lead, ...body], alarm, width, options), options.color);
}

function pillFor(glance: Glance, { unicode }: StatusLineOptions): Span[] {
  const { yours, between } = unicode ? UNICODE : ASCII;
  const { name } = agentLook(glance.agentType);
  return [
    { text: between },
    { text: ` ${yours} ${terminalLine(name)} ${requestOf(glance)} `, tone: PILL },
  ];
}

/** The bar beside it says how far a plan is. */
function isNamed({ waiting }: Glance): boolean {
  return waiting !== undefined && waiting.kind !== "plan";
}

function requestOf({ waiting }: Glance): string {
  return REQUEST_WORDS[waiting?.kind ?? "plan"];
}

function barOf(glance: Glance, { unicode }: StatusLineOptions, hue: string): Span[] {
  const signs = unicode ? UNICODE : ASCII;
  const tone = { v: VERIFIED, c: tones.dim, n: hue, o: tones.edge };
  const drawn = glance.todos.length <= MAX_CELLS ? glance.todos : shrunk(glance.todos);
  const runs = [...drawn.matchAll(/v+|c+|n+|o+/g)].map(([run]): Span => {
    const sign = run[0] as keyof typeof tone;
    return { text: signs[sign].repeat(run.length), tone: tone[sign] };
  });
  const done = glance.todos.replace(/[no]/g, "").length;
  const count = { text: ` ${done}/${glance.todos.length}` };
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
  glance: Glance,
  options: StatusLineOptions,
  hue: string,
  alarmed: boolean,
): Span[] {
  const { now, unicode } = options;
  const signs = unicode ? UNICODE : ASCII;
  const state = glanceState(glance, now, options.stall);
  if (state === "needs_you")
    return [
      { text: " " },
      { text: ` ${signs.yours} ${requestOf(glance)} `, tone: PILL },
      { text: isNamed(glance) ? ` ${terminalLine(glance.waiting?.text ?? "")}` : "" },
    ];
  if (state === "looping" && glance.loop)
    return [
      { text: " " },
      { text: `${signs.looping} looping`, tone: tones.broken },
      { text: ` ${terminalLine(glance.loop.label)} ${signs.times}${glance.loop.count}` },
    ];
  if (state === "stalled")
    return [
      { text: " " },
      { text: `${signs.stalled} stalled ${roughly(now - glance.heardAt)}`, tone: tones.watch },
      { text: glance.inside === undefined ? "" : ` ${terminalLine(glance.inside)}` },
    ];
  if (glance.finished) return finishedWords(glance, signs.between);
  const spins = state === "working" && unicode && !alarmed;
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length];
  const { since, text } = glance.now ?? { text: "" };
  // A todo takes no time while its agent is idle.
  const until = state === "idle" ? Math.min(now, glance.heardAt) : now;
  const next = glance.next === undefined ? "" : `next ${terminalLine(glance.next)}`;
  const meta = [
    since === undefined ? "" : ` ${roughly(Math.max(0, until - since))}`,
    next === "" || alarmed ? "" : `${glance.now ? signs.between : " "}${next}`,
  ];
  return [
    ...(spins && glance.now ? [{ text: " " }, { text: frame ?? "", tone: hue }] : []),
    ...(glance.now ? [{ text: ` ${terminalLine(text)}` }] : []),
    { text: meta.join(""), tone: tones.dim },
  ];
}

function finishedWords({ todos }: Glance, between: string): Span[] {
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
export function tmuxLine(all: readonly Glance[], options: StatusLineOptions): string {
  const { now, width, unicode, color, measure } = options;
  const signs = unicode ? UNICODE : ASCII;
  const waiting = new Set(
    all
      .filter((each) => glanceState(each, now, options.stall) === "needs_you")
      .map(({ session }) => session),
  );
  // A session waits with its subagents, which are not counted.
  const states = all
    .filter(({ agent, updatedAt }) => agent === MAIN_AGENT && now - updatedAt < DAY)
    .map((each) =>
      waiting.has(each.session) ? "needs_you" : glanceState(each, now, options.stall),
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

function labelOf({ title, cwd, session }: Glance): string {
  const folder = cwd?.split(/[/\\]/).findLast((part) => part !== "");
  return terminalLine(title ?? folder ?? session);
}

function countOf({ todos }: Glance): string {
  return `${todos.replace(/[no]/g, "").length}/${todos.length}`;
}
