import { joinText, type ModelText, modelText, quote } from "../../text/model-text.ts";
import type { TamperKind, TamperWarning } from "./warning.ts";

/** The meaning of each sign, for people and for the agent. */
export const TAMPER_TEXTS = {
  test_skipped: "A test is skipped",
  test_focused: "Only selected tests run",
  test_removed: "A test was removed",
  test_file_removed: "A test file was removed",
  assertion_removed: "A test checks less than before",
  assertion_weakened: "An assertion accepts more than before",
  assertion_emptied: "A test cannot fail",
  expectation_changed: "An assertion expects another value",
  code_replaced: "A test replaces the code that it tested",
  snapshot_rewritten: "Recorded results were rewritten",
  check_changed: "The command of a check was changed",
  tests_excluded: "Tests are excluded from the check",
  threshold_lowered: "A threshold was lowered",
  exit_code_ignored: "A failing check is reported as passed",
  test_rewritten: "A test file was rewritten, and its former text is not known",
  ignored_file: "The check may need a file that git usually ignores",
} as const satisfies Record<TamperKind, string>;

const MAX_LISTED = 8;

/** The sentences around warnings for the agent. */
export const TAMPER_NOTICE = {
  why: modelText`The checks themselves were changed during this work:`,
  act: modelText`The user sees these lines beside the evidence. Undo them, or tell the user why they are right.`,
} as const;

/** One warning for the agent. */
export function warningLine({ kind, file, line, text }: TamperWarning): ModelText {
  const place = line === null ? quote(file) : modelText`${quote(file)}, line ${line}`;
  return modelText`- ${TAMPER_TEXTS[kind]}: ${place}: ${quote(text)}`;
}

/** The warnings for the agent; empty if there are none. */
export function tamperNotice(warnings: readonly TamperWarning[]): ModelText {
  if (warnings.length === 0) return modelText``;
  const lines = warnings.slice(0, MAX_LISTED).map(warningLine);
  const rest = warnings.length - lines.length;
  const more = rest > 0 ? [modelText`- ${rest} more`] : [];
  const all = joinText([...lines, ...more], "\n");
  return joinText([TAMPER_NOTICE.why, all, TAMPER_NOTICE.act], "\n");
}
