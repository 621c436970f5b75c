/** The kinds of tampering. */
export const TAMPER_KINDS = [
  "test_skipped",
  "test_focused",
  "test_removed",
  "test_file_removed",
  "assertion_removed",
  "assertion_weakened",
  "assertion_emptied",
  "expectation_changed",
  "code_replaced",
  "snapshot_rewritten",
  "check_changed",
  "tests_excluded",
  "threshold_lowered",
  "exit_code_ignored",
  "test_rewritten",
  "ignored_file",
] as const;
/** A kind of tampering. */
export type TamperKind = (typeof TAMPER_KINDS)[number];

/** A file before and after the work; null if it did not exist. */
export interface FileChange {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A change that makes a check weaker, for people and for the agent. It never blocks by itself. */
export interface TamperWarning {
  readonly kind: TamperKind;
  readonly file: string;
  /** Line in the new file, from 1; null if it is no longer there. */
  readonly line: number | null;
  /** The line itself, shortened. External text: encode it for its sink. */
  readonly text: string;
}
