import { byteLength } from "../../core/text/escape.ts";
import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../core/text/model-text.ts";
import type { Task } from "../../tasks/model.ts";

/** Limit on an answer in bytes. With the data beside it, it stays below 1 KB. */
const MAX_TEXT = 860;
const LINE = 100;
const MAX_PIECE = 480;
const MAX_LINES = 20;
/** Bytes reserved for the hint to the rest of a description. */
const HINT = 80;

/** Bytes as sent: a quotation mark takes two in JSON. */
function size(text: string): number {
  return byteLength(JSON.stringify(text)) - 2;
}

/** An external text in at most `width` bytes of JSON, quotation marks included. */
export function quoteIn(text: string, width: number): ModelText {
  return quote(text, Math.max(8, width - size('""')), size);
}

export function fits(text: ModelText): boolean {
  return size(text) <= MAX_TEXT;
}

/** The answer, without the last lines if they do not fit. */
export function answerText(given: readonly ModelText[]): ModelText {
  let lines = given.filter((each) => each !== "");
  const more = modelText`\u2026`;
  const text = () => joinText(lines.length < given.length ? [...lines, more] : lines, "\n");
  while (lines.length > 1 && !fits(text())) lines = lines.slice(0, -1);
  return text();
}

/** A label and the subject, cut to one line. */
function withSubject(before: ModelText, subject: string): ModelText {
  return modelText`${before}${quoteIn(subject, LINE - size(before))}`;
}

/** `You own t3 (P1) "Write the notes"` */
export function ownedTask({ id, priority, subject }: Task, already = false): ModelText {
  return withSubject(
    modelText`You ${already ? "already " : ""}own ${line(id)} (P${priority}) `,
    subject,
  );
}

/** A task on one line: `t3 P1 [claimed by "ann"] "Write the notes"`. */
export function taskLine(task: Task, blockers: readonly string[] = []): ModelText {
  const { status, priority, owner } = task;
  const whose =
    status === "claimed" && owner !== undefined ? modelText` by ${quoteIn(owner, 36)}` : NO_TEXT;
  const state = status === "open" ? NO_TEXT : modelText` [${status}${whose}]`;
  const blocked = blockers.length > 0 ? modelText` (blocked by ${someIds(blockers, 30)})` : NO_TEXT;
  return withSubject(modelText`${line(task.id)} P${priority}${state}${blocked} `, task.subject);
}

/** As many ids as fit. */
function someIds(ids: readonly string[], width: number): ModelText {
  const names = ids.map((id) => line(id));
  for (let count = names.length; count > 1; count--) {
    const some = joinText(
      count < names.length ? [...names.slice(0, count), modelText`\u2026`] : names,
      ", ",
    );
    if (size(some) <= width) return some;
  }
  return modelText`${line(ids[0] ?? "", width)}${ids.length > 1 ? ", …" : ""}`;
}

/** The last lines of an output that fit beside the rest of an answer. */
export function lastLines(output: string): string {
  let lines = output.trim().split("\n").slice(-MAX_LINES);
  while (lines.length > 1 && size(JSON.stringify(lines.join("\n"))) > MAX_PIECE)
    lines = lines.slice(1);
  return lines.join("\n");
}

/** Lines of an output, quoted. */
export function quoteLines(lines: string): ModelText {
  return quoteIn(lines, MAX_PIECE);
}

/** Lines, and how many more there are. */
export function taskLines(lines: readonly ModelText[], total: number): ModelText[] {
  const more = total - lines.length;
  return more > 0 ? [...lines, modelText`\u2026 and ${more} more.`] : [...lines];
}

/** The part of a text from an offset that fits after some lines, quoted, and the offset of the rest. */
export function piece(
  text: string,
  from: number,
  before: readonly ModelText[],
): { readonly text: ModelText; readonly next?: number } {
  const width = Math.min(MAX_PIECE, MAX_TEXT - HINT - size(joinText(before, "\n")));
  const characters = [...text].slice(from);
  const shown = (count: number) => quote(characters.slice(0, count).join(""), Number.MAX_VALUE);
  let least = 0;
  let most = Math.min(characters.length, width);
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (size(shown(middle)) <= width) least = middle;
    else most = middle - 1;
  }
  // At least one character, however long its escape is.
  const count = Math.max(wholeWords(characters, least), Math.min(1, characters.length));
  const next = from + count;
  return { text: shown(count), ...(count < characters.length && { next }) };
}

/** Prefers to end at a line or a word over a cut inside one. */
function wholeWords(characters: readonly string[], count: number): number {
  if (count === characters.length) return count;
  const end = characters.lastIndexOf("\n", count - 1) + 1;
  if (end > count / 2) return end;
  const word = characters.lastIndexOf(" ", count - 1) + 1;
  return word > count / 2 ? word : count;
}

/** A field of a task on one line. */
export function taskFact(
  name:
    | "Claim expired, last owner"
    | "Reason"
    | "Evidence"
    | "Check"
    | "To finish it, this check has to pass",
  text: string,
): ModelText {
  return modelText`${name}: ${quoteIn(text, LINE - name.length)}`;
}

/** `90 s`, `5 min` */
export function span(milliseconds: number): ModelText {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  return seconds < 120 ? modelText`${seconds} s` : modelText`${Math.round(seconds / 60)} min`;
}
