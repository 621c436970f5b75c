import { byteLength } from "../../core/text/escape.ts";
import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../core/text/model-text.ts";
import type { Task, TaskRefusal } from "../../tasks/model.ts";

/** Bytes of an answer; with what is around it, it stays below 1 KB. */
const MAX_TEXT = 860;
const LINE = 100;
const MAX_PIECE = 480;
/** Bytes reserved for the hint to the rest of a description. */
const HINT = 80;

/** As it is sent: in JSON a quotation mark has two bytes. */
function size(text: string): number {
  return byteLength(JSON.stringify(text)) - 2;
}

/** A text of others in at most so many bytes of JSON, quotation marks included. */
function quoteIn(text: string, room: number): ModelText {
  return quote(text, Math.max(8, room - size('""')), size);
}

export function fits(text: ModelText): boolean {
  return size(text) <= MAX_TEXT;
}

/** The answer as a whole: lines that do not fit are left out from the end. */
export function answerText(given: readonly ModelText[]): ModelText {
  let lines = given.filter((each) => each !== "");
  const more = modelText`\u2026`;
  const text = () => joinText(lines.length < given.length ? [...lines, more] : lines, "\n");
  while (lines.length > 1 && !fits(text())) lines = lines.slice(0, -1);
  return text();
}

/** A sentence, and behind it the subject in the room that is left of a line. */
function withSubject(before: ModelText, subject: string): ModelText {
  return modelText`${before}${quoteIn(subject, LINE - size(before))}`;
}

export function oneTask(what: "You hold", { id, priority, subject }: Task): ModelText {
  return withSubject(modelText`${what} ${line(id)} (P${priority}): `, subject);
}

/** A task in one line. */
export function taskLine(task: Task, waitsFor: readonly string[] = []): ModelText {
  const { status, priority, owner } = task;
  const holder =
    status === "claimed" && owner !== undefined ? modelText` by ${quoteIn(owner, 36)}` : NO_TEXT;
  const stands = status === "open" ? NO_TEXT : modelText` [${status}${holder}]`;
  const waits = waitsFor.length > 0 ? modelText` (waits for ${someIds(waitsFor, 30)})` : NO_TEXT;
  return withSubject(modelText`${line(task.id)} P${priority}${stands}${waits} `, task.subject);
}

/** Whole ids, as many as fit. */
function someIds(ids: readonly string[], room: number): ModelText {
  const names = ids.map((id) => line(id));
  for (let count = names.length; count > 1; count--) {
    const some = joinText(
      count < names.length ? [...names.slice(0, count), modelText`\u2026`] : names,
      ", ",
    );
    if (size(some) <= room) return some;
  }
  return modelText`${line(ids[0] ?? "", room)}${ids.length > 1 ? ", …" : ""}`;
}

/** Some of many, and how many more. */
export function taskLines(lines: readonly ModelText[], total: number): ModelText[] {
  const more = total - lines.length;
  return more > 0 ? [...lines, modelText`\u2026 and ${more} more`] : [...lines];
}

/** As much of a text as fits behind some lines, quoted, from a character on, and where the rest of it begins. */
export function piece(
  text: string,
  from: number,
  before: readonly ModelText[],
): { readonly text: ModelText; readonly next?: number } {
  const room = Math.min(MAX_PIECE, MAX_TEXT - HINT - size(joinText(before, "\n")));
  const characters = [...text].slice(from);
  const shown = (count: number) => quote(characters.slice(0, count).join(""), Number.MAX_VALUE);
  let least = 0;
  let most = Math.min(characters.length, room);
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (size(shown(middle)) <= room) least = middle;
    else most = middle - 1;
  }
  // A character that is longer than a piece when it is escaped is not waited for.
  const count = Math.max(wholeWords(characters, least), Math.min(1, characters.length));
  const next = from + count;
  return { text: shown(count), ...(count < characters.length && { next }) };
}

/** So many that neither a line, nor a word, nor what could be a tag is cut in two if it can be helped. */
function wholeWords(characters: readonly string[], count: number): number {
  if (count === characters.length) return count;
  const end = characters.lastIndexOf("\n", count - 1) + 1;
  if (end > count / 2) return end;
  const word = characters.lastIndexOf(" ", count - 1) + 1;
  return word > count / 2 ? word : count;
}

/** One field of a task on one line. */
export function taskFact(name: "Fell silent" | "Reason" | "Evidence", text: string): ModelText {
  return modelText`${name}: ${quoteIn(text, LINE - name.length)}`;
}

export function span(milliseconds: number): ModelText {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  return seconds < 120 ? modelText`${seconds} s` : modelText`${Math.round(seconds / 60)} min`;
}

/** A refusal for a model, which has other ways out than a person at a terminal. */
export function refusalWords({ message, short }: TaskRefusal): ModelText {
  return short ?? message;
}
