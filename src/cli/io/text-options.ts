import type { TextOptions } from "../../surfaces/text/index.ts";
import type { Terminal } from "./terminal.ts";

/** How text is drawn on this terminal. */
export function textOptions({ width, color, unicode }: Terminal, now: number): TextOptions {
  return { width, color, unicode, now };
}
