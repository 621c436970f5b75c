import { DEFAULT_PHASE, type Draft, type Status, type Todo } from "../model.ts";
import {
  joinText,
  json,
  line as lineOf,
  type ModelText,
  modelText,
  NO_TEXT,
} from "../text/model-text.ts";
import type { Writable } from "../writable.ts";

/**
 * Lists as Markdown checklists that people can read and edit. Headings are phases, blockquotes are
 * notes, and other fields are in a comment after the text, so parsing loses nothing.
 */

const MARKERS = {
  pending: " ",
  in_progress: "/",
  completed: "x",
  cancelled: "-",
  blocked: "!",
} as const satisfies Readonly<Record<Status, string>>;

const STATUS_OF: Readonly<Record<string, Status>> = {
  ...Object.fromEntries(Object.entries(MARKERS).map(([status, marker]) => [marker, status])),
  X: "completed",
  ">": "in_progress",
  "~": "cancelled",
};

// A line may contain any character but a line feed or carriage return, hence the flag "s".
const HEADING = /^ {0,3}#{1,6}(?:[ \t]+(.*))?$/s;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\\?\[(.*?)\\?\](?:\s+(.*))?$/s;
/** Each run of blanks is read once: a line may have many. */
const BLANK_END = /(?<![ \t])[ \t]+$/;
const NEARLY_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[[^\]]?\][^\s(]/;
const NOTE = /^\s*> ?(.*)$/s;
const DETAILS_START = "<!-- {";
const DETAILS_END = "} -->";
const MAX_LINE = 100_000;

/** Fields in the comment, in this order. */
const DETAIL_FIELDS = [
  "activeText",
  "rawStatus",
  "priority",
  "parent",
  "blockedBy",
  "blocker",
  "owner",
  "ref",
  "evidence",
] as const satisfies readonly (keyof Draft)[];

/** A line of a checklist that could not be read. */
export interface MarkdownProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The result of `parseMarkdown`. */
export interface ParsedMarkdown {
  readonly drafts: readonly Draft[];
  /** The line of each draft, counted from 1. */
  readonly lines: readonly number[];
  readonly problems: readonly MarkdownProblem[];
  /** Lines that are neither heading, todo nor note. */
  readonly ignored: number;
}

/**
 * Prints todos as a checklist in Markdown, which `parseMarkdown` reads back without loss.
 *
 * @param todos the todos of a track, or drafts
 * @returns the checklist
 */
export function printMarkdown(todos: readonly (Draft | Todo)[]): string {
  const lines: string[] = [];
  // A list without phases has no headings; in others, an empty heading means no phase.
  const phased = todos.some((todo) => typeof todo.phase === "string");
  let phase: string | undefined;
  todos.forEach((todo, index) => {
    const own = todo.phase ?? "";
    if (phased && (index === 0 || own !== phase)) {
      if (index > 0) lines.push("");
      lines.push(own === "" ? "#" : `# ${escapeHeading(own)}`, "");
    }
    phase = own;
    lines.push(`- [${MARKERS[todo.status ?? "pending"]}] ${todo.text}${detailsOf(todo)}`);
    for (const note of todo.notes ?? [])
      for (const line of noteLines(note)) lines.push(`  ${line}`);
  });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** The checklist for a model: each text is on one line and escaped. */
export function modelChecklist(todos: readonly Todo[]): ModelText {
  const phased = todos.some(({ phase }) => phase !== undefined);
  const lines = todos.flatMap((todo, index) => {
    const { phase = "", status, text, notes = [] } = todo;
    const isNew = phased && (index === 0 || phase !== (todos[index - 1]?.phase ?? ""));
    const details = detailsIn(todo);
    const comment =
      Object.keys(details).length === 0 ? NO_TEXT : modelText` <!-- ${json(details)} -->`;
    return [
      ...(isNew && index > 0 ? [NO_TEXT] : []),
      ...(isNew ? [modelText`#${phase === "" ? "" : " "}${lineOf(phase)}`, NO_TEXT] : []),
      modelText`- [${MARKERS[status]}] ${lineOf(text)}${comment}`,
      ...notes.map((note) => modelText`  > ${lineOf(note)}`),
    ];
  });
  return modelText`${joinText(lines, "\n")}\n`;
}

/** Trailing `#`s after a space are not part of a heading; one more keeps those of the name. */
function escapeHeading(name: string): string {
  return /(?:^|[ \t])#+$/.test(name) ? `${name} #` : name;
}

function detailsIn(todo: Draft | Todo): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    DETAIL_FIELDS.flatMap((field) => (todo[field] == null ? [] : [[field, todo[field]]])),
  );
}

function detailsOf(todo: Draft | Todo): string {
  const details = detailsIn(todo);
  // A text that ends like a details comment gets an empty one, so parsing leaves it whole.
  if (Object.keys(details).length === 0 && !todo.text.endsWith(DETAILS_END)) return "";
  const json = JSON.stringify(details).replaceAll("--", "-\\u002d").replaceAll(">", "\\u003e");
  return ` <!-- ${json} -->`;
}

