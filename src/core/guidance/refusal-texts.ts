import { joinText, type ModelText, modelText } from "../text/model-text.ts";

/**
 * Why a list write was refused: what is wrong, then what to send instead. The texts of the operations tool ("Task … not found",
 * "Task … already exists") are part of its format.
 */

export const LIST_REFUSALS = {
  planProposed: modelText`Your plan is waiting for the user's decision; the list is read-only until then. Tell the user and end your turn.`,
  planRejected: modelText`The user rejected your plan; the list is read-only until a plan is approved. Revise the plan and propose it again.`,
  planMode: modelText`The list is read-only in plan mode. Finish the plan, ask the user to approve it, then write the list.`,
  tooMany: (count: number, limit: number, isWholeList: boolean) =>
    modelText`The list ${isWholeList ? "has" : "would have"} ${count} todos; the limit is ${limit}. Merge small steps, or add later ones when you get there.`,
  twoActive: (count: number, names: readonly ModelText[]) =>
    modelText`${count} todos are in_progress: ${joinText(names, ", ")}. Keep one in_progress and send the others as pending.`,
  tooManyNotes: (todo: ModelText, limit: number) =>
    modelText`${todo} already has the maximum of ${limit} notes.`,
  noText: (where: ModelText) => modelText`${where} has no text.`,
  unknownOp: modelText`Unknown operation.`,
  exists: (noun: ModelText, name: ModelText) => modelText`${noun} ${name} already exists.`,
  notFound: (noun: ModelText, name: ModelText, hint: ModelText) =>
    modelText`${noun} ${name} not found. ${hint}.`,
  unknownId: (id: ModelText, hint: ModelText) => modelText`No todo has the id ${id}. ${hint}.`,
  noMatch: (text: ModelText, hint: ModelText) => modelText`No todo matches ${text}. ${hint}.`,
  removed: (noun: ModelText, name: ModelText) =>
    modelText`The user removed ${noun} ${name}. Continue without it.`,
  ambiguous: (text: ModelText, count: number, names: ModelText) =>
    modelText`${text} matches ${count} todos: ${names}. Send the id.`,
  emptyList: modelText`The list is empty`,
} as const;

/** Problems with one text of a write; the name of the field precedes them. */
export const TEXT_PROBLEMS = {
  empty: modelText`is empty.`,
  tooLong: (length: number, limit: number) =>
    modelText`has ${length} characters; the limit is ${limit}. Shorten it.`,
  badCharacter: (character: ModelText) =>
    modelText`contains a control character: ${character}. Send plain text.`,
  notText: modelText`must be a string.`,
  notTexts: modelText`must be an array of strings.`,
  tooManyEntries: (count: number, limit: number) =>
    modelText`has ${count} entries; the limit is ${limit}.`,
  status: (allowed: ModelText) => modelText`must be ${allowed}.`,
} as const;

/** Calls of the `todos` tool whose fields do not go together. */
export const INPUT_REFUSALS = {
  mixed: modelText`Send either todos, which replaces the list, or single changes, not both in one call.`,
  evidence: modelText`evidence needs finish or drop in the same call.`,
  reason: modelText`reason needs block in the same call.`,
  note: modelText`No todo is in progress to attach the note to. Start one in the same call.`,
} as const;

/** The host or the user wants no list writes during an operation. */
export function readOnlyDuring(operation: ModelText): ModelText {
  return modelText`The todo list is read-only during ${operation}. Continue without updating it.`;
}

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(names: readonly ModelText[]): ModelText {
  const last = names.at(-1) ?? modelText``;
  return names.length < 2 ? last : modelText`${joinText(names.slice(0, -1), ", ")} or ${last}`;
}
