import { formatTime } from "../../../core/text/clock.ts";
import { forTerminal, oneLine } from "../../../core/text/escape.ts";
import type { View } from "../../../core/views/view.ts";
import { ASCII_MARKS, type Marks, UNICODE_MARKS } from "./marks.ts";
import { type Background, type Sgr, TONES, type Tones } from "./paint.ts";
import { cut } from "./width.ts";

/** How a list is drawn. */
export type TextStyle = "waymark" | "boxed" | "tree" | "plan" | "checkbox";

/** A team member in the style `plan`. `color` is a terminal color name or `#rrggbb`. */
export interface Member {
  readonly name: string;
  readonly color?: string;
}

/** Team members by agent id. */
export type Members = ReadonlyMap<string, Member>;

/** Options of the text renderers. */
export interface TextOptions {
  readonly style?: TextStyle;
  /** In cells, at least 20. */
  readonly width: number;
  /** Use 256 colors; false emits no escape sequences. */
  readonly color: boolean;
  /** The background of the terminal (default: `dark`). */
  readonly background?: Background;
  /** Draw with Unicode marks; false uses ASCII for everything but the todos' own text. */
  readonly unicode: boolean;
  readonly now: number;
  /** An IANA time zone name (default: the system's zone). */
  readonly timeZone?: string;
  /** The owner of the list, for the style `plan`. */
  readonly member?: Member;
  /** The owners of the lists, for streams of several agents. */
  readonly members?: Members;
  /** Maximum number of todos, around the current one (default: depends on the style). */
  readonly maxRows?: number;
  /** Show everything: no row limit, full notes, and lists that were cleared from the display. */
  readonly all?: boolean;
}

/** The drawing context of the text renderers: options, marks, colors and escaping. */
export interface Page {
  readonly options: TextOptions;
  readonly width: number;
  readonly marks: Marks;
  readonly tones: Tones;
  /** Text escaped for the terminal, on one line; cut if it is far wider than the page. */
  readonly safe: (text: string) => string;
  /** Like `safe`, without a limit. */
  readonly whole: (text: string) => string;
  readonly cut: (text: string, width: number) => string;
  /** `14:12`, with the date if it is not today. */
  readonly time: (at: number | undefined) => string | undefined;
}

const MIN_WIDTH = 20;
const DEFAULT_WIDTH = 80;

// Agents write very long texts, and measuring cells is far slower than reading `length`. Readable text
// needs no more code units per cell than this.
const UNITS_PER_CELL = 12;

const CONTROL = /[\x00-\x1f\x7f]/g;

// `forTerminal` replaces control characters with Unicode symbols, which ASCII output must not contain.
function escapeControls(text: string): string {
  return text.replace(CONTROL, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}

export function pageOf(options: TextOptions): Page {
  const marks = options.unicode ? UNICODE_MARKS : ASCII_MARKS;
  const width = Number.isFinite(options.width)
    ? Math.max(MIN_WIDTH, Math.floor(options.width))
    : DEFAULT_WIDTH;
  const maxUnits = width * UNITS_PER_CELL;
  const whole = (text: string) => {
    const line = oneLine(text);
    return forTerminal(options.unicode ? line : escapeControls(line));
  };
  return {
    options,
    width,
    marks,
    tones: TONES[options.background ?? "dark"],
    whole,
    safe: (text) => {
      if (text.length <= maxUnits) return whole(text);
      const start = text.slice(0, maxUnits).replace(/[\ud800-\udbff]$/, "");
      return `${whole(start)}${marks.ellipsis}`;
    },
    cut: (text, available) => cut(text, available, marks.ellipsis),
    time: (at) => (at === undefined ? undefined : formatTime(at, options.now, options.timeZone)),
  };
}

export function agentTone(page: Page, view: View): Sgr {
  return page.tones.agent(view.agentType);
}

/** The title of the list, or else its session. */
export function viewTitle(page: Page, view: View): string {
  return page.safe(view.title ?? "") || page.safe(view.session);
}

/** The last part of the working directory, with either path separator. */
export function projectOf(page: Page, view: View): string {
  return page.safe(view.cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "");
}