/** A quoted line for each line of a note; continuation lines are quoted twice. */
function noteLines(note: string): string[] {
  return note.split("\n").map((line, index) => {
    const escaped = /^[\\>]/.test(line) ? `\\${line}` : line;
    return index === 0 ? `> ${escaped}` : `> > ${escaped}`;
  });
}

/**
 * Parses a Markdown checklist such as `- [x] Run the tests`. Headings are phases, blockquotes are notes.
 *
 * @param text the checklist
 * @returns the todos, and the lines that could not be read
 * @example
 * ```ts
 * import { createTracker, parseMarkdown } from "waymark";
 *
 * const { drafts, problems } = parseMarkdown("- [x] Cut\n- [/] Sew\n- [ ] Pack\n");
 * if (problems.length === 0) createTracker().own.set(drafts);
 * ```
 */
export function parseMarkdown(text: string): ParsedMarkdown {
  const drafts: Writable<Draft>[] = [];
  const places: number[] = [];
  const problems: MarkdownProblem[] = [];
  /** The notes of the last draft. */
  let notes: string[] = [];
  let phase: string | undefined;
  let headings = false;
  let orphans = 0;
  let ignored = 0;

  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|[\n\r]/);
  lines.forEach((line, index) => {
    const number = index + 1;
    if (line.length > MAX_LINE) {
      problems.push({ line: number, message: `longer than ${MAX_LINE} characters` });
      return;
    }
    const heading = HEADING.exec(line);
    const item = heading ? null : ITEM.exec(line);
    const note = heading || item ? null : NOTE.exec(line);
    if (heading) {
      headings = true;
      // Trailing `#`s after a space are not part of a heading.
      const name = (heading[1] ?? "").replace(BLANK_END, "").replace(/(?<![ \t])[ \t]+#+$/, "");
      phase = name || undefined;
    } else if (item) {
      const draft = draftOf(item[1] ?? "", item[2] ?? "", number, problems);
      if (!draft) return;
      if (!headings) orphans++;
      drafts.push({ ...draft, ...(phase !== undefined && { phase }) });
      notes = [];
      places.push(number);
    } else if (note) {
      const last = drafts.at(-1);
      if (!last) {
        problems.push({ line: number, message: "a note without a todo above it" });
        return;
      }
      addNote(notes, note[1] ?? "");
      last.notes = notes;
    } else if (NEARLY_ITEM.test(line)) {
      problems.push({ line: number, message: "no space between the marker and the text" });
    } else if (line.trim() !== "") ignored++;
  });

  // In a list with phases, todos before the first heading get the default phase.
  if (headings) for (const draft of drafts.slice(0, orphans)) draft.phase = DEFAULT_PHASE;
  return { drafts, lines: places, problems, ignored };
}

function draftOf(
  marker: string,
  rest: string,
  line: number,
  problems: MarkdownProblem[],
): Draft | undefined {
  const mark = marker === "" ? " " : marker;
  const status = Object.hasOwn(STATUS_OF, mark) ? STATUS_OF[mark] : undefined;
  if (!status) {
    const known = Object.keys(STATUS_OF).map((known) => `[${known}]`);
    problems.push({ line, message: `unknown marker [${marker}]; use one of ${known.join(" ")}` });
    return undefined;
  }
  const start = rest.endsWith(DETAILS_END) ? rest.lastIndexOf(DETAILS_START) : -1;
  const json = rest.slice(start + DETAILS_START.length - 1, -(DETAILS_END.length - 1));
  const details = start === -1 ? undefined : readDetails(json);
  const text = (details ? rest.slice(0, start) : rest).trim();
  if (text === "") {
    problems.push({ line, message: "a todo without text" });
    return undefined;
  }
  return { text, status, ...details };
}

/** Parses a details comment. Unknown fields or wrong types make it part of the text. */
function readDetails(json: string): Partial<Draft> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const details: Record<string, unknown> = {};
  for (const [field, given] of Object.entries(value)) {
    const list = field === "blockedBy" || field === "evidence";
    const fits = list
      ? Array.isArray(given) && given.every((entry) => typeof entry === "string")
      : typeof given === "string";
    if (!fits || !(DETAIL_FIELDS as readonly string[]).includes(field)) return undefined;
    details[field] = given;
  }
  return details;
}

function addNote(notes: string[], line: string): void {
  const [, more] = /^>(?: (.*))?$/s.exec(line) ?? [];
  const former = notes.at(-1);
  if (line.startsWith(">") && former !== undefined)
    notes[notes.length - 1] = `${former}\n${plainLine(more ?? line.slice(1))}`;
  else notes.push(plainLine(line));
}

function plainLine(line: string): string {
  return line.replace(/^\\(?=[\\>])/, "");
}
