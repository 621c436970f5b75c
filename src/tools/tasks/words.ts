import { byteLength, cutBytes, forModel } from "../../core/safe-text.ts";
import type { Task, TaskRefusal } from "../../tasks/model.ts";

/** Bytes of an answer; with what is around it, it stays below 1 KB. */
const MAX_TEXT = 860;
const LINE = 100;
const MAX_WORDS = 400;
const MAX_PIECE = 480;

/** As it is sent: in JSON a quotation mark has two bytes. */
function size(text: string): number {
  return byteLength(JSON.stringify(text)) - 2;
}

/** At most so many bytes of JSON. */
function bounded(text: string, max: number): string {
  let kept = cutBytes(text, max);
  for (let limit = max; size(kept) > max; ) {
    limit -= Math.max(8, size(kept) - max);
    kept = cutBytes(text, Math.max(0, limit));
  }
  return kept;
}

/** The answer as a whole, however long its parts are. */
export function answerText(lines: readonly (string | undefined)[]): string {
  return bounded(lines.filter((line) => line !== undefined && line !== "").join("\n"), MAX_TEXT);
}

export function oneTask(what: string, { id, priority, subject }: Task): string {
  return bounded(`${what} ${id} (P${priority}): ${forModel(subject)}`, LINE);
}

/** A task in one line. */
export function taskLine(task: Task, waitsFor: readonly string[] = []): string {
  const { status, priority, owner } = task;
  const holder = status === "claimed" && owner !== undefined ? ` by ${forModel(owner)}` : "";
  const stands = status === "open" ? "" : ` [${status}${bounded(holder, 40)}]`;
  const waits = waitsFor.length > 0 ? ` (waits for ${bounded(waitsFor.join(", "), 30)})` : "";
  return bounded(`${task.id} P${priority}${stands}${waits} ${forModel(task.subject)}`, LINE);
}

/** Some of many, and how many more. */
export function taskLines(lines: readonly string[], total: number): string[] {
  const more = total - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : [...lines];
}

/** As much of a text as fits, from a character on, and where the rest of it begins. */
export function piece(
  text: string,
  from: number,
): { readonly text: string; readonly next?: number } {
  const characters = [...text].slice(from);
  const shown = (count: number) =>
    characters.slice(0, count).join("").split("\n").map(forModel).join("\n");
  let least = 0;
  let most = Math.min(characters.length, MAX_PIECE);
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (size(shown(middle)) <= MAX_PIECE) least = middle;
    else most = middle - 1;
  }
  // A character that is longer than a piece when it is made harmless is not waited for.
  const count = Math.max(wholeWords(characters, least), Math.min(1, characters.length));
  const next = from + count;
  return { text: shown(count), ...(count < characters.length && { next }) };
}

/** So many that neither a line, nor a word, nor what could be a tag is cut in two if it can be helped. */
function wholeWords(characters: readonly string[], count: number): number {
  if (count === characters.length) return count;
  const line = characters.lastIndexOf("\n", count - 1) + 1;
  if (line > count / 2) return line;
  const word = characters.lastIndexOf(" ", count - 1) + 1;
  return word > count / 2 ? word : count;
}

export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** A refusal for a model, which has other ways out than a person at a terminal. */
export function refusalWords({ code, message, id = "it" }: TaskRefusal): string {
  const short = forModel(id);
  switch (code) {
    case "not_found":
      return bounded(`There is no task ${short}.`, MAX_WORDS);
    case "closed":
      return bounded(forModel(message.replace(/ To work on it again: .*$/s, "")), MAX_WORDS);
    default:
      return bounded(forModel(message.replace(/: waymark task .*$/s, ".")), MAX_WORDS);
  }
}
