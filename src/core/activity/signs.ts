import { type EditSigns, removeFirst, signKey } from "../checks/tamper/edits.ts";
import type { TamperWarning } from "../checks/tamper/warning.ts";

/** Signs of weakened checks in the edits of an agent. Bounded. */
export interface Signs {
  /** Signs that no later edit undid, oldest first. */
  readonly open: readonly OpenSign[];
  /** Keys of tests and assertions that were added: if they are removed elsewhere, they moved. */
  readonly added: readonly string[];
}

interface OpenSign extends TamperWarning {
  readonly at: number;
}

const MAX_OPEN = 20;
const MAX_ADDED = 60;
const REMOVALS = /^(?:test_removed|test_file_removed|assertion_removed) /;

/** The signs after an edit. `isOverwritten` if its result says that the file existed before. */
export function signsAfter(
  known: Signs | undefined,
  edit: EditSigns,
  at: number,
  isOverwritten = false,
): Signs {
  const open = [...(known?.open ?? [])];
  const added = [...(known?.added ?? [])];
  const isMoved = (sign: TamperWarning) => removeFirst(added, (key) => key === signKey(sign));
  const found = isOverwritten ? [...edit.signs, ...(edit.ifOverwritten ?? [])] : edit.signs;
  const signs = found.filter((sign) => !isMoved(sign));
  for (const key of edit.undone)
    if (!removeFirst(open, (sign) => signKey(sign) === key) && REMOVALS.test(key)) added.push(key);
  open.push(...signs.map((sign) => ({ ...sign, at })));
  return { open: open.slice(-MAX_OPEN), added: added.slice(-MAX_ADDED) };
}

/** The signs since a time, as warnings. */
export function warningsSince(
  signs: Signs | undefined,
  from: number,
  until: number = Number.POSITIVE_INFINITY,
): readonly TamperWarning[] {
  return (signs?.open ?? []).flatMap(({ at, ...warning }) =>
    at >= from && at <= until ? warning : [],
  );
}
