import { alternatives, TEXT_PROBLEMS } from "../guidance/refusal-texts.ts";
import { type Draft, type Patch, type Rejection, type RejectionCode, STATUSES } from "../model.ts";
import { forbiddenCharacter, oneLine } from "../text/escape.ts";
import { line as lineOf, type ModelText, modelText } from "../text/model-text.ts";
import type { Policy } from "./policy.ts";
import type { FieldNames } from "./target.ts";

/** Fields with a single line. */
const LINES = [
  "text",
  "activeText",
  "phase",
  "priority",
  "parent",
  "owner",
  "ref",
  "rawStatus",
  "planStep",
  "task",
] as const;

type Field = (typeof LINES)[number] | "status" | "notes" | "evidence" | "blockedBy" | "blocker";

/** A normalized value and the reasons to refuse it. */
export interface Checked<T> {
  readonly value: T;
  readonly rejected: readonly Rejection[];
}

function problem(code: RejectionCode, where: ModelText, what: ModelText): Rejection {
  return { code, message: modelText`${where} ${what}` };
}

function checkLine(
  where: ModelText,
  text: string,
  policy: Policy,
  max: number,
): Rejection | undefined {
  if (text === "") return problem("empty_text", where, TEXT_PROBLEMS.empty);
  const length = [...text].length;
  if (length > max) return problem("too_long", where, TEXT_PROBLEMS.tooLong(length, max));
  const bad = policy.strictText ? forbiddenCharacter(text) : undefined;
  if (bad === undefined) return undefined;
  return problem("bad_characters", where, TEXT_PROBLEMS.badCharacter(lineOf(bad)));
}

/** Normalizes and validates a note, which may have several lines. */
export function checkNote(where: ModelText, note: string, policy: Policy): Checked<string> {
  const value = note.replace(/\r\n?/g, "\n").trimEnd();
  const flat = value.replace(/[\n\t]/g, " ");
  const rejection = checkLine(where, flat.trim() === "" ? "" : flat, policy, policy.maxNote);
  return { value, rejected: rejection ? [rejection] : [] };
}

/** Normalizes and validates the fields of a draft. */
export function checkDraft<T extends Draft | Patch>(
  draft: T,
  where: ModelText,
  policy: Policy,
  fieldNames: FieldNames,
): Checked<T> {
  const value: Record<string, unknown> = {};
  const rejected: Rejection[] = [];
  const at = (field: Field): ModelText => {
    const name = fieldNames[field] ?? modelText`${field}`;
    return name === "" ? where : where === "" ? name : modelText`${where}.${name}`;
  };
  const { status } = draft;
  if (status !== undefined && status !== null) {
    if ((STATUSES as readonly unknown[]).includes(status)) value.status = status;
    else
      rejected.push(
        problem(
          "invalid_input",
          at("status"),
          TEXT_PROBLEMS.status(alternatives(STATUSES.map((each) => lineOf(each)))),
        ),
      );
  }
  for (const field of LINES) {
    const given: unknown = draft[field];
    if (given === null) value[field] = null;
    if (given === undefined || given === null) continue;
    if (typeof given !== "string") {
      rejected.push(problem("invalid_input", at(field), TEXT_PROBLEMS.notText));
      continue;
    }
    const line = oneLine(given);
    value[field] = line;
    const rejection = checkLine(at(field), line, policy, policy.maxText);
    if (rejection) rejected.push(rejection);
  }
  for (const field of ["sentText", "sentPhase"] as const) {
    const given = draft[field];
    // Only compared, never shown. A longer one is dropped.
    if (given === null) value[field] = null;
    else if (typeof given === "string" && given.length <= 4 * policy.maxText) value[field] = given;
  }
  for (const field of ["notes", "evidence", "blockedBy"] as const) {
    const given = draft[field];
    if (given === null) value[field] = null;
    if (!given) continue;
    if (!Array.isArray(given) || given.some((entry) => typeof entry !== "string")) {
      rejected.push(problem("invalid_input", at(field), TEXT_PROBLEMS.notTexts));
      continue;
    }
    if (given.length > policy.maxNotes)
      rejected.push(
        problem("too_many", at(field), TEXT_PROBLEMS.tooManyEntries(given.length, policy.maxNotes)),
      );
    const entries = given.map((entry, index) =>
      checkNote(modelText`${at(field)}[${index}]`, entry, policy),
    );
    value[field] = entries.map((entry) => entry.value);
    rejected.push(...entries.flatMap((entry) => entry.rejected));
  }
  if (draft.blocker === null) value.blocker = null;
  else if (typeof draft.blocker === "string") {
    const line = oneLine(draft.blocker);
    value.blocker = line;
    const rejection = checkLine(at("blocker"), line, policy, policy.maxNote);
    if (rejection) rejected.push(rejection);
  }
  return { value: value as T, rejected };
}
