import type { Op, Todo } from "../../../core/model.ts";
import type { ConflictAnswer } from "../../../core/wire.ts";

/** What a person typed so far: kept where the form itself may be drawn anew in another place. */
export interface Typed {
  text: string;
  note: string;
  /** They are at it: what they typed is not chosen again, to be overwritten by the next key. */
  isBegun: boolean;
}

export interface Edit {
  readonly what: "edit";
  readonly id: string;
  readonly field: "text" | "note";
  /** As it was when the person began. */
  readonly base: Todo;
  readonly typed: Typed;
  readonly conflict?: { readonly answer: ConflictAnswer; readonly ops: readonly Op[] };
}

/** What stands open; each time it is opened it is another one. */
export type Form = Edit | { readonly what: "add" };

export const target = (id: string) => ({ target: { any: id } });

export function editOf(base: Todo, field: Edit["field"]): Edit {
  const typed = { text: base.text, note: "", isBegun: false };
  return { what: "edit", id: base.id, field, base, typed };
}

export function changesOf({ id, text: before }: Todo, { text, note }: Typed): readonly Op[] {
  const ops: Op[] = [];
  if (text.trim() !== "" && text !== before) ops.push({ op: "edit", ...target(id), set: { text } });
  if (note.trim() !== "") ops.push({ op: "note", ...target(id), text: note });
  return ops;
}

/** For a todo that is not on the list any more. */
export function addedAgain(
  { text: before, phase, notes = [] }: Todo,
  { text, note }: Typed,
): readonly Op[] {
  const kept = note.trim() === "" ? notes : [...notes, note];
  const draft = {
    text: text.trim() === "" ? before : text,
    ...(phase !== undefined && { phase }),
    ...(kept.length > 0 && { notes: kept }),
  };
  return [{ op: "add", todos: [draft] }];
}
