import type { Op, Todo, Track } from "../../../../core/model.ts";
import type { ConflictResponse } from "../../../../core/wire.ts";

/** The current input. Mutable and outside of the form, which may be remounted elsewhere in the list. */
export interface EditedText {
  text: string;
  note: string;
  /** The field had focus before: do not select its text again, or the next key would replace it. */
  hasFocused: boolean;
}

export interface Edit {
  readonly what: "edit";
  readonly id: string;
  readonly field: "text" | "note";
  /** The todo when the form was opened. */
  readonly base: Todo;
  readonly typed: EditedText;
  readonly conflict?: { readonly answer: ConflictResponse; readonly ops: readonly Op[] };
}

/** The open form. Compared by identity: reopening creates a new one. */
export type Form = Edit | Addition;

export interface Addition {
  readonly what: "add";
  readonly typed: { text: string };
}

export const newAddition = (): Addition => ({ what: "add", typed: { text: "" } });

/** Forms that were open when their page was left, by track key. They are open again when the user returns. */
export const leftForms = new Map<string, Form>();

export const target = (id: string) => ({ target: { any: id } });

export function editOf(base: Todo, field: Edit["field"]): Edit {
  const typed = { text: base.text, note: "", hasFocused: false };
  return { what: "edit", id: base.id, field, base, typed };
}

export function changesOf({ id, text: before }: Todo, { text, note }: EditedText): readonly Op[] {
  const ops: Op[] = [];
  if (text.trim() !== "" && text !== before) ops.push({ op: "edit", ...target(id), set: { text } });
  if (note.trim() !== "") ops.push({ op: "note", ...target(id), text: note });
  return ops;
}

/** Adds a removed todo again, with the edits. */
export function addedAgain(
  { text: before, phase, notes = [] }: Todo,
  { text, note }: EditedText,
): readonly Op[] {
  const kept = note.trim() === "" ? notes : [...notes, note];
  const draft = {
    text: text.trim() === "" ? before : text,
    ...(phase !== undefined && { phase }),
    ...(kept.length > 0 && { notes: kept }),
  };
  return [{ op: "add", todos: [draft] }];
}

const MAX_SHORT = 60;

/** The text of a todo for a message. */
export function shortText({ text }: Pick<Todo, "text">): string {
  return text.slice(0, MAX_SHORT);
}

/** Restores the text and the notes of a todo. */
export function undoneEdit({ id, text, notes }: Todo): readonly Op[] {
  return [{ op: "edit", ...target(id), set: { text, notes: notes ?? null } }];
}

/** Moves a todo back to where it was, in its phase. */
export function undoneMove({ todos }: Pick<Track, "todos">, { id, phase }: Todo): readonly Op[] {
  const to = todos.findIndex((todo) => todo.id === id);
  return [
    { op: "move", ...target(id), to },
    { op: "edit", ...target(id), set: { phase: phase ?? null } },
  ];
}
