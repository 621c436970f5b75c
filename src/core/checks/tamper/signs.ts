import type { TamperKind } from "./warning.ts";

/** A warning before its line is quoted. */
export interface Sign {
  readonly kind: TamperKind;
  readonly file: string;
  readonly line: number | null;
  /** The text to quote if there is no line. */
  readonly text?: string;
}
