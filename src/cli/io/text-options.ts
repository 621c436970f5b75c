import type { TextOptions } from "../../surfaces/text/index.ts";
import type { Terminal } from "./terminal.ts";

/** Rendering options for this terminal. */
export function textOptions({ width, color, unicode }: Terminal, now: number): TextOptions {
  return { width, color, unicode, now };
}
