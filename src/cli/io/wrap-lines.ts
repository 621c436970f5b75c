import { wrapHanging } from "../../surfaces/text/draw/width.ts";
import type { Terminal } from "./terminal.ts";

/** Wraps lines at the width of a terminal; other output keeps them whole. */
export function wrapLines(
  lines: readonly string[],
  { isTty, width }: Pick<Terminal, "isTty" | "width">,
): readonly string[] {
  return isTty ? lines.flatMap((line) => wrapHanging(line, width)) : lines;
}
