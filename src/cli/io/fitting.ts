import { hanging } from "../../surfaces/text/draw/width.ts";
import type { Terminal } from "./terminal.ts";

/** Lines of words, broken where a terminal is too narrow for them; a program gets them whole. */
export function fitting(
  lines: readonly string[],
  { isTty, width }: Pick<Terminal, "isTty" | "width">,
): readonly string[] {
  return isTty ? lines.flatMap((line) => hanging(line, width)) : lines;
}
