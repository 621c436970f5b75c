import { forTerminal, oneLine } from "../../../core/text/escape.ts";
import type { View } from "../../../core/views/view.ts";
import { timeOf } from "./duration.ts";
import { ASCII_MARKS, type Marks, UNICODE_MARKS } from "./marks.ts";
import { type Background, type Sgr, TONES, type Tones } from "./paint.ts";
import { cut } from "./width.ts";

/** How a list is drawn. */
export type TextStyle = "waymark" | "boxed" | "tree" | "plan" | "checkbox";

/** A member of a team as the style `plan` names it; the color is a terminal's name for it or `#rrggbb`. */
export interface Member {
  readonly name: string;
  readonly color?: string;
}

/** By agent id. */
export type Members = ReadonlyMap<string, Member>;

/** Options of everything that is drawn as text. */
export interface TextOptions {
  readonly style?: TextStyle;
  /** In cells; what is below 20 counts as 20. */
  readonly width: number;
  /** 256 colours, or not one escape sequence. */
  readonly color: boolean;
  /** The background of the terminal (default: `dark`). */
  readonly background?: Background;
  /** Without it, only texts of others have letters beyond ASCII. */
  readonly unicode: boolean;
  readonly now: number;
  /** An IANA name; the machine's own zone unless told. */
  readonly timeZone?: string;
  /** Whose list it is, for the style `plan`. */
  readonly member?: Member;
  /** The same for streams of several agents. */
  readonly members?: Members;
  /** At most this many todos, around the current one. */
  readonly maxRows?: number;
  /** Everything: no row limit, whole notes, and lists that have left the display. */
  readonly all?: boolean;
}

/** What every style draws on. */
export interface Page {
  readonly options: TextOptions;
  readonly width: number;
  readonly marks: Marks;
  readonly tones: Tones;
  /** Foreign text on one line, harmless for the terminal; cut when it is far wider than the page. */
  readonly safe: (text: string) => string;
  /** The same, however long it is. */
  readonly whole: (text: string) => string;
  readonly cut: (text: string, width: number) => string;
  /** When it was, in the words of a list. */
  readonly time: (at: number | undefined) => string | undefined;
}

const MIN_WIDTH = 20;
const DEFAULT_WIDTH = 80;

// Texts of foreign agents can be very long, and measuring them costs far more than looking at their
// length. No text that is worth reading needs more code units than this for one cell.
const UNITS_PER_CELL = 12;

const CONTROL = /[\x00-\x1f\x7f]/g;

// The pictures of control characters that terminals get are themselves not ASCII.
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
    cut: (text, room) => cut(text, room, marks.ellipsis),
    time: (at) => (at === undefined ? undefined : timeOf(at, options.now, options.timeZone)),
  };
}

export function agentTone(page: Page, view: View): Sgr {
  return page.tones.agent(view.agentType);
}

/** What the list is called: its title, else the session that it belongs to. */
export function viewTitle(page: Page, view: View): string {
  return page.safe(view.title ?? "") || page.safe(view.session);
}

/** The last part of the working directory, of whichever platform it came from. */
export function projectOf(page: Page, view: View): string {
  return page.safe(view.cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "");
}
